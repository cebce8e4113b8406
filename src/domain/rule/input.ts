import bowser from 'bowser';
import { z } from 'zod';
import {
  choiceSchema,
  flag,
  idSchema,
  integerSchema,
  listSchema,
  nameSchema,
  textSchema,
  timestamp,
  withDefault,
} from '../../engine/rules/input.ts';
import { HOST_NAME, normalizeHost, webAddress, withoutPort } from '../../engine/rules/url.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';
import { countryInput, languageInput, platformInput } from '../link/targeting.ts';
import { refusal } from '../rules.ts';
import {
  MAX_CONDITION_VALUES,
  MAX_CONDITIONS,
  MAX_RULE_NAME,
  MAX_RULE_TARGETS,
  MAX_RULE_TESTS,
  MAX_RULES,
  MAX_WEIGHT,
} from './limits.ts';
import {
  type Choice,
  devices,
  type StoredCondition,
  type StoredExpectation,
  type StoredQuery,
  type StoredTime,
  weekdays,
} from './stored.ts';
import { zoneNamed } from './zone.ts';

// The schemas of rules and of their tests, by which the APIs describe and validate them. Null counts as absent everywhere, so
// that what was read can be sent back.

/** The object without the fields that are null or undefined. */
function given<Shape extends object>(object: Shape): { [Name in keyof Shape]?: NonNullable<Shape[Name]> } {
  const entries = Object.entries(object).filter(([, value]) => value != null);
  return Object.fromEntries(entries) as { [Name in keyof Shape]?: NonNullable<Shape[Name]> }; // A subset of its entries.
}

/** True if exactly one of the fields is given. */
function hasOne(object: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.filter((name) => object[name] != null).length === 1;
}

const oneOf = (names: readonly string[]) => refusal('ONE_OF', { choices: names.join(', ') });

/** An object with exactly one of its fields. */
function exactlyOne<Shape extends z.ZodRawShape>(shape: Shape, title: string, description: string) {
  const names = Object.keys(shape);
  return z
    .object(shape)
    .meta({ title, description, isOneOf: true })
    .refine((object) => hasOne(object, names), oneOf(names));
}

/** A list with at least one value, each once. */
function valuesSchema<Value extends z.ZodType>(value: Value) {
  return listSchema(value, MAX_CONDITION_VALUES)
    .refine(({ length }) => length > 0, refusal('NO_ENTRIES'))
    .transform((values) => [...new Set(values)]);
}

const IN = `The values that match, 1 to ${MAX_CONDITION_VALUES}. What is not known matches none.`;
const NOT_IN = `The values that do not match, 1 to ${MAX_CONDITION_VALUES}; all others do, and what is not known.`;

/** A list of values that match, or of those that do not. */
function choiceOf<Value extends z.ZodType<string>>(title: string, value: Value, about: string) {
  const values = valuesSchema(value);
  return exactlyOne(
    { in: values.describe(IN).nullish(), notIn: values.describe(NOT_IN).nullish() },
    title,
    'Values that match, or values that do not. Exactly one of the two lists is given.',
  )
    .transform((choice): Choice<z.output<Value>> => {
      if (choice.in) return { in: choice.in };
      return { notIn: choice.notIn ?? [] };
    })
    .describe(about);
}

const browserNames = new Map(Object.values(bowser.BROWSER_MAP).map((name) => [name.toLowerCase(), name]));
/** A browser by its name in the statistics, whatever its case. */
export const browserInput = textSchema(1, 255)
  .overwrite((name) => browserNames.get(name.toLowerCase()) ?? name)
  .refine((name) => name === '' || browserNames.has(name.toLowerCase()), refusal('BROWSER'));

/** The host as it is compared: in ASCII and lower case, without port; empty for what is no host. */
function plainHostName(text: string): string {
  const host = withoutPort(normalizeHost(text) ?? '');
  return HOST_NAME.test(host) || host.startsWith('[') ? host : '';
}
const hostInput = textSchema(1, 1_000)
  .refine((text) => text === '' || plainHostName(text) !== '', refusal('HOST'))
  .overwrite((text) => plainHostName(text) || text);

