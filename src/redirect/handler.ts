import type { IncomingMessage, ServerResponse } from 'node:http';
import { readCard, readTitle } from '../db/reading/link-for-visit.ts';
import { type BrandColumns, shownBrand } from '../domain/access/brand.ts';
import { isItself, listPlaces } from '../domain/link/alias.ts';
import { imagePath } from '../domain/link/preview.ts';
import { mayRunPixels } from '../domain/short-domain/domain.ts';
import { composeShortUrl } from '../domain/short-domain/host.ts';
import { forwardTo, type RedirectDecision } from '../domain/visit/decide-redirect.ts';
import { networkName } from '../domain/visit/ip-network.ts';
import { findClient } from '../engine/http/request/client.ts';
import type { Handler } from '../engine/http/server.ts';
import { toAscii } from '../engine/rules/url.ts';
import { nameFor } from '../engine/tools/name-for.ts';
import { Turns } from '../engine/tools/turns.ts';
import { ended, type Report, send, sendFailure, sendMessage, sendPage } from './answer.ts';
import type { CountryLookup } from './country.ts';
import { type DecisionDependencies, type Visit, VisitDecider } from './decide-visit.ts';
import { readSignedReferrer, signReferrer } from './form-referrer.ts';
import type { FoundLink } from './link-cache.ts';
import { cardPage, type Page, passwordPage, pixelsPage, previewPage } from './pages.ts';
import { PasswordChecks } from './password-attempts.ts';
import { formIn, header, type PasswordForm, readVisit } from './request.ts';
import {
  createStatisticsPages,
  type StatisticsPageDependencies,
  type StatisticsPages,
} from './statistics/handler.ts';
import { VisitWait } from './visit-wait.ts';

/** Maximum numbers of forms received at once, in all and from one network, since clients may send them slowly. */
const MAX_FORMS = 200;
const MAX_FORMS_OF_NETWORK = 20;

export interface RedirectDependencies extends StatisticsPageDependencies, DecisionDependencies {
  readonly findCountry: CountryLookup;
  readonly publicStatistics: boolean;
  /** Milliseconds in which a form must arrive. */
  readonly formTimeout?: number | undefined;
  readonly report: Report;
}

/** Answers visitors of short links. Which visits count is decided in `decide-visit.ts`. */
export function createRedirectHandler(dependencies: RedirectDependencies): Handler {
  const { report } = dependencies;
  const visits = new VisitHandler(dependencies);
  return (req, res) =>
    visits.answer(req, res).catch((error: unknown) => sendFailure(req, res, error, report));
}

/**
 * Answers visits: reads the request, finds the link (`link-cache.ts`), has the visit decided and counted (`decide-visit.ts`),
 * and sends a redirect or a page (`answer.ts`, `pages.ts`). A visit of a plain cached link waits for nothing, unless the
 * writer of clicks is behind. Passwords of links and of their statistics arrive as posted forms.
 */
class VisitHandler {
  readonly #dependencies: RedirectDependencies;
  readonly #decider: VisitDecider;
  readonly #statisticsPages: StatisticsPages;
  readonly #passwordChecks = new PasswordChecks();
  readonly #forms = new Turns({ max: MAX_FORMS, maxOfOwner: () => MAX_FORMS_OF_NETWORK, maxWaiting: 0 });

  constructor(dependencies: RedirectDependencies) {
    this.#dependencies = dependencies;
    this.#decider = new VisitDecider(dependencies);
    this.#statisticsPages = createStatisticsPages(
      dependencies,
      this.#passwordChecks,
      async (...form) => (await this.#readForm(...form)).password,
    );
  }

  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { links, trust, findCountry, publicStatistics } = this.#dependencies;
    const { method = '' } = req;
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST')
      return send(req, res, 405, { Allow: 'GET, HEAD, POST' });
    const { address, host } = findClient(req, trust);
    const { alias, meaning, visitor } = readVisit(req, () => findCountry(req.headers, address));
    const wait = new VisitWait();
    const found =
      meaning === null
        ? (links.findNow(host, alias) ?? (await links.find(host, alias, wait)))
        : await links.findMeant(host, meaning, wait);
    for (const asked of publicStatistics && meaning !== null ? meaning.statisticsOf : []) {
      const { domain } = found;
      if (await this.#statisticsPages(req, res, { domain, alias: asked, query: visitor.query, address }))
        return;
    }
    const referrer = header(req, 'referer');
    const visit: Visit = { found, visitor, host, address, referrer, isHead: method === 'HEAD', wait };
    if (method === 'POST') return this.#answerForm(req, res, visit);
    const decided = this.#decider.decide(visit);
    return this.#send(req, res, visit, decided instanceof Promise ? await decided : decided);
  }

  /** Answers a posted form: with the password of a link that asks for one. */
  async #answerForm(req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> {
    const { found, visitor, address } = visit;
    const { link } = found;
    const { outcome } = this.#decider.preview(visit);
    if (outcome !== 'PASSWORD' || !link?.password)
      return this.#send(req, res, visit, await this.#decider.decide(visit));
    const { password, referrer } = await this.#readForm(req, res, address);
    const { now } = this.#dependencies;
    const referrerHost = readSignedReferrer(referrer, link.id, link.password, now());
    const owner = { what: nameFor('link', link.id), hash: link.password };
    if (password === '' || !(await this.#passwordChecks.isRight(password, owner, address))) {
      const left = this.#passwordChecks.left(owner.what, address);
      const brand = await this.#brandOf(visit);
      const page = this.#passwordPage(req, found.domain.name, link, referrerHost, left, brand);
      return sendPage(req, res, 401, page);
    }
    const known = {
      ...visit,
      visitor: { ...visitor, country: visitor.country, referrerHost, passwordGiven: true },
    };
    return this.#send(req, res, known, await this.#decider.decide(known));
  }

