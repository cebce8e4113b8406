import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { readShownLink, type ShownLink } from '../../db/statistics/link-for-page.ts';
import { shownBrand } from '../../domain/access/brand.ts';
import { encodeAlias } from '../../domain/link/alias-grammar.ts';
import type { OperatorLists } from '../../domain/link/blocklists.ts';
import { composeShortUrl } from '../../domain/short-domain/host.ts';
import {
  type PageLength,
  pageLength,
  readPublicStatistics,
} from '../../domain/statistics/public-statistics.ts';
import { networkName } from '../../domain/visit/ip-network.ts';
import { findScheme, type Trust } from '../../engine/http/request/client.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import { Turns } from '../../engine/tools/turns.ts';
import type { Domain } from '../../generated/sqlite/client.ts';
import { send, sendPage } from '../answer.ts';
import type { LinkCache } from '../link-cache.ts';
import { passwordPage } from '../pages.ts';
import type { PasswordChecks } from '../password-attempts.ts';
import { header } from '../request.ts';
import { accessCookie, hasAccess, newToken } from './access-cookie.ts';
import { statisticsPage } from './page.ts';

/** Maximum numbers of pages built at once, in all and for one network; each takes about ten queries. */
const MAX_PAGES = 20;
const MAX_PAGES_OF_NETWORK = 10;
const PAGES_PER_MINUTE = 300;

export interface StatisticsPageDependencies {
  readonly links: LinkCache;
  readonly lists: OperatorLists;
  /** The scheme of short URLs: `https:`. */
  readonly scheme: string;
  readonly trust: Trust;
  now(): Date;
}

interface PageRequest {
  readonly domain: Domain;
  readonly alias: string;
  readonly query: string;
  readonly address: string;
}

/** Answers with a link's page of statistics; false if there is none, or it is private. */
export type StatisticsPages = (
  req: IncomingMessage,
  res: ServerResponse,
  asked: PageRequest,
) => Promise<boolean>;

/**
 * Serves the pages of statistics, as `privacy` allows.
 * @param passwordIn the password of a posted form
 */
export function createStatisticsPages(
  { links, lists, scheme, trust, now }: StatisticsPageDependencies,
  passwordChecks: PasswordChecks,
  passwordIn: (req: IncomingMessage, res: ServerResponse, address: string) => Promise<string>,
): StatisticsPages {
  const slots = new Turns({ max: MAX_PAGES, maxOfOwner: () => MAX_PAGES_OF_NETWORK, maxWaiting: 0 });
  const rateLimit = new RateLimiterMemory({ points: PAGES_PER_MINUTE, duration: 60 });

  const brandOf = async (domain: Domain) => shownBrand(await links.findBrand(domain, null), lists);

  const show = async (
    req: IncomingMessage,
    res: ServerResponse,
    { domain, address }: PageRequest,
    link: ShownLink,
    length: PageLength,
  ): Promise<void> => {
    const network = networkName(address);
    await rateLimit.consume(network);
    const shown = await slots.take(network, () =>
      links.read(async (db) => ({
        id: link.id,
        ...(await readPublicStatistics(db, lists, link, length, now())),
      })),
    );
    const shortUrl = composeShortUrl({ scheme }, domain, link);
    const about = { shortUrl, disabled: Boolean(link.disabled) };
    sendPage(
      req,
      res,
      200,
      statisticsPage(shown, about, header(req, 'accept-language'), await brandOf(domain)),
    );
  };

  const cookieFor = (req: IncomingMessage, id: number, hash: string, path: string): string =>
    accessCookie(newToken(id, hash, now()), path, findScheme(req, trust, scheme) === 'https:');

  return async (req, res, asked) => {
    const { domain, alias, query, address } = asked;
    const link = await links.read((db) => readShownLink(db, domain.id, alias, now()));
    if (link === null) return false;
    const length = pageLength(new URLSearchParams(query).get('days'));
    const path = `/${encodeAlias(link.alias)}+`;
    const Location = new URLSearchParams(query).has('days') ? `${path}?days=${length}` : path;
    const { id, privacyPassword: hash } = link;
    const what = nameFor('statistics', id);
    const form = async (guessesLeft: number | null) => {
      const brand = await brandOf(domain);
      const language = header(req, 'accept-language');
      const page = passwordPage(language, domain.name, guessesLeft, 'statisticsPassword', null, brand);
      sendPage(req, res, 401, page);
    };
    if (req.method === 'POST' && hash !== null) {
      const password = await passwordIn(req, res, address);
      // A link of an earlier version may have no password: then no password is right.
      const isRight =
        password !== '' && hash !== '' && (await passwordChecks.isRight(password, { what, hash }, address));
      if (isRight) send(req, res, 303, { Location, 'Set-Cookie': cookieFor(req, id, hash, path) });
      else await form(passwordChecks.left(what, address));
    } else if (req.method === 'POST') send(req, res, 303, { Location });
    else if (hash !== null && !(hash !== '' && hasAccess(req, id, hash, now()))) await form(null);
    else await show(req, res, asked, link, length);
    return true;
  };
}
