import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { ClickBuffer } from '../clicks/click-buffer.ts';
import type { CountsBefore, Turn } from '../clicks/immediate-counts.ts';
import { readTitle } from '../db/reading/link-for-visit.ts';
import { isItself, normalizePlace } from '../domain/link/alias.ts';
import { mayRunPixels } from '../domain/short-domain/domain.ts';
import { decideRedirect, type RedirectDecision } from '../domain/visit/decide-redirect.ts';
import { networkName } from '../domain/visit/ip-network.ts';
import type { Visitor } from '../domain/visit/visitor.ts';
import { isUnavailable } from '../engine/db/errors.ts';
import { secondsUntilNext } from '../engine/http/limits/rate-limit.ts';
import { clientOf, isAborted } from '../engine/http/request/client.ts';
import type { Handler } from '../engine/http/server.ts';
import { RETRY_AFTER, visibleError } from '../engine/rules/errors.ts';
import { asciiOf } from '../engine/rules/url.ts';
import { growingTo } from '../engine/tools/growing-cache.ts';
import { nameFor } from '../engine/tools/name-for.ts';
import { TIMED_OUT, withTimeout } from '../engine/tools/timeout.ts';
import { TooMuchWaiting, Turns } from '../engine/tools/turns.ts';
import { ended, send, sendMessage, sendPage } from './answer.ts';
import type { CountryOf } from './country.ts';
import type { FoundLink, LinkLookup } from './link-cache.ts';
import { passwordPage, pixelsPage, previewPage } from './pages.ts';
import { PasswordChecks } from './password-attempts.ts';
import { header, passwordIn, readVisit } from './request.ts';
import { createStatisticsPages, type StatisticsPageDependencies } from './statistics/handler.ts';
import { VisitWait } from './visit-wait.ts';

/** Maximum numbers of forms received at once, in all and from one network, since clients may send them slowly. */
const MAX_FORMS = 200;
const MAX_FORMS_OF_NETWORK = 20;
/** Milliseconds for which a visit waits for its turn of a rotation, and maximum number of rotations with turns. */
const TURN_TIMEOUT = 500;
const MAX_ROTATIONS = 20_000;

export interface RedirectDependencies extends StatisticsPageDependencies {
  readonly clicks: ClickBuffer;
  readonly countryOf: CountryOf;
  readonly publicStatistics: boolean;
  /** Milliseconds in which a form must arrive. */
  readonly formTimeout?: number | undefined;
  report(res: ServerResponse, error: unknown): void;
}

