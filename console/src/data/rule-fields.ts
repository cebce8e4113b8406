import type {
  Device,
  LinkRuleInput,
  Platform,
  RuleConditionInput,
  RuleTestInput,
  Weekday,
} from '../generated/documents.ts';
import { INCOMPLETE, withScheme } from '../words/format.ts';

/** The kinds of conditions whose values are in a list or not, and then the others. */
export const listKinds = ['country', 'language', 'platform', 'device', 'browser', 'referrer'] as const;
export const conditionKinds = [...listKinds, 'query', 'time', 'hours'] as const;
export type ConditionKind = (typeof conditionKinds)[number];

/** The kinds whose values people type; those of the others are chosen. */
const typedKinds: readonly ConditionKind[] = ['referrer', 'query'];
export const isTyped = (kind: ConditionKind): boolean => typedKinds.includes(kind);

export const weekdays: readonly Weekday[] = [
  ...(['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const),
];
export type Comparison = 'in' | 'notIn' | 'exists' | 'absent';

/** A condition as it is edited. Each kind uses some of the fields. */
export interface ConditionField {
  readonly kind: ConditionKind;
  readonly is: Comparison;
  readonly values: readonly string[];
  /** The text that is typed and not entered as another value. */
  readonly typed: string;
  /** The name of a parameter. */
  readonly name: string;
  /** Times in ISO 8601; empty for none, or `INCOMPLETE`. */
  readonly from: string;
  readonly until: string;
  readonly days: readonly string[];
  /** Times of day, as `HH:MM`; empty for none. */
  readonly starts: string;
  readonly ends: string;
  readonly timeZone: string;
  readonly zoneTyped: string;
}

/** A destination of a rule. */
export interface RuleTargetField {
  /** Distinguishes targets in the form. */
  readonly key: string;
  /** Empty for a new one. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly weight: string;
}

export interface RuleField {
  /** Distinguishes rules in the form. */
  readonly key: string;
  /** Empty for a new one. */
  readonly id: string;
  readonly name: string;
  readonly when: readonly ConditionField[];
  /** The text that is typed and not chosen as another condition. */
  readonly adding?: string | undefined;
  readonly to: readonly RuleTargetField[];
}

/** The facts about the visitor of a test; empty for what is not known. */
export const visitorFacts = [
  ...(['country', 'language', 'userAgent', 'platform', 'device', 'browser', 'query'] as const),
  ...(['referrer', 'at'] as const),
];
type VisitorFact = (typeof visitorFacts)[number];

export interface RuleTestField {
  readonly visitor: Readonly<Record<VisitorFact, string>>;
  /** The expected rule by its name, the expected URL, or null for no rule, as `is` says. */
  readonly expect: { readonly is: 'rule' | 'url' | 'noRule' | 'anyRule'; readonly text: string };
}

export const emptyCondition: ConditionField = {
  ...{ kind: 'hours', is: 'in', values: [], typed: '', name: '', from: '', until: '' },
  ...{ days: [], starts: '', ends: '', timeZone: '', zoneTyped: '' },
};

const propertyIn = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
const textIn = (value: unknown, name: string): string => {
  const text = propertyIn(value, name);
  return typeof text === 'string' || typeof text === 'number' ? String(text) : '';
};
const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = propertyIn(value, name);
  return Array.isArray(list) ? list : [];
};
const textsIn = (value: unknown, name: string): string[] =>
  listIn(value, name).filter((one) => typeof one === 'string');

/** A condition as the API or the log has it. One of an unknown kind lacks its time zone, and so is refused, never widened. */
function toCondition(value: unknown): ConditionField {
  const kind = conditionKinds.find((one) => propertyIn(value, one) != null);
  if (kind === undefined) return emptyCondition;
  const given = propertyIn(value, kind);
  const exists = propertyIn(given, 'exists');
  const is = typeof exists === 'boolean' ? (exists ? 'exists' : 'absent') : null;
  const isHours = kind === 'hours';
  return {
    ...emptyCondition,
    ...{ kind, is: is ?? (propertyIn(given, 'notIn') == null ? 'in' : 'notIn') },
    values: [...textsIn(given, 'in'), ...textsIn(given, 'notIn')],
    ...{ name: textIn(given, 'name'), timeZone: textIn(given, 'timeZone'), days: textsIn(given, 'days') },
    ...(isHours && { starts: textIn(given, 'from'), ends: textIn(given, 'to') }),
    ...(kind === 'time' && { from: textIn(given, 'from'), until: textIn(given, 'until') }),
  };
}

function toTarget(value: unknown): RuleTargetField {
  const [id, name, url] = [textIn(value, 'id'), textIn(value, 'name'), textIn(value, 'url')];
  // A name by the id says nothing: the service gives it again.
  const given = name === `Target ${id}` ? '' : name;
  return { key: id, id, name: given, url, weight: textIn(value, 'weight') };
}

/** A rule as the API or the log has it. */
export function toRuleField(value: unknown): RuleField {
  const [id, name] = [textIn(value, 'id'), textIn(value, 'name')];
  return {
    ...{ key: id, id, name },
    when: listIn(value, 'when').map(toCondition),
    to: listIn(value, 'to').map(toTarget),
  };
}

/** A test as the API or the log has it. */
export function toTestField(value: unknown): RuleTestField {
  const [visitor, expect] = [propertyIn(value, 'visitor'), propertyIn(value, 'expect')];
  const noRule = propertyIn(expect, 'noRule');
  const is = typeof noRule === 'boolean' ? (noRule ? 'noRule' : 'anyRule') : null;
  const byText = textIn(expect, 'rule') === '' ? 'url' : 'rule';
  return {
    visitor: toVisitor((name) => textIn(visitor, name)),
    expect: { is: is ?? byText, text: is === null ? textIn(expect, byText) : '' },
  };
}

/** A visitor by their facts. */
export const toVisitor = (factOf: (name: VisitorFact) => string): RuleTestField['visitor'] => ({
  ...{ country: factOf('country'), language: factOf('language'), userAgent: factOf('userAgent') },
  ...{ platform: factOf('platform'), device: factOf('device'), browser: factOf('browser') },
  ...{ query: factOf('query'), referrer: factOf('referrer'), at: factOf('at') },
});

/** The values of a condition, with one that is typed and needs no choice. */
export const enteredValues = ({ kind, values, typed }: ConditionField): string[] => {
  const text = kind === 'referrer' ? typed.trim() : typed;
  return isTyped(kind) && text !== '' && !values.includes(text) ? [...values, text] : [...values];
};

const asTime = (text: string): string | null => (text === '' || text === INCOMPLETE ? null : text);

function conditionInput(condition: ConditionField): RuleConditionInput {
  const { kind, is, name, days, timeZone } = condition;
  const values = enteredValues(condition);
  const choice = is === 'notIn' ? { notIn: values } : { in: values };
  // The choices of the form are the API's values.
  const platforms = values as Platform[];
  const devices = values as Device[];
  switch (kind) {
    case 'country':
      return { country: choice };
    case 'language':
      return { language: choice };
    case 'platform':
      return { platform: is === 'notIn' ? { notIn: platforms } : { in: platforms } };
    case 'device':
      return { device: is === 'notIn' ? { notIn: devices } : { in: devices } };
    case 'browser':
      return { browser: choice };
    case 'referrer':
      return { referrer: choice };
    case 'query':
      return {
        query: { name, ...(is === 'exists' || is === 'absent' ? { exists: is === 'exists' } : choice) },
      };
    case 'time':
      return { time: { from: asTime(condition.from), until: asTime(condition.until) } };
    case 'hours':
      return {
        hours: {
          days: days.length === 0 ? null : weekdays.filter((day) => days.includes(day)),
          ...{ from: condition.starts || null, to: condition.ends || null, timeZone },
        },
      };
  }
}

/** A weight as a number; anything else is sent as -1, which the API refuses in its own words. */
export const parseWeight = (text: string): number => (/^\d{1,5}$/.test(text.trim()) ? Number(text) : -1);

/**
 * A rule as it is sent. Ids that the link does not have any more go, since somebody else removed what they name.
 * @param stored the rules that the link has
 * @param follow gives the URL of a target its link's parameters
 */
export function ruleInput(
  rule: RuleField,
  stored: readonly RuleField[],
  follow: (url: string) => string,
): LinkRuleInput {
  const known = stored.find(({ id }) => id !== '' && id === rule.id);
  return {
    ...{ id: known?.id ?? null, name: rule.name.trim() || null },
    when: rule.when.map(conditionInput),
    to: rule.to.map(({ id, name, url, weight }) => ({
      ...{ id: known?.to.some((one) => one.id === id) ? id || null : null, name: name.trim() || null },
      ...{ url: follow(withScheme(url)), weight: parseWeight(weight) },
    })),
  };
}

/** A test as it is sent. */
export function testInput({ visitor, expect: { is, text } }: RuleTestField): RuleTestInput {
  const { platform, device, ...texts } = visitor;
  const given = Object.fromEntries(Object.entries(texts).filter(([, one]) => one !== ''));
  return {
    // What the form has comes from the API.
    visitor: {
      ...given,
      ...(platform && { platform: platform as Platform }),
      ...(device && { device: device as Device }),
    },
    expect: is === 'rule' ? { rule: text } : is === 'url' ? { url: text } : { noRule: is === 'noRule' },
  };
}

/** Finds what cannot be sent in rules, by the paths of the API. */
export function unsendableIn(
  rules: readonly RuleField[],
  words: { readonly incomplete: string; notChosen(text: string): string },
): Readonly<Record<string, string>> {
  const wrong = rules.flatMap(({ when, adding = '' }, rule) => [
    ...(adding.trim() === '' ? [] : [[`rules.${rule}.when`, words.notChosen(adding.trim())] as const]),
    ...when.flatMap(({ kind, from, until, typed, zoneTyped }, index) => {
      const at = `rules.${rule}.when.${index}.${kind}`;
      const [value, zone] = [isTyped(kind) ? '' : typed.trim(), zoneTyped.trim()];
      const found: readonly (readonly [path: string, words: string])[] = [
        [`${at}.from`, from === INCOMPLETE ? words.incomplete : ''],
        [`${at}.until`, until === INCOMPLETE ? words.incomplete : ''],
        [`${at}.in`, value && words.notChosen(value)],
        [`${at}.timeZone`, zone && words.notChosen(zone)],
      ];
      return found.filter(([, told]) => told !== '');
    }),
  ]);
  return Object.fromEntries(wrong);
}
