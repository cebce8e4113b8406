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

/** The rule that leads a visit, and its target; null for the target if all lead to the link itself. */
export interface Lead {
  readonly rule: ParsedRule;
  readonly target: ParsedTarget | null;
  readonly isSplit: boolean;
}

/** The targets of a rule that do not lead to the link itself and get visitors, and the visitor's one among them. */
interface Targeted {
  readonly open: readonly ParsedTarget[];
  readonly target: ParsedTarget | null;
  /** Why it is the visitor's one, for several. */
  readonly by: 'BOT' | 'SHARE' | 'FIRST';
}

function targetOf(
  rule: ParsedRule,
  visitor: Visitor,
  isLoop: (address: string) => boolean,
  choose: Choose | undefined,
): Targeted {
  const open = rule.to.filter(({ url, weight }) => weight > 0 && !isLoop(url));
  const [first = null] = open;
  if (open.length < 2) return { open, target: first, by: 'FIRST' };
  if (isBot(visitor)) return { open, target: first, by: 'BOT' };
  const chosen = choose?.(rule, open);
  return chosen ? { open, target: chosen, by: 'SHARE' } : { open, target: first, by: 'FIRST' };
}

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

/** The reason for a target, and the shares of a split. */
function describeTarget({ open, target, by }: Targeted): { why: string; shares: TargetShare[] } {
  if (target === null) return { why: 'All its targets lead to the link itself.', shares: [] };
  if (open.length === 1) return { why: `Its target is "${target.name}".`, shares: [] };
  const shares = sharesOf(open).map((share, index) => {
    const { id: targetId = 0, name = '' } = open[index] ?? {};
    return { targetId, name, share };
  });
  const told = shares.map(({ name, share }) => `"${name}" ${percent(share)}`).join(', ');
  const why = {
    BOT: `A bot gets the first target of ${told}.`,
    SHARE: `Its targets divide the visitors: ${told}.`,
    FIRST: `Its targets divide the visitors: ${told}; shown is the first.`,
  }[by];
  return { why, shares };
}

/** The words for a condition. */
function nameOf(condition: Condition): string {
  return condition.kind === 'query' ? `query "${condition.name}"` : condition.kind;
}

function unmetStep({ id: ruleId, name, when }: ParsedRule, unmet: Condition): RuleStep {
  const condition = when.indexOf(unmet);
  const why = `The rule "${name}" does not match: its condition ${condition + 1} (${nameOf(unmet)}) is not met.`;
  return { ruleId, name, condition, applied: false, why, shares: [] };
}

function leadingStep({ id: ruleId, name }: ParsedRule, targeted: Targeted): RuleStep {
  const { why, shares } = describeTarget(targeted);
  return {
    ruleId,
    name,
    condition: null,
    applied: true,
    why: `The rule "${name}" leads. ${why}`,
    shares,
  };
}

/**
 * Finds the rule that leads a visit, and its target; undefined if no rule does. Rules behind it are not reached.
 * @param steps collects the effect of each rule that is reached; without it, nothing is described
 */
export function leadByRules(
  { rules, languages }: ParsedRules,
  visitor: Visitor,
  at: Date,
  isLoop: (address: string) => boolean,
  choose: Choose | undefined,
  steps?: RuleStep[],
): Lead | undefined {
  const facts = new VisitFacts(visitor, languages, at.getTime());
  for (const rule of rules) {
    const unmet = firstUnmet(rule, facts);
    if (unmet !== undefined) {
      steps?.push(unmetStep(rule, unmet));
      continue;
    }
    const targeted = targetOf(rule, visitor, isLoop, choose);
    steps?.push(leadingStep(rule, targeted));
    return { rule, target: targeted.target, isSplit: targeted.open.length > 1 };
  }
  return undefined;
}
