import type { Data } from '../db/database.ts';
import { isRefused } from '../db/errors.ts';
import { claimTurn, claimVisit, type Turn } from '../db/statistics/counters.ts';
import type { OperatorLists } from '../domain/link/blocklists.ts';
import { decideRedirect, type RedirectDecision } from '../domain/visit/decide-redirect.ts';
import type { Visit } from '../domain/visit/visit.ts';
import type { Visitor } from '../domain/visit/visitor.ts';
import type { FoundLink, LinkCache, LinkLookup } from './link-cache.ts';
import type { RefusedVisits } from './refused-visits.ts';

export interface DecisionDependencies {
  readonly db: Data;
  readonly links: LinkCache;
  readonly lists: OperatorLists;
  /** Counts a visit that has reached a destination. */
  recordVisit(visit: Visit): void;
  /** Writes the clicks of a link that wait in this process. */
  settleClicks(linkId: number): Promise<void>;
  readonly refused: RefusedVisits;
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
  const { db, links, lists, recordVisit, settleClicks, refused, now } = dependencies;
  const decisionFor = (
    { found, host, visitor }: Request,
    link: FoundLink | null = found.link,
    at = now(),
  ): RedirectDecision =>
    decideRedirect(link, visitor, at, {
      blocked: link !== null && lists.blocks(link),
      hosts: [host, found.domain.name],
    });

  /** Counts a click in the database, and its hour and day unless the database refuses them. */
  const countAtOnce = async (linkId: number, at: Date): Promise<Turn | null> => {
    try {
      return await claimVisit(db, linkId, at);
    } catch (error) {
      if (!isRefused(error)) throw error;
      const turn = await claimTurn(db, linkId, at);
      if (turn) refused.addStatistics(linkId, error);
      return turn;
    }
  };

  /** Counts a visit in the database at once, for links with a click limit or a rotation. */
  const claim = async (link: FoundLink, request: Request): Promise<RedirectDecision> => {
    const { visitor, address, referrer } = request;
    const at = now();
    // The visits from before the limit was set.
    if (link.expirationClicks !== null) await settleClicks(link.id);
    const claimed = await links.askDatabase(() => countAtOnce(link.id, at));
    if (claimed) {
      const decision = decisionFor(request, { ...link, ...claimed });
      const destination = decision.target ?? null;
      recordVisit({ link, at, visitor, address, referrer, destination, claimed: claimed.resets });
      return decision;
    }
    // The link has expired, or was changed meanwhile.
    const fresh = await links.reload(link.id);
    const decision = decisionFor(request, fresh);
    return fresh && isRedirect(decision) ? claim(fresh, request) : decision;
  };

  /** Decides a visit, and counts it if it reaches the destination. */
  const decide = async (request: Request): Promise<RedirectDecision> => {
    const { visitor, address, referrer, isHead } = request;
    const { link } = request.found;
    const at = now();
    const decision = decisionFor(request, link, at);
    const { outcome, target } = decision;
    if (link === null || !(isRedirect(decision) || outcome === 'PREVIEW')) return decision;
    if (visitor.counts && (link.expirationClicks !== null || link.targetType === 'ROTATION'))
      return claim(link, request);
    if (!isHead)
      recordVisit({ link, at, visitor, address, referrer, destination: target ?? null, claimed: null });
    return decision;
  };

  return { decisionFor, decide };
}

/** Whether the visitor gets to a destination. */
function isRedirect({ outcome }: RedirectDecision): boolean {
  return outcome === 'REDIRECT' || outcome === 'PIXELS';
}
