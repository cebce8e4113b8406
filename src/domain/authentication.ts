import type { Db } from '../db/client.ts';
import type { Actor } from './actor.ts';
import { hashKey, parseScopes } from './api-key.ts';
import { DomainError } from './errors.ts';

/** How old the knowledge that no key was revoked may be, in milliseconds; a revoked key is refused within a second. */
const TRUSTED_FOR = 900;
/** How often it is renewed while nobody waits for it, in milliseconds. */
const RENEWED_EVERY = 400;
/** How exact a key's last-used time is, in milliseconds. */
const LAST_USED_EVERY = 60_000;
/** How many keys a process remembers. */
const REMEMBERED = 10_000;

interface Remembered {
  readonly actor: Actor;
  readonly expiresAt: Date | null;
  lastUsedAt: number;
}

/**
 * Verifies API keys from memory. A trigger raises one number whenever a key is changed, revoked or deleted; while that
 * number stands, what is remembered is true, so that a request costs no query.
 */
export class Authentication {
  readonly #db: Db;
  readonly #now: () => Date;
  readonly #keys = new Map<string, Remembered>();
  readonly #pendingWrites = new Set<Promise<unknown>>();
  #revision: number | null = null;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #confirming: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db, now: () => Date) {
    this.#db = db;
    this.#now = now;
  }

  /** Renews the knowledge in the background, so that a request after a pause need not wait for it. */
  start(): void {
    this.#timer = setInterval(() => {
      if (this.#keys.size > 0) this.#confirm().catch(() => {});
    }, RENEWED_EVERY).unref();
  }

  /** Ends the background work, and waits for last-used times that are being written. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled([...this.#pendingWrites, this.#confirming]);
  }

  /**
   * Whom an `Authorization` header speaks for.
   * @throws DomainError UNAUTHENTICATED where it is missing or malformed, or its key unknown, revoked or expired.
   */
  async authenticate(header: string | undefined): Promise<Actor> {
    const key = /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1];
    if (key === undefined)
      throw new DomainError('UNAUTHENTICATED', 'Send an API key: "Authorization: Bearer <API_KEY>".');
    const hash = hashKey(key);
    if (performance.now() - this.#confirmedAt > TRUSTED_FOR) await this.#confirm();
    const known = this.#keys.get(hash) ?? (await this.#load(hash));
    const now = this.#now();
    if (known === null || (known.expiresAt !== null && known.expiresAt <= now)) {
      throw new DomainError('UNAUTHENTICATED', 'The API key is unknown, revoked or expired.');
    }
    this.#used(known, now);
    return known.actor;
  }

  /** Asks once for all who wait; the age counts from before the question, never from the answer. */
  #confirm(): Promise<void> {
    this.#confirming ??= (async () => {
      const askedAt = performance.now();
      const row = await this.#db.revision.findUnique({ where: { topic: 'keys' } });
      const number = row?.number ?? null;
      if (number !== this.#revision) this.#keys.clear();
      this.#revision = number;
      this.#confirmedAt = askedAt;
    })().finally(() => {
      this.#confirming = null;
    });
    return this.#confirming;
  }

  async #load(hash: string): Promise<Remembered | null> {
    const revision = this.#revision;
    const row = await this.#db.apiKey.findUnique({ where: { hash } });
    if (row === null || row.revokedAt !== null) return null;
    const known: Remembered = {
      actor: { accountId: row.accountId, keyId: row.id, scopes: new Set(parseScopes(row.scopes)) },
      expiresAt: row.expiresAt,
      lastUsedAt: row.lastUsedAt?.getTime() ?? 0,
    };
    // Read before a change that has been noticed since: good for this request only.
    if (revision !== this.#revision) return known;
    const oldest = this.#keys.keys().next();
    if (this.#keys.size >= REMEMBERED && !oldest.done) this.#keys.delete(oldest.value);
    this.#keys.set(hash, known);
    return known;
  }

  /** Notes the use at most once a minute for each key, outside the request's way. */
  #used(known: Remembered, now: Date): void {
    if (now.getTime() - known.lastUsedAt < LAST_USED_EVERY) return;
    known.lastUsedAt = now.getTime();
    const write = this.#db.apiKey
      .updateMany({ where: { id: known.actor.keyId }, data: { lastUsedAt: now } })
      // Telling when a key was last used is no reason to refuse its holder.
      .catch(() => {})
      .finally(() => this.#pendingWrites.delete(write));
    this.#pendingWrites.add(write);
  }
}
