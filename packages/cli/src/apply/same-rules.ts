import {
  type LinkFragment,
  type LinkRuleInput,
  type RuleTestInput,
  ruleInput,
  ruleTestInput,
} from '@linkspace/client';
import { kept, keptUrl } from './kept.ts';

// Rules and tests of a file and those of a link, in one form: as the service keeps them, with lists of values in one order.

type Condition = LinkRuleInput['when'][number];
type Form = (text: string) => string;

/** A value whose case does not count. */
const folded: Form = (text) => kept(text).toLowerCase();

/** A host as the service compares it: in ASCII, without port. */
const plainHost: Form = (text) => {
  const url = URL.parse(`http://${kept(text)}`);
  return url === null ? folded(text) : url.hostname.replace(/\.$/, '');
};

const asTime: Form = (text) => (Number.isNaN(Date.parse(text)) ? kept(text) : new Date(text).toISOString());

/** The values, each once and in one order. */
const inOrder = (values: readonly string[] | undefined, form: Form = (text) => text) =>
  values && [...new Set(values.map(form))].sort();

interface Choice {
  readonly in?: readonly string[];
  readonly notIn?: readonly string[];
}

const plainChoice = (choice: Choice | undefined, form: Form) =>
  choice && { in: inOrder(choice.in, form), notIn: inOrder(choice.notIn, form) };

const plainText = (text: string | null | undefined, form: Form) => (text == null ? undefined : form(text));

function plainCondition(condition: Condition): object {
  const { country, language, platform, device, browser, query, referrer, time, hours } = condition;
  return {
    country: plainChoice(country, folded),
    language: plainChoice(language, folded),
    platform: plainChoice(platform, folded),
    device: plainChoice(device, folded),
    browser: plainChoice(browser, folded),
    referrer: plainChoice(referrer, plainHost),
    query: query && {
      ...{ name: query.name, exists: query.exists ?? undefined },
      ...{ in: inOrder(query.in ?? undefined), notIn: inOrder(query.notIn ?? undefined) },
    },
    time: time && { from: plainText(time.from, asTime), until: plainText(time.until, asTime) },
    hours: hours && {
      days: inOrder(hours.days ?? undefined),
      from: plainText(hours.from, kept),
      to: plainText(hours.to, kept),
      timeZone: folded(hours.timeZone),
    },
  };
}

function plainTest({ visitor, expect }: RuleTestInput): object {
  const { country, language, platform, device, browser, query, referrer, at, userAgent } = visitor;
  return {
    country: plainText(country, folded),
    language: plainText(language, kept),
    ...{ platform, device },
    browser: plainText(browser, folded),
    query: plainText(query, kept),
    referrer: plainText(referrer, kept),
    at: plainText(at, asTime),
    userAgent: plainText(userAgent, kept),
    url: plainText(expect.url, keptUrl),
    rule: plainText(expect.rule, kept),
    noRule: expect.noRule,
  };
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** True if both lists have the same length, and each item equals the one at its place. */
function areSame<One, Other>(
  some: readonly One[],
  others: readonly Other[],
  isSame: (one: One, other: Other) => boolean,
): boolean {
  if (some.length !== others.length) return false;
  return some.every((one, index) => others.slice(index, index + 1).every((other) => isSame(one, other)));
}

type StoredRule = LinkFragment['rules'][number];

function isSameRule(wanted: LinkRuleInput, stored: StoredRule): boolean {
  if (stored.name !== (plainText(wanted.name, kept) ?? `Rule ${stored.id}`)) return false;
  const { when } = ruleInput(stored);
  if (!isEqual(wanted.when.map(plainCondition), when.map(plainCondition))) return false;
  return areSame(wanted.to, stored.to, ({ name, url, weight }, { id, ...other }) =>
    isEqual(
      [plainText(name, kept) ?? `Target ${id}`, keptUrl(url), weight ?? 1],
      [other.name, other.url, other.weight],
    ),
  );
}

/** True if a link has these rules, whatever their ids. */
export function hasRules(wanted: readonly LinkRuleInput[], stored: readonly StoredRule[]): boolean {
  return areSame(wanted, stored, isSameRule);
}

/** True if a link has these tests. A test without a time has that of saving. */
export function hasTests(wanted: readonly RuleTestInput[], stored: LinkFragment['ruleTests']): boolean {
  return areSame(wanted, stored, (test, other) => {
    const visitor = { ...test.visitor, at: test.visitor.at ?? other.visitor.at };
    return isEqual(plainTest({ ...test, visitor }), plainTest(ruleTestInput(other)));
  });
}
