import type { ClickBuffer } from '../clicks/click-buffer.ts';
import type { CountsBefore } from '../clicks/count-at-once.ts';
import type { OperatorLists } from '../domain/link/blocklists.ts';
import { decideRedirect, type RedirectDecision } from '../domain/visit/decide-redirect.ts';
import type { Visitor } from '../domain/visit/visitor.ts';
import type { FoundLink, LinkCache, LinkLookup } from './link-cache.ts';

export interface DecisionDependencies {
  readonly links: LinkCache;
  readonly lists: OperatorLists;
  readonly clicks: ClickBuffer;
  now(): Date;
}

/** A visit: the visitor, and the link. */
export interface Request {
  readonly found: LinkLookup;
  readonly visitor: Visitor;
  /** The requested host, as it was sent. */
  readonly host: string;
  readonly address: string;
  readonly referrer: string;
  /** Whether it is a HEAD request, which does not count as a visit. */
  readonly isHead: boolean;
}

/** Decides visits by `decideRedirect`, and counts those that reach a destination. */
export function createDecisions(dependencies: DecisionDependencies) {
  const { links, lists, clicks, now } = dependencies;
  const decisionFor = (
    { found, host, visitor }: Request,
    link: FoundLink | null = found.link,
    at = now(),
  ): RedirectDecision =>
    decideRedirect(link, visitor, at, {
      blocked: link !== null && lists.blocks(link),
      hosts: [host, found.domain.name],
    });

  /** Counts a visit after its decision. */
  const count = (
    { visitor, address, referrer }: Request,
    link: FoundLink,
    at: Date,
    { target }: RedirectDecision,
    alreadyCounted: CountsBefore | null = null,
  ): void =>
    clicks.add({ link, at, visitor, address, referrer, destination: target ?? null, alreadyCounted });

  /** Counts a visit before its decision: of a link with a click limit or a rotation. */
  const decideCounted = async (link: FoundLink, request: Request): Promise<RedirectDecision> => {
    const at = now();
    // The visits from before the limit was set.
    if (link.expirationClicks !== null) await clicks.settle(link.id);
    const before = await links.askDatabase(() => clicks.countAtOnce(link.id, at));
    if (before) {
      const decision = decisionFor(request, { ...link, ...before });
      count(request, link, at, decision, before);
      return decision;
    }
    // The link has expired, or was changed meanwhile.
    const fresh = await links.reload(link.id);
    const decision = decisionFor(request, fresh);
    return fresh && isRedirect(decision) ? decideCounted(fresh, request) : decision;
  };

  /** Decides a visit, and counts it if it reaches the destination. */
  const decide = async (request: Request): Promise<RedirectDecision> => {
    const { link } = request.found;
    const at = now();
    const decision = decisionFor(request, link, at);
    if (link === null || !(isRedirect(decision) || decision.outcome === 'PREVIEW')) return decision;
    if (request.visitor.counts && (link.expirationClicks !== null || link.targetType === 'ROTATION'))
      return decideCounted(link, request);
    if (!request.isHead) count(request, link, at, decision);
    return decision;
  };

  return { decisionFor, decide };
}

/** Whether the visitor gets to a destination. */
function isRedirect({ outcome }: RedirectDecision): boolean {
  return outcome === 'REDIRECT' || outcome === 'PIXELS';
}
