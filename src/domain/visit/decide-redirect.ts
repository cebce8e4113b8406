import { isAscii } from '../../engine/rules/input.ts';
import { toAscii, withPath, withQuery } from '../../engine/rules/url.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';
import type { Link, LinkCounter } from '../../generated/sqlite/client.ts';
import { isItself } from '../link/alias.ts';
import { hasBegun, linkStatus } from '../link/status.ts';
import { parseTargets, parseTargetType } from '../link/targeting.ts';
import { type Choose, leadByRules, type RuleStep, type Variant } from '../rule/lead.ts';
import { NO_RULES } from '../rule/parse.ts';
import type { ParsedRule, ParsedRules } from '../rule/parsed.ts';
import { isBot } from './bot.ts';
import { isPreviewAgent } from './preview-agents.ts';
import { detectPlatform, matchLanguage, type Visitor } from './visitor.ts';

/** The result of a visit. */
export const redirectOutcomes = {
  NOT_FOUND: 'The link does not exist, or has not begun.',
  DISABLED: 'The link is disabled.',
  BLOCKED: 'The link leads to a host that the operator of the service has blocked.',
  EXPIRED: 'The link has expired.',
  PASSWORD: 'The visitor is asked for the password.',
  LOOP: 'The link leads to itself.',
  PREVIEW:
    'A program gets a page: one that shows previews that of the link, and another one a page that does not reveal the destination, since the link has a click limit and bots are not counted.',
  PIXELS: 'A page fires the pixels of the link and continues to the destination.',
  REDIRECT: 'The visitor is redirected to the destination.',
} as const;

export type RedirectOutcome = keyof typeof redirectOutcomes;

const untilRules = {
  EXISTS: 'Whether the link exists.',
  STARTS: 'Whether the link has not begun yet: then it does not exist for visitors.',
  PATH: 'Whether the path of the visit is that of the link, and its rest goes on to the destination.',
  DISABLED: 'Whether the link is disabled.',
  BLOCKED: 'Whether the link leads to a host that the operator has blocked.',
  EXPIRED: 'Whether the link has expired, by time or clicks.',
  PREVIEW: 'Whether the link has a preview, and the visitor is a program that shows previews.',
  PASSWORD: 'Whether the link needs a password that the visitor did not give.',
  CLICK_LIMIT: 'Whether the link has a click limit, and the visitor is a bot.',
} as const;
const afterRules = {
  TARGETING: 'Which target the visitor gets.',
  LOOP: 'Whether the target is the requested address itself.',
  PIXELS: 'Whether the visitor gets pixels.',
} as const;

/** The rules that decide a visit of a link without rules of its own, in this order. */
export const redirectRules = { ...untilRules, ...afterRules } as const;

/** All rules that decide a visit, in this order. */
export const allRedirectRules = {
  ...untilRules,
  RULE: "Whether one of the link's own rules leads the visitor. Each of them is a step.",
  ...afterRules,
} as const;

export type RedirectRule = keyof typeof allRedirectRules;

/** The effect of one rule on a visit, and the reason for people. */
export interface RedirectStep {
  rule: RedirectRule;
  applied: boolean;
  why: string;
  /** For a step of one of the link's own rules. */
  linkRule?: RuleStep;
}

export interface RedirectDecision {
  outcome: RedirectOutcome;
  /** The URL of the redirect, in ASCII: at once, after the pixels, or of the expired link; null for a page of ours. */
  destination: string | null;
  /** The destination without the query of the visit; absent if the visitor does not reach it. */
  target?: string;
  /** The rule that leads, and its target; absent if none does. */
  variant?: Variant;
  /** True if the target is the visitor's share of a split. */
  isSplit?: boolean;
  /** True if the visitor gets the link's preview. */
  isCard?: boolean;
}

/** A decision with the effect of each rule, also of those that were not reached. */
export interface ExplainedDecision extends RedirectDecision {
  steps: RedirectStep[];
}

export type VisitedLink = Pick<
  Link,
  | ('alias' | 'url' | 'password' | 'disabled' | 'forwardsQuery' | 'expirationUrl' | 'expiresAt')
  | 'expirationClicks'
  | ('targetType' | 'countries' | 'platforms' | 'languages' | 'rotation')
