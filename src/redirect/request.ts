import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PathMeaning, plainAliasOfPath, readPath } from '../domain/link/alias.ts';
import { hostOfReferrer } from '../domain/rule/facts.ts';
import { isBot } from '../domain/visit/bot.ts';
import type { Visitor } from '../domain/visit/visitor.ts';
import { readBody } from '../engine/http/request/body.ts';

/** The largest form, in bytes; one with a password is far smaller. */
const MAX_FORM = 10_000;

/** Maximum number of characters read of a header. Browsers send far less, and parsing more takes time. */
const MAX_HEADER_LENGTH = 1_000;

/** A header's value; empty if it is absent. */
export function header(req: IncomingMessage, name: string): string {
  const value = req.headers[name];
  return value === undefined ? '' : String(value).slice(0, MAX_HEADER_LENGTH);
}

/** Headers by which current and older browsers mark a prefetch or a preview, and their values. */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const UNSEEN = /prefetch|preview/i;

const FORM_TIMEOUT = 5_000;

/** The fields of a posted form: the password, and where the visitor came from. */
export interface PasswordForm {
  readonly password: string;
  readonly referrer: string;
}

/** A posted form; its fields are empty if it is too large or does not arrive. */
export async function formIn(
  req: IncomingMessage,
  res: ServerResponse,
  timeout = FORM_TIMEOUT,
): Promise<PasswordForm> {
  const body = await readBody(req, res, MAX_FORM, timeout);
  const fields = new URLSearchParams(body?.toString());
  return { password: fields.get('password') ?? '', referrer: fields.get('referrer') ?? '' };
}

export interface VisitRequest {
  /** The alias of a path that is nothing else, as most are; else empty. */
  readonly alias: string;
  /** The meaning of any other path. */
  readonly meaning: PathMeaning | null;
  readonly visitor: Visitor;
}

/** The visitor of a request. Its getters are no properties of its own: a copy by `...` has to name them. */
class RequestVisitor implements Visitor {
  readonly userAgent: string;
  readonly platformHint: string | null;
  readonly acceptLanguage: string;
  readonly optedOut: boolean;
  readonly passwordGiven = false;
  readonly counts: boolean;
  readonly query: string;
  readonly #findCountry: () => string | null;
  readonly #referrer: string;
  #country: string | null | undefined;

  constructor(req: IncomingMessage, query: string, findCountry: () => string | null) {
    const { headers, method } = req;
    const hint = header(req, 'sec-ch-ua-platform').replaceAll('"', '');
    const prefetches = PURPOSES.some((name) => name in headers && UNSEEN.test(header(req, name)));
    this.userAgent = header(req, 'user-agent');
    this.platformHint = hint === '' ? null : hint;
    this.acceptLanguage = header(req, 'accept-language');
    this.optedOut = headers.dnt === '1' || headers['sec-gpc'] === '1';
    this.counts = method !== 'HEAD' && !prefetches && !isBot(this);
    this.query = query;
    this.#findCountry = findCountry;
    this.#referrer = header(req, 'referer');
  }

  get country(): string | null {
    if (this.#country === undefined) this.#country = this.#findCountry();
    return this.#country;
  }

  get referrerHost(): string | null {
    return hostOfReferrer(this.#referrer);
  }
}

/** @param findCountry looks up the country: only if a target or statistics need it, since that takes time */
export function readVisit(req: IncomingMessage, findCountry: () => string | null): VisitRequest {
  const { url = '' } = req;
  const queryAt = url.indexOf('?');
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  const query = queryAt === -1 ? '' : url.slice(queryAt + 1);
  const visitor = new RequestVisitor(req, query, findCountry);
  const alias = plainAliasOfPath(path);
  return { alias, meaning: alias === '' ? readPath(path) : null, visitor };
}