const deviceInput = choiceSchema(devices).meta({ title: 'Device' });
const weekdayInput = choiceSchema(weekdays).meta({ title: 'Weekday' });

const asGiven = (text: string) => text;
const queryValue = textSchema(0, 255, asGiven);
const queryTests = ['in', 'notIn', 'exists'];
const queryCondition = z
  .object({
    name: textSchema(1, 255, asGiven).describe('The name of the parameter, decoded; case-sensitive.'),
    in: valuesSchema(queryValue).describe(`${IN} They are decoded, and case-sensitive.`).nullish(),
    notIn: valuesSchema(queryValue).describe(`${NOT_IN} They are decoded, and case-sensitive.`).nullish(),
    exists: flag.describe('Whether the visit has the parameter, with any value.').nullish(),
  })
  .meta({
    title: 'QueryCondition',
    description:
      "A parameter of the visit's query, the first of those with its name. Exactly one of `in`, `notIn` and `exists` is given.",
  })
  .refine((condition) => hasOne(condition, queryTests), oneOf(queryTests))
  .transform((condition): StoredQuery => ({ name: condition.name, ...given(condition) }));

const asText = (words: string) => timestamp.transform(({ at }) => at.toISOString()).describe(words);
const timeCondition = z
  .object({
    from: asText('The first moment, in ISO 8601 with an offset from UTC.').nullish(),
    until: asText('The moment before which it matches, in ISO 8601 with an offset from UTC.').nullish(),
  })
  .meta({
    title: 'TimeCondition',
    description: 'A period: from the first moment until before the other. At least one of them is given.',
  })
  .refine(({ from, until }) => from != null || until != null, refusal('PERIOD_BORDER'))
  .transform((condition): StoredTime => given(condition));

const clock = textSchema(1, 255).refine(
  (text) => text === '' || /^([01]\d|2[0-3]):[0-5]\d$/.test(text),
  refusal('CLOCK'),
);
/** The name of a zone in its usual case; as it was given, if it is another name of the zone, such as Asia/Kolkata. */
function zoneName(given: string): string {
  const name = zoneNamed(given)?.name ?? given;
  return name.toLowerCase() === given.toLowerCase() ? name : given;
}
const timeZone = textSchema(1, 255)
  .refine((name) => name === '' || zoneNamed(name) !== null, refusal('TIME_ZONE'))
  .overwrite(zoneName);
const hoursCondition = z
  .object({
    days: listSchema(weekdayInput, Object.keys(weekdays).length)
      .refine(({ length }) => length > 0, refusal('NO_ENTRIES'))
      .transform((days) => keysOf(weekdays).filter((day) => days.includes(day)))
      .describe('The days on which the hours start; every day by default.')
      .nullish(),
    from: clock.describe('When they start, as `HH:MM`; 00:00 by default.').nullish(),
    to: clock
      .describe('When they end, as `HH:MM`; midnight by default. A time up to `from` is on the next day.')
      .nullish(),
    timeZone: timeZone.describe('The time zone by its name in the IANA list, such as Europe/Berlin.'),
  })
  .meta({
    title: 'HoursCondition',
    description: 'Hours by the clock of a time zone, with its daylight saving time.',
  })
  .transform(({ timeZone: zone, ...hours }) => ({ ...given(hours), timeZone: zone }));

const codes = (value: z.ZodType<string>, about: string) => choiceOf('Codes', value, about).nullish();
/** A condition of a rule. */
export const conditionInput = exactlyOne(
  {
    country: codes(countryInput, 'The country: ISO 3166-1 alpha-2 codes, or XK, case-insensitive.'),
    language: codes(
      languageInput,
      'The language that suits the visitor best, of all that the rules of the link name: ISO 639-1 codes.',
    ),
    platform: choiceOf('Platforms', platformInput, 'The operating system.').nullish(),
    device: choiceOf('Devices', deviceInput, 'The kind of device.').nullish(),
    browser: codes(browserInput, 'The browser, by its name in statistics, such as Chrome.'),
    query: queryCondition.describe("A parameter of the visit's query.").nullish(),
    referrer: codes(hostInput, 'The host that the visitor comes from; it also stands for its subdomains.'),
    time: timeCondition.describe('A period.').nullish(),
    hours: hoursCondition.describe('Hours of the day and days of the week.').nullish(),
  },
  'RuleCondition',
  'A condition of a rule: exactly one field is given.',
).transform((condition): StoredCondition => given(condition));