> &
  Pick<LinkCounter, 'clicks'> & {
    /** Number of visits that its rotation has served. */
    readonly position: number;
    readonly pixels: readonly unknown[];
    /** Its start; by default, it has begun. */
    readonly startsAt?: Link['startsAt'];
    /** Its rules; none by default. */
    readonly rules?: ParsedRules;
    /** True if it has a preview; by default it has none. */
    readonly hasPreview?: boolean;
  };

/** Conditions of a visit besides the link and the visitor. */
export interface Circumstances {
  /** True if the link leads to a host that the operator has blocked. */
  readonly blocked: boolean;
  /** The requested host, and the name of its domain. */
  readonly hosts: readonly string[];
  /** True if the domain forwards paths, so that an address below the link is one of the link. */
  readonly forwardsPath?: boolean | undefined;
  /** The decoded segments of the path behind the alias, which go on to the destination. */
  readonly rest?: readonly string[] | undefined;
  /** Chooses the target of a split; by default, the first is shown. */
  readonly choose?: Choose | undefined;
  /** True if previews are shown on the domain; by default they are not. */
  readonly previews?: boolean;
}

function whyBegun(startsAt: Date | null, now: Date): string {
  if (startsAt === null) return 'It has no start.';
  return hasBegun({ startsAt }, now) ? 'It has begun.' : `It begins at ${startsAt.toISOString()}.`;
}

function whyExpired({ expiresAt, expirationClicks, clicks }: VisitedLink, now: Date): string {
  if (expiresAt !== null && expiresAt <= now) return `It expired at ${expiresAt.toISOString()}.`;
  return `Its ${clicks} clicks have reached the limit of ${expirationClicks}.`;
}

/** The target by the link's targeting, and the reason; null for the link's own URL. */
function target(
  link: VisitedLink,
  visitor: Visitor,
  isLoop: (address: string) => boolean,
): { url: string | null; why: string } {
  if (link.targetType === 'NONE') return { url: null, why: 'It has no targets.' };
  const type = parseTargetType(link);
  if (type === 'ROTATION') {
    // The position is known only when the visit is counted, and a loop must not be counted.
    const all = parseTargets(link, 'rotation');
    const leading = all.filter((one) => !isLoop(one));
    const rotation = leading.length > 0 ? leading : all;
    if (rotation.length === 0) return { url: null, why: 'Its rotation has no URLs.' };
    // Visits that are not counted get the first URL: the position in a process's cache may be outdated.
    if (!visitor.counts)
      return {
        url: rotation[0] ?? null,
        why: `The visit is not counted: it gets URL 1 of ${rotation.length}.`,
      };
    const next = link.position % rotation.length;
    return { url: rotation[next] ?? null, why: `It is the turn of URL ${next + 1} of ${rotation.length}.` };
  }
  if (type === 'COUNTRY') {
    const { country } = visitor;
    const found = parseTargets(link, 'countries').find((one) => one.country === country);
    if (country === null) return { url: null, why: "The visitor's country is not known." };
    return { url: found?.url ?? null, why: `The visitor is in ${country}, ${listed(found)}.` };
  }
  if (type === 'PLATFORM') {
    const platform = detectPlatform(visitor);
    const found = parseTargets(link, 'platforms').find((one) => one.platform === platform);
    if (platform === null) return { url: null, why: "The visitor's operating system is not known." };
    return { url: found?.url ?? null, why: `The visitor uses ${platform}, ${listed(found)}.` };
  }
  const languages = parseTargets(link, 'languages');
  const match = matchLanguage(
    languages.map(({ language }) => language),
    visitor,
  );
  const found = languages.find(({ language }) => language === match?.language);
  const wish = visitor.acceptLanguage === '' ? 'no language' : `"${visitor.acceptLanguage}"`;
  return { url: found?.url ?? null, why: `The visitor prefers ${wish}, and ${whyLanguage(match)}.` };
}

function whyLanguage(match: ReturnType<typeof matchLanguage>): string {
  if (match === null) return 'no listed language suits';
  const { language, sent } = match;
  const why = `of the listed languages, ${language} suits best`;
  return sent === language || sent === '*' ? why : `${why}: it matches ${sent}`;
}

