import type { IncomingMessage } from 'node:http';
import { invalidField } from '../../rules/errors.ts';
import { refusal } from '../../rules/refusal.ts';

/** The longest value of a header that is read, in characters: those of browsers have a few hundred. */
export const MAX_HEADER = 1_000;

/** Headers that are read as far as that. */
const CUT: ReadonlySet<string> = new Set(['user-agent', 'accept-language', 'referer']);
/** Headers of any length. The first three are read once a request, in one pass; longer ones of the others are refused. */
const WHOLE: ReadonlySet<string> = new Set([
  ...['cookie', 'authorization', 'x-forwarded-for'],
  ...['idempotency-key', 'x-account'],
]);

/**
 * Shortens the headers of a request, before anything reads them: what it takes to read one depends on its length. Longer ones
 * are cut, or count as absent. Node joins the values of a repeated header.
 */
export function shortenHeaders({ headers, rawHeaders }: IncomingMessage): void {
  let length = 0;
  for (let at = 1; at < rawHeaders.length; at += 2) length += (rawHeaders[at]?.length ?? 0) + 2;
  if (length <= MAX_HEADER) return;
  for (const [name, value] of Object.entries(headers)) {
    const text = String(value);
    if (text.length <= MAX_HEADER || WHOLE.has(name)) continue;
    if (CUT.has(name)) headers[name] = copyText(text.slice(0, MAX_HEADER));
    else if (name === 'accept') headers.accept = '*/*';
    else delete headers[name];
  }
}

/** A part of a text that does not keep the rest of it in memory: caches have headers as their keys. */
function copyText(part: string): string {
  return Buffer.from(part, 'latin1').toString('latin1');
}

/** The longest id of an account in a header, in characters. */
const MAX_ACCOUNT = 255;

/** The account that a request names; undefined for none. @throws DomainError VALIDATION if it is too long */
export function accountIn({ headers }: IncomingMessage): string | undefined {
  const given = headers['x-account'];
  if (given === undefined) return undefined;
  const account = String(given);
  if (account.length <= MAX_ACCOUNT) return account;
  throw invalidField('X-Account', refusal('MAX_LENGTH_GIVEN', { max: MAX_ACCOUNT, length: account.length }));
}
