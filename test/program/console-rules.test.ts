import { describe, expect, test } from 'vitest';
import {
  changedInput,
  emptyFields,
  hasChanges,
  type LinkFields,
} from '../../console/src/data/link-fields.ts';
import { linkErrors, unsendable } from '../../console/src/data/refusals.ts';
import {
  newCondition,
  newRule,
  newTarget,
  placeOfNew,
  shareOf,
  withOneMore,
  withoutTarget,
  withWeight,
} from '../../console/src/data/rule-edits.ts';
import {
  type ConditionField,
  type RuleField,
  type RuleTargetField,
  ruleInput,
  toRuleField,
  toTestField,
} from '../../console/src/data/rule-fields.ts';
import { describeVisitors, summarizeRule } from '../../console/src/data/rule-words.ts';
import { rulesOfTargets } from '../../console/src/data/rules-of-targets.ts';
import { fieldsWith, typedFields } from '../../console/src/data/typed.ts';
import { typedDay } from '../../console/src/data/typed-day.ts';
import { atMoment, onDay } from '../../console/src/words/format.ts';

const weights = (targets: readonly RuleTargetField[]) => targets.map(({ weight }) => weight);
const ruleWith = (condition: Partial<ConditionField>): RuleField => ({
  ...newRule(),
  when: [{ ...newCondition('country', ''), ...condition }],
});
const send = (rule: RuleField, stored: readonly RuleField[] = []) => ruleInput(rule, stored, (url) => url);
const sent = (rule: RuleField) => send(rule).when[0];
const stored = {
  id: '7',
  name: 'A',
  when: [],
  to: [{ id: '8', name: 'B', url: 'https://example.com/', weight: 3 }],
};
const read: LinkFields = { ...emptyFields, url: 'https://example.com/', rules: [toRuleField(stored)] };

describe('the shares of a split', () => {
  test('begin equal, and add up to a hundred', () => {
    const two = withOneMore([newTarget()]);
    const three = withOneMore(two);
    expect([weights(two), weights(three)]).toEqual([
      ['50', '50'],
      ['34', '33', '33'],
    ]);
  });

  test('stay a hundred while one of two is typed, digit by digit, and as they are otherwise', () => {
    let targets = withOneMore([newTarget()]);
    for (const text of ['', '7', '70']) targets = withWeight(targets, 0, text);
    expect(weights(targets)).toEqual(['70', '30']);
    expect(targets.map((one) => shareOf(targets, one))).toEqual([0.7, 0.3]);
    expect(weights(withWeight([newTarget('7'), newTarget('3')], 0, '8'))).toEqual(['8', '3']);
    expect(weights(withWeight(targets, 0, '7x'))).toEqual(['7x', '30']);
    expect(weights(withOneMore(targets))).toEqual(['70', '30', '50']);
    expect(weights(withoutTarget([newTarget('0'), newTarget('9')], 1))).toEqual(['1']);
  });
});

