import type { Db } from '../db/client.ts';
import { type Actor, owned } from './actor.ts';
import { parseMoment } from './link-input.ts';
import { verifyPassword } from './password.ts';
import { decideRedirect, type RedirectDecision } from './redirect.ts';

/** A link, and a visitor as a request would tell of one. */
export interface ExplainInput {
  readonly linkId: string;
  readonly country?: string | null;
  readonly userAgent?: string | null;
  readonly acceptLanguage?: string | null;
  /** A moment in ISO 8601 with its offset from UTC; now by default. */
  readonly at?: string | null;
  readonly password?: string | null;
  readonly query?: string | null;
}

/**
 * What a visitor would get from the account's own link, and why. Nothing is counted.
 * @throws DomainError VALIDATION
 */
export async function explainRedirect(
  db: Db,
  actor: Actor,
  { linkId, country, userAgent, acceptLanguage, at, password, query }: ExplainInput,
  now: Date,
): Promise<RedirectDecision> {
  const moment = at == null ? now : parseMoment(at, ['input', 'at']);
  const where = owned(actor, linkId);
  const link = where && (await db.link.findUnique({ where, include: { pixels: true } }));
  const hash = link?.password;
  const visitor = {
    country: country?.trim().toUpperCase() || null,
    userAgent: userAgent ?? '',
    platformHint: null,
    acceptLanguage: acceptLanguage ?? '',
    optedOut: false,
    passwordGiven: password != null && hash != null && (await verifyPassword(password, hash)),
    query: query?.replace(/^\?/, '') ?? '',
  };
  return decideRedirect(link, visitor, moment);
}