  #readForm(req: IncomingMessage, res: ServerResponse, address: string): Promise<PasswordForm> {
    const { formTimeout } = this.#dependencies;
    return this.#forms.take(networkName(address), () => formIn(req, res, formTimeout));
  }

  /** The form for a link's password; for a link with rules, it carries along where the visitor came from. */
  #passwordPage(
    req: IncomingMessage,
    host: string,
    { id, password, rules }: Pick<FoundLink, 'id' | 'password' | 'rules'>,
    referrerHost: string | null,
    guessesLeft: number | null,
    brand: BrandColumns | null,
  ): Page {
    const isCarried = referrerHost !== null && password !== null && rules.rules.length > 0;
    const signed = isCarried ? signReferrer(referrerHost, id, password, this.#dependencies.now()) : null;
    return passwordPage(header(req, 'accept-language'), host, guessesLeft, 'password', signed, brand);
  }

  /** The brand of the pages that the visit gets. */
  async #brandOf({ found, wait }: Visit): Promise<BrandColumns | null> {
    const { links, lists } = this.#dependencies;
    return shownBrand(await links.findBrand(found.domain, found.link, wait), lists);
  }

  /** Sends what was decided: a redirect at once, or a page. */
  #send(
    req: IncomingMessage,
    res: ServerResponse,
    visit: Visit,
    decision: RedirectDecision,
  ): void | Promise<void> {
    const { outcome, destination, isCard } = decision;
    const { link, domain } = visit.found;
    if (outcome === 'PASSWORD') return this.#sendBranded(req, res, visit, decision);
    if (isCard && link) return this.#sendCard(req, res, link, visit);
    if (outcome === 'PREVIEW' && link) return this.#sendPreview(req, res, link, domain.name);
    if (outcome === 'PIXELS') return this.#sendBranded(req, res, visit, decision);
    const location = outcome === 'NOT_FOUND' ? this.#findNotFoundUrl(req, visit) : destination;
    const ofLink = outcome === 'REDIRECT' ? (link?.redirectStatus ?? 302) : 302;
    if (location !== null)
      return send(req, res, req.method === 'POST' ? 303 : ofLink, { Location: location });
    return this.#sendBranded(req, res, visit, decision);
  }

  /** Sends a page that people see, with the brand of the account. */
  async #sendBranded(
    req: IncomingMessage,
    res: ServerResponse,
    visit: Visit,
    { outcome, destination }: RedirectDecision,
  ): Promise<void> {
    const brand = await this.#brandOf(visit);
    const { link, domain } = visit.found;
    if (outcome === 'PASSWORD' && link) {
      const referrerHost = visit.visitor.referrerHost ?? null;
      return sendPage(req, res, 401, this.#passwordPage(req, domain.name, link, referrerHost, null, brand));
    }
    if (outcome === 'PIXELS' && link && destination !== null) {
      const isApart = !mayRunPixels(domain, link);
      const language = header(req, 'accept-language');
      return sendPage(req, res, 200, pixelsPage(link.pixels, destination, language, isApart, brand));
    }
    if (outcome === 'REDIRECT' || outcome === 'PIXELS' || outcome === 'PREVIEW' || outcome === 'PASSWORD')
      throw new Error('a visit of a link without one, or without a destination');
    sendMessage(req, res, ...ended[outcome], undefined, brand);
  }

  /** Sends a page with the link's title for bots, which do not learn that of a link with a password. It is not cached: few visits need it. */
  async #sendPreview(
    req: IncomingMessage,
    res: ServerResponse,
    { id, password }: FoundLink,
    host: string,
  ): Promise<void> {
    const { links } = this.#dependencies;
    const found = password === null ? await links.read((db) => readTitle(db, id)) : null;
    sendPage(req, res, 200, previewPage(found?.title ?? null, host, header(req, 'accept-language')));
  }

  /** Sends the page with the link's preview. It is not cached: few visits need it. */
  async #sendCard(
    req: IncomingMessage,
    res: ServerResponse,
    link: FoundLink,
    { visitor, found: { domain, rest } }: Visit,
  ): Promise<void> {
    const { links, scheme } = this.#dependencies;
    const { id, password, expirationClicks } = link;
    const { name: host } = domain;
    const language = header(req, 'accept-language');
    const card = await links.read((db) => readCard(db, id));
    if (card === null) return sendMessage(req, res, ...ended.NOT_FOUND);
    const { previewTitle, title, previewDescription: description, previewImage: hash } = card;
    const isOpen = password === null && expirationClicks === null;
    const page = cardPage(
      {
        // A password guards the link's own title, too.
        title: previewTitle ?? (password === null ? title : null),
        ...{ description, host },
        imageUrl: hash === null ? null : `${scheme}//${host}${imagePath(hash)}`,
        shortUrl: composeShortUrl({ scheme }, { name: host }, card),
        destination: isOpen ? toAscii(forwardTo(card.url, link, visitor.query, rest)) : null,
      },
      language,
    );
    return sendPage(req, res, 200, page);
  }

  /** The domain's URL for unknown aliases; null for none, a blocked one, and the one that was requested. */
  #findNotFoundUrl({ url: requested = '' }: IncomingMessage, { host, found }: Visit): string | null {
    const { name, notFoundUrl } = found.domain;
    if (notFoundUrl === null || this.#dependencies.lists.blocksAddress(notFoundUrl)) return null;
    const [path = ''] = requested.split('?', 1);
    const isSame = listPlaces(path).some((place) => isItself(notFoundUrl, place, [host, name]));
    return isSame ? null : toAscii(notFoundUrl);
  }
}
