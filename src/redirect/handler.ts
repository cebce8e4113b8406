import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { claimVisit } from '../db/clicks.ts';
import type { Db } from '../db/client.ts';
import { isAlias } from '../domain/alias.ts';
import { RETRY_AFTER, visibleError } from '../domain/errors.ts';
import { verifyPassword } from '../domain/password.ts';
import { decideRedirect, type RedirectDecision, type RedirectOutcome } from '../domain/redirect.ts';
import { isBot, type Visitor } from '../domain/visitor.ts';
import { clientOf, type Trust } from '../http/client.ts';
import type { ClickBuffer } from './click-buffer.ts';
import type { Found, FoundLink, LinkCache } from './link-cache.ts';
import { messagePage, type Page, passwordPage, pixelsPage } from './pages.ts';
import type { Message } from './texts.ts';

/** How many wrong passwords one address may give for one link in a minute. */
const GUESSES = 5;
/** A form with a password is far shorter, in bytes. */
const MAX_FORM = 10_000;

export interface RedirectDependencies {
  readonly db: Db;
  readonly links: LinkCache;
  readonly clicks: ClickBuffer;
  readonly trust: Trust;
  /** Which country a visitor is in: ISO 3166-1 alpha-2, or null. */
  countryOf(req: IncomingMessage, address: string): string | null;
  now(): Date;
  /** Hears of every fault of ours. */
  report(res: ServerResponse, error: unknown): void;
}

/** A visit, as far as its request tells. */
interface Visit {
  readonly found: Found;
  readonly visitor: Visitor;
  readonly address: string;
  readonly counts: boolean;
}

function header(req: IncomingMessage, name: string): string {
  return String(req.headers[name] ?? '');
}

function send(req: IncomingMessage, res: ServerResponse, status: number, headers: object, body = ''): void {
  res.writeHead(status, {
    'Cache-Control': 'private, no-store',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  res.end(req.method === 'HEAD' ? '' : body);
}

function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  page: Page,
  headers: object = {},
): void {
  const { html, contentSecurityPolicy } = page;
  const own = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'Referrer-Policy': 'no-referrer',
  };
  send(req, res, status, { ...own, ...headers }, html);
}

function sendMessage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  message: Message,
  headers?: object,
) {
  sendPage(req, res, status, messagePage(message, header(req, 'accept-language')), headers);
}

/** The alias that a path asks for; an empty one, which no link has, where it can be none. */
function aliasOf(path: string): string {
  const [, part = ''] = /^\/([^/]+)\/?$/.exec(path) ?? [];
  try {
    const alias = decodeURIComponent(part);
    return isAlias(alias) ? alias : '';
  } catch {
    return '';
  }
}

/** The password of a posted form; none in one that is too large. */
async function passwordIn(req: IncomingMessage, res: ServerResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_FORM) {
      res.setHeader('Connection', 'close');
      return '';
    }
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString()).get('password') ?? '';
}

/** What a visit ends with that is no redirect. */
const ended: Readonly<
  Record<Exclude<RedirectOutcome, 'REDIRECT' | 'PIXELS' | 'PASSWORD'>, [number, Message]>
> = {
  NOT_FOUND: [404, 'notFound'],
  DISABLED: [410, 'disabled'],
  EXPIRED: [410, 'expired'],
};

