import { filledTargets, type LinkFields } from './link-fields.ts';
import { MAX_RULES, newCondition, newRule } from './rule-edits.ts';
import type { RuleField } from './rule-fields.ts';
import { targetChoice } from './target-choices.ts';

const kinds = { COUNTRY: 'country', PLATFORM: 'platform', LANGUAGE: 'language' } as const;

/**
 * The rules that lead as the targets of a link do, behind its own rules; those with one URL are one rule. Null where none do: for a
 * rotation, for targets that are not complete, for too many of them, and for languages beside other rules about languages, since
 * the best of all languages decides.
 */
export function rulesOfTargets({ targetType, targets, rules }: LinkFields): RuleField[] | null {
  if (targetType === 'NONE' || targetType === 'ROTATION') return null;
  const kind = kinds[targetType];
  const filled = filledTargets(targets[targetType]);
  const isComplete = filled.every(({ key, url, typed }) => key !== '' && url !== '' && typed === '');
  const hasLanguages = rules.some(({ when }) => when.some((one) => one.kind === 'language'));
  if (filled.length === 0 || !isComplete || (kind === 'language' && hasLanguages)) return null;
  const made = [...new Set(filled.map(({ url }) => url))].map((url): RuleField => {
    const same = filled.filter((one) => one.url === url);
    const rule = newRule();
    const names = same.map(({ key }) => targetChoice(targetType, key)?.name ?? key);
    const values = same.map(({ key }) => key);
    return {
      ...rule,
      name: nameOf(names),
      when: [{ ...newCondition(kind, ''), values }],
      to: rule.to.map((target) => ({ ...target, url })),
    };
  });
  const taken = new Set(rules.map(({ name }) => name));
  const all = [...rules, ...made.map((rule) => (taken.has(rule.name) ? { ...rule, name: '' } : rule))];
  return all.length > MAX_RULES ? null : all;
}

/** The longest name of a rule. */
const MAX_NAME = 60;

/** Names in a line, as many as fit. */
function nameOf(names: readonly string[]): string {
  const all = names.join(', ');
  return all.length <= MAX_NAME ? all : `${all.slice(0, MAX_NAME - 1)}…`;
}
