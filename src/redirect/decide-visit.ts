import { LRUCache } from 'lru-cache';
import type { ClickBuffer } from '../clicks/click-buffer.ts';
import type { CountsBefore, Turn } from '../clicks/immediate-counts.ts';
import type { SplitKeys } from '../clicks/split-keys.ts';
import type { OperatorLists } from '../domain/link/blocklists.ts';
import type { Choose } from '../domain/rule/lead.ts';
import { chooseTarget } from '../domain/rule/split.ts';
import { mayShowPreviews } from '../domain/short-domain/domain.ts';
import { decideRedirect, type RedirectDecision } from '../domain/visit/decide-redirect.ts';
import { networkOf } from '../domain/visit/ip-network.ts';
import type { Visitor } from '../domain/visit/visitor.ts';
import { isUnavailable } from '../engine/db/errors.ts';
import { growingTo } from '../engine/tools/growing-cache.ts';
import { TIMED_OUT, withTimeout } from '../engine/tools/timeout.ts';
import type { FoundLink, LinkCache, LinkLookup } from './link-cache.ts';
import type { VisitWait } from './visit-wait.ts';

/** Milliseconds for which a visit waits for its turn of a rotation, and maximum number of rotations with turns. */
const TURN_TIMEOUT = 500;
const MAX_ROTATIONS = 20_000;

/** A visit: the visitor, and the link. */
export interface Visit {
  readonly found: LinkLookup;
  readonly visitor: Visitor;
  /** The requested host, as it was sent. */
  readonly host: string;
  readonly address: string;
  readonly referrer: string;
  /** True for a HEAD request, which does not count. */
  readonly isHead: boolean;
  /** The time that the visit may still wait for the database. */
  readonly wait: VisitWait;
}

export interface DecisionDependencies {
  readonly links: LinkCache;
  readonly lists: OperatorLists;
  readonly clicks: ClickBuffer;
  readonly splits: SplitKeys;
  /** True if previews are shown on domains of several accounts. */
  readonly sharedPreviews: boolean;
  now(): Date;
}

/** True if the visitor gets to a destination. */
function isRedirect({ outcome }: RedirectDecision): boolean {
  return outcome === 'REDIRECT' || outcome === 'PIXELS';
}

/** True if a visit takes a turn of the link's rotation: not where a rule leads. */
function takesTurn({ targetType, expirationClicks }: FoundLink, { variant }: RedirectDecision): boolean {
  return variant === undefined && (targetType === 'ROTATION' || expirationClicks !== null);
}

/**
 * Decides visits by `decideRedirect`, and counts them: as clicks if they reach a destination, and programs apart. HEAD never
 * counts. Most are decided by the cached link and counted in memory. A visit that counts, of a link with a click limit or a
 * rotation, first changes the counts in the database. While the primary does not answer, a rotation goes on in this process,
 * and a click limit fails the visit.
 */
export class VisitDecider {
  readonly #links: LinkCache;
  readonly #lists: OperatorLists;
  readonly #clicks: ClickBuffer;
  readonly #splits: SplitKeys;
  readonly #sharedPreviews: boolean;
  readonly #now: () => Date;
  /** The next positions of rotations while the primary does not answer. */
  readonly #ownTurns = new LRUCache<number, number>(growingTo(MAX_ROTATIONS));

  constructor({ links, lists, clicks, splits, sharedPreviews, now }: DecisionDependencies) {
    this.#sharedPreviews = sharedPreviews;
    this.#links = links;
    this.#lists = lists;
    this.#clicks = clicks;
    this.#splits = splits;
    this.#now = now;
  }