function listed(found: object | undefined): string {
  return found ? 'which is listed' : 'which is not listed';
}

const rules = keysOf(allRedirectRules);
const plainRules = keysOf(redirectRules);

/** The decision for a visitor without a link, with the reason. @param by PATH if the link exists, but not at that path */
export function notFoundBecause(why: string, by: 'EXISTS' | 'PATH' = 'EXISTS'): ExplainedDecision {
  const steps = plainRules.map((rule) => {
    if (rule === by) return { rule, applied: true, why };
    return { rule, applied: false, why: rule === 'EXISTS' ? EXISTS : NOT_REACHED };
  });
  return { outcome: 'NOT_FOUND', destination: null, steps };
}

const EXISTS = 'The link exists.';
const NOT_REACHED = 'Not reached.';

/** All rules in their order: the steps that were reached, and the others. Each of the link's own rules is one. */
function withUnreached(reached: readonly RedirectStep[], { rules: own }: ParsedRules): RedirectStep[] {
  return rules.flatMap((rule): RedirectStep[] => {
    const steps = reached.filter((step) => step.rule === rule);
    if (rule === 'RULE') return [...steps, ...own.slice(steps.length).map(unreachedRule)];
    return steps.length > 0 ? steps : [{ rule, applied: false, why: NOT_REACHED }];
  });
}

function unreachedRule({ id: ruleId, name }: ParsedRule): RedirectStep {
  const step = { applied: false, why: NOT_REACHED };
  return { rule: 'RULE', ...step, linkRule: { ruleId, name, condition: null, ...step, shares: [] } };
}

/** False if an address cannot have the path of an alias, however it is written: most have not, which is seen at once. */
function mayLeadTo(address: string, alias: string): boolean {
  if (address.includes(alias) || address.includes('%') || !isAscii(address)) return true;
  return alias.includes('/') && alias.split('/').every((segment) => address.includes(segment));
}

/**
 * Decides what a visitor of a link gets at a time. It is a pure function: it reads, counts and changes nothing.
 * @param link null if no link has the alias on the domain
 * @param steps collects the rules that are reached, with their reasons; visits leave it out
 */
export function decideRedirect(
  link: VisitedLink | null,
  visitor: Visitor,
  now: Date,
  { blocked, hosts, choose, forwardsPath, rest, previews = false }: Circumstances,
  steps?: RedirectStep[],
): RedirectDecision {
  const step = (rule: RedirectRule, applied: boolean, why: string, whyNot = why): boolean => {
    steps?.push({ rule, applied, why: applied ? why : whyNot });
    return applied;
  };
  const end = (outcome: RedirectOutcome, destination: string | null = null): RedirectDecision => ({
    outcome,
    destination,
  });

  if (link === null) return end('NOT_FOUND');
  const isLoop = (address: string): boolean =>
    // Most addresses need not be parsed.
    mayLeadTo(address, link.alias) && isItself(address, link.alias, hosts, forwardsPath);
  step('EXISTS', false, EXISTS);
  const { startsAt = null } = link;
  if (step('STARTS', !hasBegun({ startsAt }, now), whyBegun(startsAt, now))) return end('NOT_FOUND');
  const isForwarded = rest !== undefined;
  step('PATH', isForwarded, isForwarded ? whyForwarded(rest) : '', 'The path is that of the link.');
  const status = linkStatus(link, () => now);
  if (step('DISABLED', status === 'DISABLED', 'It is disabled.', 'It is enabled.')) return end('DISABLED');
  if (step('BLOCKED', blocked, 'It leads to a blocked host.', 'It leads to no blocked host.'))
    return end('BLOCKED');
  const whyEnded = status === 'EXPIRED' ? whyExpired(link, now) : '';
  if (step('EXPIRED', status === 'EXPIRED', whyEnded, 'It has not expired.')) {
    const { expirationUrl } = link;
    return end('EXPIRED', expirationUrl === null || isLoop(expirationUrl) ? null : toAscii(expirationUrl));
  }
  const [shows, whyPreview] = showsPreview(link, visitor, previews);
  if (step('PREVIEW', shows, whyPreview)) return { ...end('PREVIEW'), isCard: true };
  const asks = link.password !== null && !visitor.passwordGiven;
  const whyNot = link.password === null ? 'It has no password.' : 'The right password was given.';
  if (step('PASSWORD', asks, 'It needs a password, and the right one was not given.', whyNot))
    return end('PASSWORD');
  const withheld = link.expirationClicks !== null && !visitor.counts;
  if (step('CLICK_LIMIT', withheld, whyCounted(link, visitor))) return end('PREVIEW');
  const { rules: own = NO_RULES } = link;
  const ruleSteps: RuleStep[] | undefined = steps && [];
  const lead = own.rules.length === 0 ? undefined : leadByRules(own, visitor, now, isLoop, choose, ruleSteps);
  for (const linkRule of ruleSteps ?? [])
    steps?.push({ rule: 'RULE', applied: linkRule.applied, why: linkRule.why, linkRule });
  const { url: listed, why } = lead
    ? { url: null, why: 'One of its rules leads.' }
    : target(link, visitor, isLoop);
  step('TARGETING', listed !== null, why);
  const url = lead?.target?.url ?? listed ?? link.url;
  const loops = lead ? lead.target === null : isLoop(url);
  if (step('LOOP', loops, 'It leads to itself.', 'It does not lead back to itself.')) return end('LOOP');
  const destination = forwardTo(url, link, visitor.query, rest);
  const [fires, whyPixels] = firesPixels(link, visitor);
  const outcome = step('PIXELS', fires, whyPixels) ? 'PIXELS' : 'REDIRECT';
  const variant = lead?.target && {
    variant: { ruleId: lead.rule.id, targetId: lead.target.id },
    isSplit: lead.isSplit,
  };
  return { outcome, destination, target: url, ...variant };
}

