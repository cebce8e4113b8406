import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '../../rules/errors.ts';
import { isOnHost } from '../../rules/url.ts';
import { findClient, type Trust } from './client.ts';
import { cookiesNamed } from './cookies.ts';

/** Where a request says that it comes from. */
export type Origin = 'own' | 'elsewhere' | 'unknown';

/** A cookie of the pages for people: over https, browsers send it over https only, and let no other host set it. */
export class OwnCookie {
  readonly #name: string;
  readonly #attributes: string;

  /** @param consoleUrl where these pages are */
  constructor(consoleUrl: string, name: string) {
    const isSecure = consoleUrl.startsWith('https:');
    this.#name = isSecure ? `__Host-${name}` : name;
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** The value, wherever the request comes from; null if it has none, or two: another host has set one of them. */
  of(req: IncomingMessage): string | null {
    const values = cookiesNamed(req, this.#name);
    return values.length === 1 ? (values[0] ?? null) : null;
  }

  /** @param maxAge in seconds */
  set(res: ServerResponse, value: string, maxAge: number): void {
    res.appendHeader('Set-Cookie', `${this.#name}=${value}; Max-Age=${maxAge}; ${this.#attributes}`);
  }

  clear(res: ServerResponse): void {
    this.set(res, '', 0);
  }
}

/** The cookie with the token of people's sessions. */
export class SessionCookies extends OwnCookie {
  readonly #trust: Trust;
  readonly #corsOrigins: readonly string[];

  /** @param consoleUrl where the pages for people are */
  constructor(consoleUrl: string, trust: Trust, corsOrigins: readonly string[]) {
    super(consoleUrl, 'linkspace');
    this.#trust = trust;
    this.#corsOrigins = corsOrigins;
  }

  /** Where the page that sent a request is, as far as browsers tell; `Sec-Fetch-Site` is sent over https and on localhost. */
  originOf(req: IncomingMessage): Origin {
    const { origin, 'sec-fetch-site': site } = req.headers;
    if (site !== undefined && site !== 'none') return site === 'same-origin' ? 'own' : 'elsewhere';
    if (origin === undefined) return 'unknown';
    const { host } = findClient(req, this.#trust);
    return isOnHost(origin, host) ? 'own' : 'elsewhere';
  }

  /** Where the page is that asks for a WebSocket: browsers always send its origin with that, and other programs none. */
  findSocketOrigin(req: IncomingMessage): Origin {
    const { origin } = req.headers;
    if (origin === undefined) return 'unknown';
    const isHere = isOnHost(origin, findClient(req, this.#trust).host);
    return isHere && this.originOf(req) === 'own' ? 'own' : 'elsewhere';
  }

  /**
   * Refuses what a page of another site sends in a person's name. Programs send keys, and sites that may use the API are listed.
   * @throws DomainError FORBIDDEN
   */
  requireOwnPage(req: IncomingMessage): void {
    const { authorization, origin = '' } = req.headers;
    if (authorization !== undefined || this.#corsOrigins.includes(origin)) return;
    if (this.originOf(req) === 'elsewhere')
      throw new DomainError(
        'FORBIDDEN',
        'Another site sent this request: it needs a key in the header Authorization.',
      );
  }

  /** The session's token, if the request comes from the site itself; null otherwise. */
  tokenOf(req: IncomingMessage): string | null {
    return this.originOf(req) === 'own' ? this.of(req) : null;
  }
}
