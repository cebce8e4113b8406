import type { LinkFields } from '../../../data/link-fields.ts';
import type { LinkWholeFragment } from '../../../generated/documents.ts';
import { ruleTexts } from '../../../rule-texts.ts';
import { knownWarnings } from './known-warnings.ts';

/** Warnings in words, by the ids of rules and the places of tests. */
interface Warnings {
  readonly byRule: ReadonlyMap<string, string>;
  readonly byTest: ReadonlyMap<number, string>;
}

/** The warnings of a link in words; null if nothing is known of the rules in the form. */
export function warningsOf(link: LinkWholeFragment, fields: LinkFields): Warnings | null {
  const known = knownWarnings(link, fields);
  if (known === null) return null;
  const byRule = new Map<string, string>();
  const byTest = new Map<number, string>();
  const t = ruleTexts;
  for (const { kind, rule, by, test } of known) {
    if (kind === 'TEST_FAILS') byTest.set(test ?? 0, t.testFails);
    else if (rule !== null) {
      const number = link.rules.findIndex(({ id }) => id === by);
      const name = link.rules[number]?.name;
      byRule.set(rule, t.warnings[kind](name === undefined ? null : t.named(name, number + 1)));
    }
  }
  return { byRule, byTest };
}