/** An address with what a visit adds to it: the rest of its path, and its query where the link forwards it. */
export function forwardTo(
  url: string,
  { forwardsQuery }: Pick<Link, 'forwardsQuery'>,
  query: string,
  rest: readonly string[] | undefined,
): string {
  const whole = rest === undefined ? url : withPath(url, rest);
  return withQuery(whole, forwardsQuery ? query : '');
}

/** Decides as `decideRedirect`, and tells the effect of each rule; those after the deciding one are not reached. */
export function explainDecision(
  link: VisitedLink,
  visitor: Visitor,
  now: Date,
  circumstances: Circumstances,
): ExplainedDecision {
  const reached: RedirectStep[] = [];
  const decision = decideRedirect(link, visitor, now, circumstances, reached);
  return { ...decision, steps: withUnreached(reached, link.rules ?? NO_RULES) };
}

function whyForwarded(rest: readonly string[]): string {
  return `The rest of the path, "/${rest.join('/')}", goes on to the destination.`;
}

function showsPreview(
  { hasPreview = false }: VisitedLink,
  { userAgent }: Visitor,
  previews: boolean,
): [boolean, string] {
  if (!hasPreview) return [false, 'It has no preview.'];
  if (!previews) return [false, 'Its domain shows no previews.'];
  return isPreviewAgent(userAgent)
    ? [true, 'The visitor is a program that shows previews, and gets that of the link.']
    : [false, 'The visitor is no program that shows previews.'];
}

function whyCounted({ expirationClicks }: VisitedLink, { counts }: Visitor): string {
  if (expirationClicks === null) return 'It has no click limit.';
  return counts
    ? 'It has a click limit, and such a visit counts.'
    : 'It has a click limit, and a bot is not counted: it does not learn the destination.';
}

function firesPixels({ pixels, password }: VisitedLink, visitor: Visitor): [boolean, string] {
  if (pixels.length === 0) return [false, 'It has no pixels.'];
  if (password !== null) return [false, 'The visitor gave a password, and is sent on at once.'];
  if (visitor.optedOut) return [false, 'The visitor declines tracking.'];
  if (isBot(visitor)) return [false, 'The visitor is a bot.'];
  return [true, `It has ${pixels.length === 1 ? 'a pixel' : `${pixels.length} pixels`}.`];
}
