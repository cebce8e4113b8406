import type { LinkFragment, LinkRuleInput, RuleTestInput } from './generated/documents.ts';

/** The value without what is null, and without the names of types, which caches add. */
function given(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(given);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, one]) => one !== null && name !== '__typename');
  return Object.fromEntries(entries.map(([name, one]) => [name, given(one)]));
}

/** A rule that was read, as inputs take it. With its ids, it stays the same rule. */
export function ruleInput(rule: LinkFragment['rules'][number]): LinkRuleInput {
  return given(rule) as LinkRuleInput; // Its fields are those of the input; of a condition, one is not null.
}

/** A test of rules that was read, as inputs take it. */
export function ruleTestInput(test: LinkFragment['ruleTests'][number]): RuleTestInput {
  return given(test) as RuleTestInput; // As above.
}
