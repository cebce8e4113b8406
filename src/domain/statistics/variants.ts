import type { RulesOfLink } from '../../db/statistics/reader.ts';
import { OTHER } from '../../db/statistics/value.ts';
import { readStoredRules } from '../rule/parse.ts';

/** A target of a rule of a link, by their ids. */
export interface StatisticsVariant {
  readonly linkId: number;
  readonly ruleId: number;
  readonly targetId: number;
  /** The three ids, as the value of VARIANT has them. */
  readonly value: string;
}

/** The ids in a value of VARIANT; null for the value of all others. */
export function variantIn(value: string | null): StatisticsVariant | null {
  const [text, link, rule, target] = /^(\d+)\.(\d+)\.(\d+)$/.exec(value ?? '') ?? [];
  if (text === undefined) return null;
  return { value: text, linkId: Number(link), ruleId: Number(rule), targetId: Number(target) };
}

/** The names of targets: those that they have now, and for targets that are gone, names by their ids. */
export function variantNames(
  links: readonly RulesOfLink[],
  ofOneLink: boolean,
): (value: string | null) => string | null {
  const known = new Map(links.map(({ id, alias, rules }) => [id, { alias, ...readStoredRules(rules) }]));
  return (value) => {
    const variant = variantIn(value);
    if (variant === null) return value === OTHER ? OTHER : null;
    const { linkId, ruleId, targetId } = variant;
    const link = known.get(linkId);
    const rule = link?.rules.find(({ id }) => id === ruleId);
    const target = rule?.to.find(({ id }) => id === targetId);
    const names = `${rule?.name ?? `Rule ${ruleId}`} / ${target?.name ?? `Target ${targetId}`}`;
    return ofOneLink ? names : `${link?.alias ?? linkId}: ${names}`;
  };
}
