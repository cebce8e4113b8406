import type { GraphQLResolveInfo } from 'graphql';
import {
  MAX_CONDITION_VALUES,
  MAX_CONDITIONS,
  MAX_RULE_TARGETS,
  MAX_RULE_TESTS,
  MAX_RULES,
} from '../../domain/rule/limits.ts';
import {
  type Choice,
  devices,
  type StoredCondition,
  type StoredExpectation,
  type StoredHours,
  type StoredQuery,
  type StoredRule,
  type StoredTarget,
  type StoredTest,
  type StoredTime,
  type StoredVisitor,
  weekdays,
} from '../../domain/rule/stored.ts';
import { type RuleWarning, ruleWarningKinds } from '../../domain/rule/warnings.ts';
import { costs } from '../../engine/graphql/cost/costs.ts';
import { builder } from '../builder.ts';
import { enumType } from '../domain-types.ts';
import { Platform } from './targeting.ts';

// The rules of a link and their tests, as they are stored. `spendOnTargets` limits what an answer has of them; most links have few.

const Device = enumType('Device', 'A kind of device.', devices);
const Weekday = enumType('Weekday', 'A day of the week.', weekdays);

const light = costs({ weight: 1 });
const few = costs({ size: 1, weight: 1 });
const some = costs({ size: 2, weight: 1 });
const IN = `The values that match, at most ${MAX_CONDITION_VALUES}.`;
const NOT_IN = `The values that do not match, at most ${MAX_CONDITION_VALUES}.`;
const choice = 'Values that match, or values that do not: one of the lists is null.';

const Codes = builder.objectRef<Choice>('Codes').implement({
  description: choice,
  fields: (t) => ({
    in: t.stringList({ nullable: true, description: IN, extensions: few, resolve: (one) => one.in ?? null }),
    notIn: t.stringList({
      ...{ nullable: true, description: NOT_IN, extensions: few },
      resolve: (one) => one.notIn ?? null,
    }),
  }),
});
const Platforms = builder.objectRef<NonNullable<StoredCondition['platform']>>('Platforms').implement({
  description: choice,
  fields: (t) => ({
    in: t.field({
      ...{ type: [Platform], nullable: true, description: IN, extensions: few },
      resolve: (one) => one.in ?? null,
    }),
    notIn: t.field({
      ...{ type: [Platform], nullable: true, description: NOT_IN, extensions: few },
      resolve: (one) => one.notIn ?? null,
    }),
  }),
});
const Devices = builder.objectRef<NonNullable<StoredCondition['device']>>('Devices').implement({
  description: choice,
  fields: (t) => ({
    in: t.field({
      ...{ type: [Device], nullable: true, description: IN, extensions: few },
      resolve: (one) => one.in ?? null,
    }),
    notIn: t.field({
      ...{ type: [Device], nullable: true, description: NOT_IN, extensions: few },
      resolve: (one) => one.notIn ?? null,
    }),
  }),
});
const QueryCondition = builder.objectRef<StoredQuery>('QueryCondition').implement({
  description: "A parameter of the visit's query. One of `in`, `notIn` and `exists` is not null.",
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the parameter.', extensions: light }),
    in: t.stringList({ nullable: true, description: IN, extensions: few, resolve: (one) => one.in ?? null }),
    notIn: t.stringList({
      ...{ nullable: true, description: NOT_IN, extensions: few },
      resolve: (one) => one.notIn ?? null,
    }),
    exists: t.exposeBoolean('exists', {
      ...{ nullable: true, description: 'Whether the visit has the parameter.', extensions: light },
    }),
  }),
});
const TimeCondition = builder.objectRef<StoredTime>('TimeCondition').implement({
  description: 'A period: from the first moment until before the other.',
  fields: (t) => ({
    from: t.expose('from', {
      ...{ type: 'DateTime', nullable: true, description: 'The first moment.', extensions: light },
    }),
    until: t.expose('until', {
      ...{ type: 'DateTime', nullable: true, description: 'The moment before which it matches.' },
      extensions: light,
    }),
  }),
});
const HoursCondition = builder.objectRef<StoredHours>('HoursCondition').implement({
  description: 'Hours by the clock of a time zone.',
  fields: (t) => ({
    days: t.field({
      ...{ type: [Weekday], nullable: true, extensions: few },
      description: 'The days on which the hours start; null for every day.',
      resolve: ({ days = null }) => days,
    }),
    from: t.exposeString('from', {
      ...{ nullable: true, description: 'When they start, as `HH:MM`; null for 00:00.', extensions: light },
    }),
    to: t.exposeString('to', {
      ...{ nullable: true, extensions: light },
      description: 'When they end, as `HH:MM`; null for midnight. A time up to `from` is on the next day.',
    }),
    timeZone: t.exposeString('timeZone', { description: 'The time zone.', extensions: light }),
  }),
});

