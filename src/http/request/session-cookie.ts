import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NewSession } from '../../domain/access/session.ts';
import { DomainError } from '../../domain/errors.ts';
import { hostOf } from '../../domain/url.ts';
import { clientOf, type Trust } from './client.ts';

/** Where a request says that it comes from. */
export type Origin = 'own' | 'elsewhere' | 'unknown';

/** The value of a cookie; null if the request has none of that name. */
export function cookieOf({ headers }: IncomingMessage, name: string): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

/** The cookie of people's sessions. */
export class SessionCookies {
  readonly #name: string;
  readonly #attributes: string;
  readonly #trust: Trust;
  readonly #corsOrigins: readonly string[];

  /** @param consoleUrl where the pages for people are: over https, browsers send the cookie over https only */
  constructor(consoleUrl: string, trust: Trust, corsOrigins: readonly string[]) {
    this.#corsOrigins = corsOrigins;
    const isSecure = consoleUrl.startsWith('https:');
    this.#name = isSecure ? '__Host-linkspace' : 'linkspace';
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
    this.#trust = trust;
  }

  /** Where the page that sent a request is, as far as browsers tell; `Sec-Fetch-Site` is sent over https and on localhost. */
  originOf(req: IncomingMessage): Origin {
    const { origin, 'sec-fetch-site': site } = req.headers;
    if (site !== undefined && site !== 'none') return site === 'same-origin' ? 'own' : 'elsewhere';
    if (origin === undefined) return 'unknown';
    const { host } = clientOf(req, this.#trust);
    return URL.canParse(origin) && hostOf(origin) === host.toLowerCase() ? 'own' : 'elsewhere';
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
    return this.originOf(req) === 'own' ? this.anyTokenOf(req) : null;
  }

  /** The session's token, wherever the request comes from. */
  anyTokenOf(req: IncomingMessage): string | null {
    return cookieOf(req, this.#name);
  }

  set(res: ServerResponse, { token, maxAge }: NewSession): void {
    res.appendHeader('Set-Cookie', `${this.#name}=${token}; Max-Age=${maxAge}; ${this.#attributes}`);
  }

  clear(res: ServerResponse): void {
    res.appendHeader('Set-Cookie', `${this.#name}=; Max-Age=0; ${this.#attributes}`);
  }
}