describe('a rule of the form', () => {
  test('has its ids when it is sent back, and null for what it has none of', () => {
    const rule = toRuleField(stored);
    expect(send(rule, [rule])).toEqual(stored);
    expect(send(newRule(), [rule])).toEqual({
      ...{ id: null, name: null, when: [] },
      to: [{ id: null, name: null, url: '', weight: 1 }],
    });
  });

  test('has no ids that somebody else removed', () => {
    const rule = toRuleField(stored);
    const without = { ...stored, id: null, to: stored.to.map((one) => ({ ...one, id: null })) };
    expect(send(rule)).toEqual(without);
    expect(send(rule, [{ ...rule, to: [] }])).toEqual({ ...without, id: '7' });
  });

  test.each([
    [{ kind: 'referrer', typed: ' example.com ' }, { referrer: { in: ['example.com'] } }],
    [{ kind: 'query', name: 'q', is: 'absent', values: ['x'] }, { query: { name: 'q', exists: false } }],
    [{ kind: 'query', name: 'q', values: ['x'], typed: 'y' }, { query: { name: 'q', in: ['x', 'y'] } }],
    [{ kind: 'device', is: 'notIn', values: ['TABLET'] }, { device: { notIn: ['TABLET'] } }],
    [
      { kind: 'time', until: '2026-12-01T00:00:30.000Z' },
      { time: { from: null, until: '2026-12-01T00:00:30.000Z' } },
    ],
  ] as const)('sends %j', (condition, input) => {
    expect(sent(ruleWith(condition))).toEqual(input);
  });

  test('is refused with a condition that this version does not know, and never widened', () => {
    const later = toRuleField({ ...stored, when: [{ weather: { in: ['RAIN'] } }] });
    expect(sent(later)).toEqual({ hours: { days: null, from: null, to: null, timeZone: '' } });
  });

  test('is not sent with half a time, or with a text that is not chosen', () => {
    const rules = [ruleWith({ typed: 'Nowhere' }), ruleWith({ kind: 'time', until: 'incomplete' })];
    expect(Object.keys(unsendable({ ...read, rules }, read))).toEqual([
      'rules.0.when.0.country.in',
      'rules.1.when.0.time.until',
    ]);
  });

  test('is a change only if something is', () => {
    expect([hasChanges(read, read), changedInput(read, read)]).toEqual([false, {}]);
    const [rule = newRule()] = read.rules;
    const renamed = { ...read, rules: [{ ...rule, name: 'C' }] };
    expect(changedInput(renamed, read)).toEqual({ rules: [{ ...stored, name: 'C' }] });
    // A text that is not chosen yet would be lost.
    const typing = {
      ...read,
      rules: [{ ...rule, when: [{ ...newCondition('country', ''), typed: 'Ger' }] }],
    };
    expect(hasChanges(typing, read)).toBe(true);
  });

  test('is not sent while a condition is typed and not chosen', () => {
    const rules = [{ ...newRule(), adding: 'Germ' }];
    expect(unsendable({ ...read, rules }, read)['rules.0.when']).toMatch(/^“Germ” is not chosen\./);
    expect(hasChanges({ ...read, rules: read.rules.map((one) => ({ ...one, adding: 'x' })) }, read)).toBe(
      true,
    );
    expect(
      hasChanges({ ...read, rules: read.rules.map((one) => ({ ...one, adding: undefined })) }, read),
    ).toBe(false);
  });

  test('is summed up in a line', () => {
    const at = (year: number, month: number, day: number, hour = 0) =>
      new Date(year, month - 1, day, hour).toISOString();
    const when = [
      { ...newCondition('time', ''), until: at(2026, 12, 1) },
      { ...newCondition('country', ''), values: ['DE', 'AT'] },
      { ...newCondition('platform', ''), values: ['IOS'] },
    ];
    const to = [{ ...newTarget(), id: '3', name: 'Target 3', url: 'https://example.com/third' }];
    expect(summarizeRule({ when, to })).toBe(
      `iOS in Germany, Austria, before ${onDay(at(2026, 12, 1))} → example.com/third`,
    );
    const split = [
      { ...newTarget('70'), name: 'A', url: 'https://example.com/a' },
      { ...newTarget('30'), url: 'https://example.com/b' },
    ];
    expect(summarizeRule({ when: [], to: split })).toBe('Everybody → A\u00a070%, example.com/b\u00a030%');
    // A name by its id says nothing, and a long address loses its middle.
    const url = `https://example.com/${'long/'.repeat(20)}the-end`;
    const unnamed = toRuleField({ ...stored, to: [{ id: '8', name: 'Target 8', url, weight: 3 }] });
    expect([unnamed.to[0]?.name, summarizeRule(unnamed)]).toEqual([
      '',
      'Everybody → example.com/long/long/lon…g/long/the-end',
    ]);
    expect(send(unnamed, [unnamed]).to).toMatchObject([{ id: '8', name: null }]);
    const others = [
      { ...newCondition('country', ''), is: 'notIn', values: ['JP'] } as const,
      { ...newCondition('time', ''), from: at(2026, 12, 1, 9) },
    ];
    expect(summarizeRule({ when: others, to })).toBe(
      `Country: not Japan, from ${atMoment(at(2026, 12, 1, 9))} → example.com/third`,
    );
  });

  test('names a language alone, as it names a country', () => {
    const when = [{ ...newCondition('language', ''), values: ['fr'] }];
    expect(describeVisitors(when)).toBe('French');
  });

  test('comes before one for everybody', () => {
    const to = [{ ...newTarget(), url: 'https://example.com/' }];
    const [some, all] = [ruleWith({ values: ['DE'] }), { ...newRule(), to }];
    expect([[], [some], [some, all], [newRule()]].map(placeOfNew)).toEqual([0, 1, 1, 1]);
  });

  test.each([
    ['before 1 Dec 2031', 2031, 12, 1],
    ['until december 24, 2031', 2031, 12, 24],
    ['2031-02-28', 2031, 2, 28],
    ['1.12.2031', 2031, 12, 1],
    ['30 Feb 2031', null],
    ['Germany', null],
    ['iPhones in Germany before 1 December 2031', null],
    ['Germany, iPhone, before 1 Dec 2031', null],
    ['1 December', new Date().getFullYear(), 12, 1],
  ] satisfies [string, number | null, number?, number?][])(
    'finds the day in “%s”',
    (text, year, month = 1, day = 1) => {
      const found = typedDay(text);
      if (year === null) return expect(found).toBe(null);
      const isPast = !/\d{4}/.test(text) && new Date(year, month - 1, day) < new Date();
      return expect(found?.at).toBe(new Date(isPast ? year + 1 : year, month - 1, day).toISOString());
    },
  );

  test('has refusals where its fields are', () => {
    const at = (path: string) => ({ path: path.split('.'), messages: ['must be right'] });
    const fields = ['rules.0.when.0.hours.to', 'rules.0.to.1.url', 'ruleTests.2', 'rules'].map(at);
    const { errors, besides } = linkErrors({ fields }, emptyFields);
    expect(besides).toBe(null);
    expect(errors).toEqual({
      'rules.0.when.0.hours.to': 'The time must be right.',
      'rules.0.to.1.url': 'The URL must be right.',
      'ruleTests.2': 'This test must be right.',
      rules: 'The list of rules must be right.',
    });
  });
});

