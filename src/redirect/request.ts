import type { IncomingMessage, ServerResponse } from 'node:http';
import { aliasOfPath, statisticsAliasOfPath } from '../domain/link/alias.ts';
import { isBot } from '../domain/visit/bot.ts';
import type { Visitor } from '../domain/visit/visitor.ts';
import { readBody } from '../http/request/body.ts';

/** The largest form, in bytes; one with a password is far smaller. */
const MAX_FORM = 10_000;

/** Maximum number of characters read of a header. Browsers send far less, and parsing more takes time. */
const MAX_HEADER_LENGTH = 1_000;

/** A header's value; empty if it is absent. */
export function header(req: IncomingMessage, name: string): string {
  return String(req.headers[name] ?? '').slice(0, MAX_HEADER_LENGTH);
}

/** Headers by which current and older browsers mark a prefetch or a preview, and their values. */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const UNSEEN = /prefetch|preview/i;

const FORM_TIMEOUT = 5_000;

/** The password of a posted form; empty if the form is too large or does not arrive. */
export async function passwordIn(
  req: IncomingMessage,
  res: ServerResponse,
  timeout = FORM_TIMEOUT,
): Promise<string> {
  const body = await readBody(req, res, MAX_FORM, timeout);
  return new URLSearchParams(body?.toString()).get('password') ?? '';
}

export interface VisitRequest {
  /** The alias; empty, which no link has, if the path is not valid. */
  readonly alias: string;
  /** The alias of a path `/alias+`, which asks for the page of statistics; else empty. */
  readonly statisticsOf: string;
  readonly visitor: Visitor;
}

/** @param countryOf looks up the country: only if a target or statistics need it, since that takes time */
export function readVisit(req: IncomingMessage, countryOf: () => string | null): VisitRequest {
  const [path = '', query = ''] = (req.url ?? '').split(/\?(.*)/s);
  const hint = header(req, 'sec-ch-ua-platform').replaceAll('"', '');
  const userAgent = header(req, 'user-agent');
  const prefetches = PURPOSES.some((name) => UNSEEN.test(header(req, name)));
  let country: string | null | undefined;
  const visitor: Visitor = {
    get country() {
      if (country === undefined) country = countryOf();
      return country;
    },
    userAgent,
    platformHint: hint === '' ? null : hint,
    acceptLanguage: header(req, 'accept-language'),
    optedOut: req.headers.dnt === '1' || req.headers['sec-gpc'] === '1',
    passwordGiven: false,
    counts: req.method !== 'HEAD' && !prefetches && !isBot({ userAgent }),
    query,
  };
  return { alias: aliasOfPath(path), statisticsOf: statisticsAliasOfPath(path), visitor };
}
