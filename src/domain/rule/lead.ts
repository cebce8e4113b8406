import { isBot } from '../visit/bot.ts';
import type { Visitor } from '../visit/visitor.ts';
import { VisitFacts } from './facts.ts';
import { firstUnmet } from './match.ts';
import type { Condition, ParsedRule, ParsedRules, ParsedTarget } from './parsed.ts';
import { sharesOf } from './split.ts';

/** A rule and one of its targets, by their ids: what a visit counts for. */
export interface Variant {
  readonly ruleId: number;
  readonly targetId: number;
}

/** A target of a rule, and the share of visitors that it gets, from 0 to 1. */
export interface TargetShare {
  readonly targetId: number;
  readonly name: string;
  readonly share: number;
}

/** The effect of a rule on a visit. */
export interface RuleStep {
  readonly ruleId: number;
  readonly name: string;
  /** The place of the first condition that the visit does not meet; null if it meets all. */
  readonly condition: number | null;
  readonly applied: boolean;
  readonly why: string;
  /** The shares of a split that leads; empty for a single target. */
  readonly shares: readonly TargetShare[];
}

/** Chooses one of a rule's targets for a visitor. */
export type Choose = (rule: ParsedRule, targets: readonly ParsedTarget[]) => ParsedTarget | undefined;

export interface Led {
  readonly steps: readonly RuleStep[];
  /** The rule that leads, and its target; null for the target if all lead to the link itself. Undefined if no rule leads. */
  readonly lead:
    | { readonly rule: ParsedRule; readonly target: ParsedTarget | null; readonly isSplit: boolean }
    | undefined;
}

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

/** The target that leads, and why. */
function leadTo(
  rule: ParsedRule,
  visitor: Visitor,
  isLoop: (address: string) => boolean,
  choose: Choose | undefined,
): { target: ParsedTarget | null; why: string; shares: TargetShare[] } {
  const open = rule.to.filter(({ url, weight }) => weight > 0 && !isLoop(url));
  const [first] = open;
  if (first === undefined)
    return { target: null, why: 'All its targets lead to the link itself.', shares: [] };
  if (open.length === 1) return { target: first, why: `Its target is "${first.name}".`, shares: [] };
  const shares = sharesOf(open).map((share, index) => {
    const { id: targetId = 0, name = '' } = open[index] ?? {};
    return { targetId, name, share };
  });
  const told = shares.map(({ name, share }) => `"${name}" ${percent(share)}`).join(', ');
  if (isBot(visitor)) return { target: first, why: `A bot gets the first target of ${told}.`, shares };
  const chosen = choose?.(rule, open);
  const why = chosen
    ? `Its targets divide the visitors: ${told}.`
    : `Its targets divide the visitors: ${told}; shown is the first.`;
  return { target: chosen ?? first, why, shares };
}

/** The words for a condition. */
function nameOf(condition: Condition): string {
  return condition.kind === 'query' ? `query "${condition.name}"` : condition.kind;
}

/** Finds the rule that leads a visit, and its target. Rules behind it are not reached. */
export function leadByRules(
  { rules, languages }: ParsedRules,
  visitor: Visitor,
  at: Date,
  isLoop: (address: string) => boolean,
  choose: Choose | undefined,
): Led {
  const facts = new VisitFacts(visitor, languages, at.getTime());
  const steps: RuleStep[] = [];
  for (const rule of rules) {
    const { id: ruleId, name, when } = rule;
    const unmet = firstUnmet(rule, facts);
    if (unmet === undefined) {
      const { target, why, shares } = leadTo(rule, visitor, isLoop, choose);
      steps.push({
        ruleId,
        name,
        condition: null,
        applied: true,
        why: `The rule "${name}" leads. ${why}`,
        shares,
      });
      return { steps, lead: { rule, target, isSplit: shares.length > 0 } };
    }
    const condition = when.indexOf(unmet);
    const why = `The rule "${name}" does not match: its condition ${condition + 1} (${nameOf(unmet)}) is not met.`;
    steps.push({ ruleId, name, condition, applied: false, why, shares: [] });
  }
  return { steps, lead: undefined };
}