const nullable = { nullable: true, extensions: light } as const;
const RuleCondition = builder.objectRef<StoredCondition>('RuleCondition').implement({
  description: 'A condition of a rule: exactly one field is not null.',
  fields: (t) => ({
    country: t.expose('country', { ...nullable, type: Codes, description: 'The country.' }),
    language: t.expose('language', {
      ...{ ...nullable, type: Codes },
      description: 'The language that suits the visitor best, of all that the rules of the link name.',
    }),
    platform: t.expose('platform', { ...nullable, type: Platforms, description: 'The operating system.' }),
    device: t.expose('device', { ...nullable, type: Devices, description: 'The kind of device.' }),
    browser: t.expose('browser', { ...nullable, type: Codes, description: 'The browser.' }),
    query: t.expose('query', {
      ...{ ...nullable, type: QueryCondition },
      description: "A parameter of the visit's query.",
    }),
    referrer: t.expose('referrer', {
      ...{ ...nullable, type: Codes },
      description: 'The host that the visitor comes from, or one above it.',
    }),
    time: t.expose('time', { ...nullable, type: TimeCondition, description: 'A period.' }),
    hours: t.expose('hours', {
      ...{ ...nullable, type: HoursCondition },
      description: 'Hours of the day and days of the week.',
    }),
  }),
});

const RuleTarget = builder.objectRef<StoredTarget>('RuleTarget').implement({
  description: 'A destination of a rule.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id, unique in the link.', extensions: light }),
    name: t.exposeString('name', { description: 'The name, unique in the rule.', extensions: light }),
    url: t.expose('url', { type: 'URL', description: 'The destination.', extensions: light }),
    weight: t.exposeInt('weight', {
      description: 'The share of visitors in relation to the other targets.',
      extensions: light,
    }),
  }),
});

export const LinkRule = builder.objectRef<StoredRule>('LinkRule').implement({
  description: 'Where some of the visitors go.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id, unique in the link.', extensions: light }),
    name: t.exposeString('name', { description: 'The name, unique in the link.', extensions: light }),
    when: t.field({
      type: [RuleCondition],
      description: `The conditions, at most ${MAX_CONDITIONS}, which must all match; none for everybody.`,
      extensions: some,
      resolve: ({ when }) => when,
    }),
    to: t.field({
      type: [RuleTarget],
      description: `The targets, at most ${MAX_RULE_TARGETS}. Several divide the visitors by their weights.`,
      extensions: some,
      resolve: ({ to }) => to,
    }),
  }),
});

const given = <Type>(type: Type, description: string) =>
  ({ type, description, nullable: true, extensions: light }) as const;
const RuleTestVisitor = builder.objectRef<StoredVisitor>('RuleTestVisitor').implement({
  description: 'The visitor of a test. What is null is not known.',
  fields: (t) => ({
    country: t.expose('country', given('String', 'The country.')),
    language: t.expose('language', given('String', 'The languages, as in the header Accept-Language.')),
    platform: t.expose('platform', given(Platform, 'The operating system.')),
    device: t.expose('device', given(Device, 'The kind of device.')),
    browser: t.expose('browser', given('String', 'The browser.')),
    query: t.expose('query', given('String', 'The query of the visit.')),
    referrer: t.expose('referrer', given('String', 'The host or the URL that the visitor comes from.')),
    at: t.expose('at', { type: 'DateTime', description: 'The time of the visit.', extensions: light }),
    userAgent: t.expose('userAgent', given('String', 'The header User-Agent.')),
  }),
});
const RuleExpectation = builder.objectRef<StoredExpectation>('RuleExpectation').implement({
  description: 'What a test expects: exactly one field is not null.',
  fields: (t) => ({
    url: t.expose('url', given('URL', 'One of the destinations of the rule that leads.')),
    rule: t.expose('rule', given('String', 'The name of the rule that leads.')),
    noRule: t.expose('noRule', given('Boolean', 'True if no rule leads; false if any does.')),
  }),
});
export const RuleTest = builder.objectRef<StoredTest>('RuleTest').implement({
  description: "A test of a link's rules.",
  fields: (t) => ({
    visitor: t.expose('visitor', { type: RuleTestVisitor, description: 'The visitor.', extensions: light }),
    expect: t.expose('expect', {
      ...{ type: RuleExpectation, description: 'What the visitor gets.', extensions: light },
    }),
  }),
});

const RuleWarningKind = enumType('RuleWarningKind', 'What a rule is warned of.', ruleWarningKinds);
export const RuleWarningType = builder.objectRef<RuleWarning>('RuleWarning').implement({
  description: 'Something about the rules of a link that its owner should know.',
  fields: (t) => ({
    rule: t.id({
      ...{ nullable: true, description: 'The id of the rule; null if a test is meant.', extensions: light },
      resolve: ({ rule }) => rule,
    }),
    kind: t.expose('kind', { type: RuleWarningKind, description: 'The kind.', extensions: light }),
    message: t.exposeString('message', { description: 'The warning, for people.', extensions: light }),
    test: t.exposeInt('test', {
      ...{ nullable: true, description: 'The place of the test, from 0; null if a rule is meant.' },
      extensions: light,
    }),
    by: t.id({
      ...{ nullable: true, extensions: light },
      description: 'The id of the earlier rule that covers it; null if none does alone.',
      resolve: ({ by }) => by,
    }),
  }),
});

/** The cost of the warnings of a link's rules: their analysis may take as long as several QR codes. */
export const analysisCost = costs({
  ...{ size: MAX_RULES + MAX_RULE_TESTS, weight: 1, work: 1_500, isOfRecord: true },
});

/** True for the record of a root field, which is no list, and for that of a reverted change. */
export function isOfRootField({ path }: GraphQLResolveInfo): boolean {
  const record = path.prev;
  const root = record?.typename === 'RevertedChange' ? record.prev : record;
  return root !== undefined && root.prev === undefined;
}
