import type { LinkFragment, LinkRuleInput, RuleTestInput } from '@linkspace/client';
import { given } from '../given.ts';

/** The properties of visitors whose case does not count. */
const folded = ['country', 'language', 'browser', 'referrer', 'timeZone'];

/** A value whose parts have one order and one form: the order of values does not count. */
function plain(value: unknown, folds = false): unknown {
  if (Array.isArray(value)) {
    const items = value.map((one) => plain(one, folds));
    return items.every((one) => typeof one === 'string') ? [...new Set(items)].sort() : items;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(
      entries.map(([name, one]) => [name, plain(one, folds || folded.includes(name))]),
    );
  }
  if (typeof value !== 'string') return value;
  const isTime = /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
  if (isTime) return new Date(value).toISOString();
  return folds ? value.trim().toLowerCase() : value;
}

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(plain(one)) === JSON.stringify(plain(other));

type StoredRule = LinkFragment['rules'][number];

function isSameRule({ name, when, to }: LinkRuleInput, stored: StoredRule): boolean {
  return (
    stored.name === (name?.trim() ?? `Rule ${stored.id}`) &&
    isEqual(when, given(stored.when)) &&
    to.length === stored.to.length &&
    to.every((target, index) => {
      const other = stored.to[index];
      if (other === undefined || target.url.trim() !== other.url) return false;
      const sameName = other.name === (target.name?.trim() ?? `Target ${other.id}`);
      return sameName && (target.weight ?? 1) === other.weight;
    })
  );
}

/** True if a link has these rules, whatever their ids. */
export function hasRules(wanted: readonly LinkRuleInput[], stored: readonly StoredRule[]): boolean {
  return (
    wanted.length === stored.length &&
    wanted.every((rule, index) => stored[index] !== undefined && isSameRule(rule, stored[index]))
  );
}

/** True if a link has these tests. A test without a time has that of saving. */
export function hasTests(wanted: readonly RuleTestInput[], stored: LinkFragment['ruleTests']): boolean {
  return (
    wanted.length === stored.length &&
    wanted.every(({ visitor, expect }, index) => {
      const other = stored[index];
      if (other === undefined) return false;
      return (
        isEqual({ at: other.visitor.at, ...visitor }, given(other.visitor)) &&
        isEqual(expect, given(other.expect))
      );
    })
  );
}