/** Answers visitors of short links. It decides nothing: that is what decideRedirect is for. */
export function createRedirectHandler(dependencies: RedirectDependencies): RequestListener {
  const { db, links, clicks, trust, countryOf, now, report } = dependencies;
  const guesses = new RateLimiterMemory({ points: GUESSES, duration: 60 });

  const visitOf = async (req: IncomingMessage): Promise<Visit> => {
    const [path = '', query = ''] = (req.url ?? '').split(/\?(.*)/s);
    const { address, host } = clientOf(req, trust);
    const hint = header(req, 'sec-ch-ua-platform').replaceAll('"', '');
    const visitor: Visitor = {
      country: countryOf(req, address),
      userAgent: header(req, 'user-agent'),
      platformHint: hint === '' ? null : hint,
      acceptLanguage: header(req, 'accept-language'),
      optedOut: req.headers.dnt === '1' || req.headers['sec-gpc'] === '1',
      passwordGiven: false,
      query,
    };
    const prefetch = /prefetch/i.test(header(req, 'sec-purpose') + header(req, 'purpose'));
    const counts = req.method !== 'HEAD' && !prefetch && !isBot(visitor);
    return { found: await links.find(host, aliasOf(path)), visitor, address, counts };
  };

  /** Counts a visit in the database at once: of a link that ends by clicks, or whose destinations take turns. */
  const claim = async (link: FoundLink, visitor: Visitor): Promise<RedirectDecision> => {
    const claimed = await claimVisit(db, link.id, now());
    if (claimed) return decideRedirect({ ...link, ...claimed }, visitor, now());
    // It has ended, or was changed meanwhile.
    const fresh = await links.reload(link.id);
    const decision = decideRedirect(fresh, visitor, now());
    return fresh && leadsOn(decision) ? claim(fresh, visitor) : decision;
  };

  /** The decision on a visit, which is counted where it leads on. */
  const decide = async ({ found: { link }, visitor, counts }: Visit): Promise<RedirectDecision> => {
    const decision = decideRedirect(link, visitor, now());
    if (link === null || !leadsOn(decision) || !counts) return decision;
    if (link.expirationClicks !== null || link.targetType === 'ROTATION') return claim(link, visitor);
    clicks.count(link.id);
    return decision;
  };

  const answer = async (req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> => {
    const { outcome, destination } = await decide(visit);
    const { domain, link } = visit.found;
    const language = header(req, 'accept-language');
    if (outcome === 'PASSWORD') return sendPage(req, res, 401, passwordPage(language, false));
    if (outcome === 'PIXELS' && link && destination !== null && req.method !== 'POST')
      return sendPage(req, res, 200, pixelsPage(link.pixels, destination, language));
    const elsewhere = outcome === 'NOT_FOUND' ? domain.notFoundUrl : destination;
    if (elsewhere !== null) {
      const status = req.method === 'POST' ? 303 : 302;
      return send(req, res, status, { Location: new URL(elsewhere).href });
    }
    if (outcome === 'REDIRECT' || outcome === 'PIXELS') throw new Error('a redirect without a destination');
    sendMessage(req, res, ...ended[outcome]);
  };

  /**
   * Whether the right password came. Each attempt counts before it is looked at, so that many at once help nobody.
   * @throws RateLimiterRes
   */
  const isRight = async (password: string, { id, hash }: { id: number; hash: string }, address: string) => {
    const guesser = `${id} ${address}`;
    await guesses.consume(guesser);
    const right = await verifyPassword(password, hash);
    if (right) await guesses.delete(guesser);
    return right;
  };

  const post = async (req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> => {
    const { found, visitor, address } = visit;
    const { link } = found;
    const { outcome } = decideRedirect(link, visitor, now());
    if (outcome !== 'PASSWORD' || !link?.password) return answer(req, res, visit);
    const password = await passwordIn(req, res);
    if (await isRight(password, { id: link.id, hash: link.password }, address))
      return answer(req, res, { ...visit, visitor: { ...visitor, passwordGiven: true } });
    sendPage(req, res, 401, passwordPage(header(req, 'accept-language'), true));
  };

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (!['GET', 'HEAD', 'POST'].includes(req.method ?? ''))
      return send(req, res, 405, { Allow: 'GET, HEAD, POST' });
    const visit = await visitOf(req);
    await (req.method === 'POST' ? post(req, res, visit) : answer(req, res, visit));
  };

  return (req, res) => {
    handle(req, res).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) {
        const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
        return sendMessage(req, res, 429, 'limited', { 'Retry-After': String(seconds) });
      }
      report(res, error);
      if (res.headersSent) return res.end();
      const away = visibleError(error)?.code === 'UNAVAILABLE';
      sendMessage(
        req,
        res,
        away ? 503 : 500,
        'unavailable',
        away ? { 'Retry-After': String(RETRY_AFTER) } : {},
      );
    });
  };
}

function leadsOn({ outcome }: RedirectDecision): boolean {
  return outcome === 'REDIRECT' || outcome === 'PIXELS';
}
