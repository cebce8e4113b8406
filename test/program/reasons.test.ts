import { isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { createLinkInput } from '../../src/domain/link/fields.ts';
import { type Reason, reasons } from '../../src/domain/reasons.ts';
import { because, reasonsOfRules, refusal, rules } from '../../src/domain/rules.ts';
import { type Refusal, refusalIn } from '../../src/engine/rules/refusal.ts';
import { schema } from '../../src/schema/index.ts';

const namesIn = (words: string) => [...words.matchAll(/{(\w+)}/g)].map(([, name = '']) => name);

test('every type that tells a rule tells a reason, and marks the rule as deprecated', () => {
  const telling = Object.values(schema.getTypeMap()).filter(
    (type) =>
      (isObjectType(type) || isInterfaceType(type)) && String(type.getFields().rule?.type) === 'Rule!',
  );
  expect(telling.length).toBeGreaterThan(4);
  for (const type of telling) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const { rule, values, reason, reasonValues } = type.getFields();
    expect(String(reason?.type), type.name).toBe('Reason!');
    expect(String(reasonValues?.type), type.name).toBe('[ReasonValue!]!');
    expect(rule?.deprecationReason, type.name).toContain('`reason`');
    expect(values?.deprecationReason, type.name).toContain('`reasonValues`');
  }
});

test('the values of reasons are ids, numbers, times, hosts and codes', () => {
  const names = Object.values(reasons).flatMap(namesIn);
  expect([...new Set(names)].sort()).toEqual([
    ...['at', 'character', 'days', 'example', 'expected', 'host', 'line', 'max', 'min', 'name', 'needed'],
    ...['other', 'role', 'scope', 'tags', 'to', 'words', 'years'],
  ]);
});

test('every reason belongs to a rule, or is given by `because`', () => {
  const ofRules = new Set<Reason>(Object.values(reasonsOfRules));
  const others = Object.keys(reasons).filter((reason) => !ofRules.has(reason as Reason));
  expect(others.sort()).toEqual([
    ...[
      'ANSWER_TOO_LARGE_FOR_KEY',
      'BODY_HAS_TOO_MANY_VALUES',
      'BODY_NOT_AN_OBJECT',
      'BODY_TOO_LARGE_OR_LATE',
    ],
    ...[
      'NOT_SENT_AS_JSON',
      'ROLE_MISSING',
      'SCOPE_MISSING',
      'TEXT_TOO_LARGE',
      'TOO_MANY_PARTS',
      'TOO_MANY_PASSKEYS',
    ],
    ...['TOO_MANY_PASSWORDS', 'UNKNOWN_DOMAIN', 'UNKNOWN_HOST', 'UNKNOWN_SPACE', 'UNKNOWN_UTM_TEMPLATE'],
    ...['UNREADABLE_RECORD', 'UNSTORABLE_CHARACTER', 'WRITE_TOO_LONG_FOR_KEY'],
  ]);
});

const words = 'some words in English';
/** Values of all names in rules: words for those that may have them. */
const given = Object.fromEntries(
  Object.values(rules)
    .flatMap(namesIn)
    .map((name) => [
      name,
      ['allowed', 'choices', 'found', 'ids', 'known', 'provider', 'reason', 'value', 'what'].includes(name)
        ? words
        : name,
    ]),
);

test.each(Object.keys(rules) as (keyof typeof rules)[])(
  'the reason of %s has its values, without words',
  (rule) => {
    const { reason, reasonValues, values } = refusalIn(
      refusal(rule as 'PAST', ...([given] as unknown as [])),
    );
    expect(Object.keys(reasons)).toContain(reason);
    const told = Object.entries(reasons).find(([name]) => name === reason)?.[1] ?? '';
    expect(namesIn(told).filter((name) => !reasonValues.some((one) => one.name === name))).toEqual([]);
    expect(reasonValues.map(({ value }) => value)).not.toContain(words);
    expect(values).toEqual(expect.arrayContaining([...reasonValues]));
  },
);

test.each<[Refusal | string, string, string, [string, string][]]>([
  [refusal('PAST'), 'PAST', 'NOT_IN_FUTURE', []],
  [refusal('DOMAINS', { max: 5 }), 'DOMAINS', 'TOO_MANY_DOMAINS', [['max', '5']]],
  [refusal('WEBHOOKS', { max: 5 }), 'WEBHOOKS', 'TOO_MANY_WEBHOOKS', [['max', '5']]],
  [refusal('UTM_TEMPLATES', { max: 5 }), 'UTM_TEMPLATES', 'TOO_MANY_UTM_TEMPLATES', [['max', '5']]],
  [refusal('PIXELS'), 'PIXELS', 'UNKNOWN_PIXEL', []],
  [refusal('TAGS'), 'TAGS', 'UNKNOWN_TAG', []],
  [refusal('CHOICE', { choices: 'one, two' }), 'CHOICE', 'NOT_A_CHOICE', []],
  [
    because(words, 'UNKNOWN_PIXEL', { id: [1, 2, 3, 4] }),
    'INVALID',
    'UNKNOWN_PIXEL',
    [1, 2, 3].map((id) => ['id', `${id}`]),
  ],
  [words, 'INVALID', 'INVALID', []],
])('%# is the rule %s with the reason %s', (told, rule, reason, values) => {
  const why = refusalIn(told);
  expect(why).toMatchObject({ rule, reason });
  expect(why.reasonValues.map(({ name, value }) => [name, value])).toEqual(values);
});

test('schemas tell the words alone, and carry the refusal beside them', () => {
  const { error } = createLinkInput.safeParse({
    url: 'https://example.com/',
    alias: 'ü?',
    expiration: { at: 'tomorrow' },
    targeting: { countries: [{ country: '??', url: 'https://example.com/' }] },
  });
  const told = (error?.issues ?? []).map((issue) => [issue.message, refusalIn(issue).reason]);
  expect(told).toEqual([
    [rules.ALIAS_CHARACTERS, 'ALIAS_HAS_WRONG_CHARACTERS'],
    [rules.TIME, 'NOT_A_TIME'],
    [rules.COUNTRY, 'NOT_A_COUNTRY'],
  ]);
});