/** A visit: the visitor, and the link. */
interface Visit {
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

/** True if the visitor gets to a destination. */
function isRedirect({ outcome }: RedirectDecision): boolean {
  return outcome === 'REDIRECT' || outcome === 'PIXELS';
}

/** Answers visitors of short links, as `decideRedirect` decides, and counts the visits that reach a destination. */
export function createRedirectHandler(dependencies: RedirectDependencies): Handler {
  const { links, lists, clicks, trust, countryOf, publicStatistics, formTimeout, now, report } = dependencies;
  const ownTurns = new LRUCache<number, number>(growingTo(MAX_ROTATIONS));
  const passwordChecks = new PasswordChecks();
  const forms = new Turns({ max: MAX_FORMS, maxOfOwner: () => MAX_FORMS_OF_NETWORK, maxWaiting: 0 });
  const givenPassword = (req: IncomingMessage, res: ServerResponse, address: string): Promise<string> =>
    forms.take(networkName(address), () => passwordIn(req, res, formTimeout));
  const statisticsPages = createStatisticsPages(dependencies, passwordChecks, givenPassword);

  const decisionFor = (
    { found, host, visitor }: Visit,
    link: FoundLink | null = found.link,
    at = now(),
  ): RedirectDecision =>
    decideRedirect(link, visitor, at, {
      blocked: link !== null && lists.blocks(link),
      hosts: [host, found.domain.name],
    });

  /** Counts a visit after its decision. */
  const count = (
    { visitor, address, referrer }: Visit,
    link: FoundLink,
    at: Date,
    { target }: RedirectDecision,
    alreadyCounted: CountsBefore | null = null,
  ): void =>
    clicks.add({ link, at, visitor, address, referrer, destination: target ?? null, alreadyCounted });

  /** The turn of a rotation: the next over all processes, or of this one while the primary does not answer. */
  const takeTurn = async (link: FoundLink, at: Date, wait: VisitWait): Promise<Turn | null> => {
    try {
      const asked = links.askPrimary(() => clicks.takeTurn(link, at));
      const turn = await withTimeout(wait.isOver ? 0 : TURN_TIMEOUT, asked);
      if (turn !== TIMED_OUT) return turn;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    const position = ownTurns.get(link.id) ?? link.position;
    ownTurns.set(link.id, position + 1);
    return { position };
  };

  /** Decides a visit by the counts in the database: of a link with a click limit, which counts it there first, or a rotation. */
  const decideCounted = async (link: FoundLink, visit: Visit): Promise<RedirectDecision> => {
    const at = now();
    const isLimited = link.expirationClicks !== null;
    // The visits from before the limit was set. A primary that hangs may be known to be away afterwards, and is not asked again.
    if (isLimited) await links.askPrimary(() => clicks.settle(link.id));
    const before = isLimited ? await links.askPrimary(() => clicks.countAtOnce(link, at)) : null;
    const turn = isLimited ? before : await takeTurn(link, at, visit.wait);
    if (turn) {
      const decision = decisionFor(visit, { ...link, ...turn });
      count(visit, link, at, decision, before);
      return decision;
    }
    // The link has expired, or was changed meanwhile.
    const fresh = await links.reload(link.id);
    const decision = decisionFor(visit, fresh);
    return fresh && isRedirect(decision) ? decideCounted(fresh, visit) : decision;
  };

  /** Decides a visit, and counts it if it reaches the destination: most of them at once. */
  const decide = (visit: Visit): RedirectDecision | Promise<RedirectDecision> => {
    const { link } = visit.found;
    const at = now();
    const decision = decisionFor(visit, link, at);
    if (link === null || !(isRedirect(decision) || decision.outcome === 'PREVIEW')) return decision;
    if (visit.visitor.counts && (link.expirationClicks !== null || link.targetType === 'ROTATION'))
      return decideCounted(link, visit);
    if (visit.isHead) return decision;
    const decided = (): RedirectDecision => {
      count(visit, link, at, decision);
      return decision;
    };
    return clicks.isBusy ? clicks.caughtUp().then(decided) : decided();
  };

  /** The title of a link for bots, which do not learn that of a link with a password. It is not cached: few visits need it. */
  const titleFor = async ({ id, password }: FoundLink): Promise<string | null> =>
    password === null ? ((await links.read((db) => readTitle(db, id)))?.title ?? null) : null;

  const answer = async (req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> => {
    const decided = decide(visit);
    const { outcome, destination } = decided instanceof Promise ? await decided : decided;
    const { link, domain } = visit.found;
    const language = header(req, 'accept-language');
    if (outcome === 'PASSWORD') return sendPage(req, res, 401, passwordPage(language, domain.name, false));
    if (outcome === 'PREVIEW' && link)
      return sendPage(req, res, 200, previewPage(await titleFor(link), domain.name, language));
    if (outcome === 'PIXELS' && link && destination !== null) {
      const isApart = !mayRunPixels(domain, link);
      return sendPage(req, res, 200, pixelsPage(link.pixels, destination, language, isApart));
    }
    const location = outcome === 'NOT_FOUND' ? notFoundUrlFor(req, visit) : destination;
    if (location !== null) return send(req, res, req.method === 'POST' ? 303 : 302, { Location: location });
    if (outcome === 'REDIRECT' || outcome === 'PIXELS' || outcome === 'PREVIEW')
      throw new Error('a visit of a link without one, or without a destination');
    sendMessage(req, res, ...ended[outcome]);
  };

  /** The domain's URL for unknown aliases; null for none, a blocked one, and the one that was requested. */
  const notFoundUrlFor = (
    { url: requested = '' }: IncomingMessage,
    { host, found: { domain } }: Visit,
  ): string | null => {
    const { name, notFoundUrl } = domain;
    if (notFoundUrl === null || lists.blocksAddress(notFoundUrl)) return null;
    const [path = ''] = requested.split('?', 1);
    return isItself(notFoundUrl, normalizePlace(path), [host, name]) ? null : asciiOf(notFoundUrl);
  };

  const post = async (req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> => {
    const { found, visitor, address } = visit;
    const { link } = found;
    const { outcome } = decisionFor(visit);
    if (outcome !== 'PASSWORD' || !link?.password) return answer(req, res, visit);
    const password = await givenPassword(req, res, address);
    const owner = { what: nameFor('link', link.id), hash: link.password };
    if (password !== '' && (await passwordChecks.isRight(password, owner, address)))
      return answer(req, res, {
        ...visit,
        visitor: { ...visitor, country: visitor.country, passwordGiven: true },
      });
    sendPage(req, res, 401, passwordPage(header(req, 'accept-language'), found.domain.name, true));
  };

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (!['GET', 'HEAD', 'POST'].includes(req.method ?? ''))
      return send(req, res, 405, { Allow: 'GET, HEAD, POST' });
    const { address, host } = clientOf(req, trust);
    const { alias, statisticsOf, visitor } = readVisit(req, () => countryOf(req.headers, address));
    const wait = new VisitWait();
    const found = links.findNow(host, alias) ?? (await links.find(host, alias, wait));
    if (publicStatistics && statisticsOf !== '') {
      const asked = { domain: found.domain, alias: statisticsOf, query: visitor.query, address };
      if (await statisticsPages(req, res, asked)) return;
    }
    const referrer = header(req, 'referer');
    const visit: Visit = { found, visitor, host, address, referrer, isHead: req.method === 'HEAD', wait };
    await (req.method === 'POST' ? post(req, res, visit) : answer(req, res, visit));
  };

  return (req, res) =>
    handle(req, res).catch((error: unknown) => {
      if (isAborted(req)) return;
      if (error instanceof RateLimiterRes) {
        const retryAfter = String(secondsUntilNext(error));
        return sendMessage(req, res, 429, 'limited', { 'Retry-After': retryAfter });
      }
      if (error instanceof TooMuchWaiting)
        return sendMessage(req, res, 503, 'unavailable', { 'Retry-After': String(RETRY_AFTER) });
      report(res, error);
      if (res.headersSent) return res.end();
      if (visibleError(error)?.code !== 'UNAVAILABLE') return sendMessage(req, res, 500, 'unavailable');
      sendMessage(req, res, 503, 'unavailable', { 'Retry-After': String(RETRY_AFTER) });
    });
}