describe('a draft of rules', () => {
  const test0 = toTestField({
    visitor: { country: 'DE', at: '2026-01-01T00:00:00.000Z' },
    expect: { rule: 'A' },
  });
  const mine: LinkFields = { ...read, rules: [...read.rules, newRule()], ruleTests: [test0] };

  test('is restored on the link as it was, and notices rules that others changed', () => {
    const typed = typedFields(mine, read);
    expect(fieldsWith(typed, read)).toEqual({ fields: mine, read });
    const theirs: LinkFields = { ...read, rules: [] };
    const restored = fieldsWith(typed, theirs);
    expect(restored?.fields.rules).toEqual(mine.rules);
    // What it was before is not known, but it is neither version.
    expect(restored?.read.rules).not.toEqual(theirs.rules);
    expect(restored?.read.ruleTests).toEqual([]);
  });
});

describe('targets of a link as rules', () => {
  const targets = { ...emptyFields.targets, COUNTRY: [{ key: 'DE', url: 'https://example.com/de' }] };
  const fields: LinkFields = { ...emptyFields, targetType: 'COUNTRY', targets };

  test('come behind its rules, with a name that none of them has', () => {
    const rules = [{ ...newRule(), name: 'Germany' }];
    expect(rulesOfTargets({ ...fields, rules })?.map(({ name }) => name)).toEqual(['Germany', '']);
  });

  test.each([
    ['a rotation', { targetType: 'ROTATION' }],
    ['no targets', { targetType: 'NONE' }],
    ['half a target', { targets: { ...targets, COUNTRY: [{ key: 'DE', url: '' }] } }],
    ['too many rules', { rules: Array.from({ length: 20 }, newRule) }],
    [
      'languages beside rules about languages',
      {
        targetType: 'LANGUAGE',
        targets: { ...targets, LANGUAGE: [{ key: 'de', url: 'https://example.com/de' }] },
        rules: [ruleWith({ kind: 'language' })],
      },
    ],
  ] satisfies [string, Partial<LinkFields>][])('are not offered for %s', (_, patch) => {
    expect(rulesOfTargets({ ...fields, ...patch })).toBe(null);
  });

  test('keep their parameters, whatever the link has', () => {
    const before: LinkFields = { ...fields, url: 'https://example.com/?utm_source=mail' };
    const after: LinkFields = { ...before, targetType: 'NONE', rules: rulesOfTargets(before) ?? [] };
    expect(changedInput(after, before).rules).toMatchObject([{ to: [{ url: 'https://example.com/de' }] }]);
  });
});