  /** Decides a visit without counting it. */
  preview(visit: Visit, link: FoundLink | null = visit.found.link, at: Date = this.#now()): RedirectDecision {
    return decideRedirect(link, visit.visitor, at, {
      blocked: link !== null && this.#lists.blocks(link),
      hosts: [visit.host, visit.found.domain.name],
      forwardsPath: visit.found.domain.forwardsPath,
      rest: visit.found.rest,
      previews:
        link?.hasPreview &&
        mayShowPreviews(visit.found.domain, link, { sharedPreviews: this.#sharedPreviews }),
      choose: link === null || !link.rules.hasSplits ? undefined : this.#chooserFor(visit, link, at),
    });
  }

  /** The target of a split that the visitor keeps for the day. */
  #chooserFor({ visitor, address }: Visit, { id: linkId }: FoundLink, at: Date): Choose {
    const { userAgent } = visitor;
    return ({ id: ruleId }, targets) =>
      chooseTarget(
        this.#splits.at(at).key,
        { linkId, ruleId, network: networkOf(address), userAgent },
        targets,
      );
  }

  /** Decides a visit, and counts it if it reaches the destination: most of them at once. */
  decide(visit: Visit): RedirectDecision | Promise<RedirectDecision> {
    const at = this.#now();
    // A process that has just started has no salt yet.
    if (visit.found.link?.rules.hasSplits && this.#splits.isMissing(at))
      return this.#splits.prepare().then(() => this.#decideAt(visit, at));
    return this.#decideAt(visit, at);
  }

  #decideAt(visit: Visit, at: Date): RedirectDecision | Promise<RedirectDecision> {
    const { link } = visit.found;
    const decision = this.preview(visit, link, at);
    if (link === null || !(isRedirect(decision) || decision.outcome === 'PREVIEW')) return decision;
    if (visit.visitor.counts && (link.expirationClicks !== null || takesTurn(link, decision)))
      return this.#decideCounted(link, visit, at, takesTurn(link, decision));
    if (visit.isHead) return decision;
    if (this.#clicks.isBusy)
      return this.#clicks.caughtUp().then(() => this.#count(visit, link, at, decision));
    return this.#count(visit, link, at, decision);
  }

  /** Decides a visit by the counts in the database: of a link with a click limit, which counts it there first, or a rotation. */
  async #decideCounted(link: FoundLink, visit: Visit, at: Date, inTurn: boolean): Promise<RedirectDecision> {
    const isLimited = link.expirationClicks !== null;
    const before = isLimited ? await this.#countAtOnce(link, at, inTurn) : null;
    const turn = isLimited ? before : await this.#takeTurn(link, at, visit.wait);
    if (turn) return this.#count(visit, link, at, this.preview(visit, { ...link, ...turn }, at), before);
    // The link has expired, or was changed meanwhile.
    const fresh = await this.#links.reload(link.id);
    const now = this.#now();
    const decision = this.preview(visit, fresh, now);
    if (fresh === null || !isRedirect(decision)) return decision;
    const next = takesTurn(fresh, decision);
    return fresh.expirationClicks !== null || next
      ? this.#decideCounted(fresh, visit, now, next)
      : this.#count(visit, fresh, now, decision);
  }

  async #countAtOnce(link: FoundLink, at: Date, inTurn: boolean): Promise<CountsBefore | null> {
    // The visits from before the limit was set. A primary that hangs may be known to be away afterwards, and is not asked again.
    await this.#links.writeToPrimary(() => this.#clicks.settle(link.id));
    return this.#links.writeToPrimary(() => this.#clicks.countAtOnce(link, at, inTurn));
  }

  /** The turn of a rotation: the next over all processes, or of this one while the primary does not answer. */
  async #takeTurn(link: FoundLink, at: Date, wait: VisitWait): Promise<Turn | null> {
    try {
      const asked = this.#links.writeToPrimary(() => this.#clicks.takeTurn(link, at));
      const turn = await withTimeout(wait.isOver ? 0 : TURN_TIMEOUT, asked);
      if (turn !== TIMED_OUT) return turn;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    const position = this.#ownTurns.get(link.id) ?? link.position;
    this.#ownTurns.set(link.id, position + 1);
    return { position };
  }

  /** Counts a visit, and returns its decision. */
  #count(
    { visitor, address, referrer }: Visit,
    link: FoundLink,
    at: Date,
    decision: RedirectDecision,
    alreadyCounted: CountsBefore | null = null,
  ): RedirectDecision {
    const { target: destination = null, variant: led = null, isSplit = false } = decision;
    const variant = led !== null && (!isSplit || this.#splits.at(at).isShared) ? led : null;
    this.#clicks.add({ link, at, visitor, address, referrer, destination, variant, alreadyCounted });
    return decision;
  }
}