const ruleId = idSchema(refusal('RULE_ID'));
const name = nameSchema(MAX_RULE_NAME);

const targetInput = z
  .object({
    id: ruleId.describe('The id, to keep a target; a new target has none.').nullish(),
    name: name
      .describe(`The name, 1 to ${MAX_RULE_NAME} characters, unique in the rule; \`Target ID\` by default.`)
      .nullish(),
    url: webAddress.describe('The destination: an absolute http or https URL.'),
    weight: withDefault(
      integerSchema(0, MAX_WEIGHT).describe(
        `The share of visitors in relation to the other targets, 0 to ${MAX_WEIGHT}.`,
      ),
      1,
    ),
  })
  .meta({ title: 'RuleTarget', description: 'A destination of a rule.' });

const ruleInput = z
  .object({
    id: ruleId.describe('The id, to keep a rule; a new rule has none.').nullish(),
    name: name
      .describe(`The name, 1 to ${MAX_RULE_NAME} characters, unique in the link; \`Rule ID\` by default.`)
      .nullish(),
    when: listSchema(conditionInput, MAX_CONDITIONS).describe(
      `The conditions, at most ${MAX_CONDITIONS}, which must all match; none for everybody.`,
    ),
    to: listSchema(targetInput, MAX_RULE_TARGETS)
      .refine(({ length }) => length > 0, refusal('NO_ENTRIES'))
      .refine(
        // A weight below 0 has an error of its own.
        (targets) => targets.length === 0 || targets.some(({ weight }) => weight !== 0),
        refusal('WEIGHTS'),
      )
      .describe(`The targets, 1 to ${MAX_RULE_TARGETS}. Several divide the visitors by their weights.`),
  })
  .meta({ title: 'LinkRule', description: 'Where some of the visitors go.' });

/** Rules before they get ids. */
export type GivenRule = z.output<typeof ruleInput>;

/** The rules of a link, in order. */
export const rulesInput = listSchema(ruleInput, MAX_RULES);

const header = (words: string) => textSchema(0, 1_000).describe(words).nullish();
/** The visitor of a test. */
const visitorInput = z
  .object({
    country: countryInput.describe('The country: an ISO 3166-1 alpha-2 code, or XK.').nullish(),
    language: header('The languages, as in the header Accept-Language.'),
    platform: platformInput.describe('The operating system.').nullish(),
    device: deviceInput.describe('The kind of device.').nullish(),
    browser: browserInput.describe('The browser, by its name in statistics, such as Chrome.').nullish(),
    query: textSchema(0, 2048)
      .describe('The query of the visit, with its question mark or without it.')
      .nullish(),
    referrer: header('The host or the URL that the visitor comes from.'),
    at: timestamp
      .transform(({ at }) => at.toISOString())
      .meta({
        format: 'date-time',
        description: 'The time of the visit; that of saving the test by default.',
      })
      .nullish(),
    userAgent: header(
      'The header User-Agent, for platform, device and browser. Where these are given, they win.',
    ),
  })
  .meta({
    title: 'RuleTestVisitor',
    description: 'The visitor of a test. What is not given is not known.',
  })
  .transform((visitor) => given(visitor));

const expectInput = exactlyOne(
  {
    url: webAddress.describe('One of the destinations of the rule that leads.').nullish(),
    rule: name.describe('The name of the rule that leads.').nullish(),
    noRule: flag.describe('True if no rule leads; false if any does.').nullish(),
  },
  'RuleExpectation',
  'What a test expects: exactly one field is given.',
).transform((expected): StoredExpectation => given(expected));

const testInput = z
  .object({
    visitor: visitorInput.describe('The visitor.'),
    expect: expectInput.describe('What the visitor gets.'),
  })
  .meta({ title: 'RuleTest', description: "A test of a link's rules." });

/** Tests before they get the time of saving. */
export type GivenTest = z.output<typeof testInput>;

/** The tests of a link's rules. */
export const ruleTestsInput = listSchema(testInput, MAX_RULE_TESTS);
