import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAlias } from '../domain/link/alias.ts';
import { isBot, type Visitor } from '../domain/visit/visitor.ts';
import { LATE, within } from '../within.ts';

/** A form with a password is far shorter, in bytes. */
const MAX_FORM = 10_000;

/** How much of a header is read, in characters: browsers send far less, and to understand more takes time. */
const LONGEST_HEADER = 1_000;

/** A header's value; empty where it did not come. */
export function header(req: IncomingMessage, name: string): string {
  return String(req.headers[name] ?? '').slice(0, LONGEST_HEADER);
}

/** The only part of a path, decoded; empty where there is none. */
function partOf(path: string): string {
  const [, part = ''] = /^\/([^/]+)\/?$/.exec(path) ?? [];
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/** The text where it can be an alias; else an empty one, which no link has. */
const aliasIn = (text: string): string => (isAlias(text) ? text : '');

/** How long a form may take to come, in milliseconds. */
const FORM_TIMEOUT = 5_000;

/** The password of a posted form; none in one that is too large, or does not come. */
export async function passwordIn(req: IncomingMessage, res: ServerResponse): Promise<string> {
  const password = await within(FORM_TIMEOUT, readPassword(req, res));
  if (password !== LATE) return password;
  res.setHeader('Connection', 'close');
  return '';
}

async function readPassword(req: IncomingMessage, res: ServerResponse): Promise<string> {
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

/** What a request for a short link tells. */
export interface Asked {
  /** The alias that it asks for; an empty one, which no link has, where its path can be none. */
  readonly alias: string;
  /** The alias whose page of statistics it asks for, as `alias+`; else an empty one. */
  readonly statisticsOf: string;
  readonly visitor: Visitor;
}

/** Reads what a request tells of its visitor, who is in the given country. */
export function askedBy(req: IncomingMessage, country: string | null): Asked {
  const [path = '', query = ''] = (req.url ?? '').split(/\?(.*)/s);
  const hint = header(req, 'sec-ch-ua-platform').replaceAll('"', '');
  const userAgent = header(req, 'user-agent');
  const prefetches = /prefetch/i.test(header(req, 'sec-purpose') + header(req, 'purpose'));
  const visitor: Visitor = {
    country,
    userAgent,
    platformHint: hint === '' ? null : hint,
    acceptLanguage: header(req, 'accept-language'),
    optedOut: req.headers.dnt === '1' || req.headers['sec-gpc'] === '1',
    passwordGiven: false,
    counts: req.method !== 'HEAD' && !prefetches && !isBot({ userAgent }),
    query,
  };
  const part = partOf(path);
  const statisticsOf = part.endsWith('+') ? aliasIn(part.slice(0, -1)) : '';
  return { alias: aliasIn(part), statisticsOf, visitor };
}
