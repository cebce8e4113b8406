import type { AskedWarning } from '../../../data/asked-rules.ts';
import type { LinkFields } from '../../../data/link-fields.ts';
import { ruleTexts } from '../../../rule-texts.ts';

/** The warnings of rules in words, by their keys. */
export function warningsOfRules(
  warnings: readonly AskedWarning[],
  { rules }: LinkFields,
): ReadonlyMap<string, string> {
  const t = ruleTexts;
  return new Map(
    warnings.flatMap(({ kind, rule, by }) => {
      if (kind === 'TEST_FAILS' || rule === undefined) return [];
      const number = rules.findIndex(({ key }) => key === by);
      const name = rules[number]?.name;
      return [[rule, t.warnings[kind](name === undefined ? null : t.named(name, number + 1))]];
    }),
  );
}
