import type { Revisions } from '../../db/change/revisions.ts';
import type { Db } from '../../db/connection/client.ts';
import { DomainError } from '../errors.ts';
import type { Actor } from './actor.ts';
import { hashKey, parseScopes } from './api-key.ts';
import { keyChanges } from './key-changes.ts';

/** How exact a key's last-used time is, in milliseconds. */
const LAST_USED_EVERY = 60_000;
/** How many keys a process remembers. */
const REMEMBERED = 10_000;

/** How often the list of all keys is read at most, in milliseconds, and how many of them, the newest first. */
const LISTED_EVERY = 1_000;
const LISTED = 10_000;

interface Remembered {
  readonly actor: Actor;
  readonly expiresAt: Date | null;
  lastUsedAt: number;
}

/** The key of a header; null where it has none. */
function keyIn(header: string | undefined): string | null {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1] ?? null;
}

/**
 * Verifies API keys from memory, so that a request costs no query, and forgets them whenever a key was changed, revoked
 * or deleted.
 */
export class Authentication {
  readonly #db: Db;
  readonly #revisions: Revisions;
  readonly #now: () => Date;
  readonly #keys = new Map<string, Remembered>();
  #list: { readAt: number; changes: number; hashes: Promise<ReadonlySet<string>> } = {
    readAt: Number.NEGATIVE_INFINITY,
    changes: 0,
    hashes: Promise.resolve(new Set<string>()),
  };
  readonly #pendingWrites = new Set<Promise<unknown>>();

  constructor(db: Db, revisions: Revisions, now: () => Date) {
    this.#db = db;
    this.#revisions = revisions;
    this.#now = now;
    revisions.watch('keys', () => this.#keys.clear());
  }

  /** Waits for last-used times that are being written. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#pendingWrites);
  }

  /** Whom an `Authorization` header speaks for, where that is known without a question; else null. */
  async remembered(header: string | undefined): Promise<Actor | null> {
    const key = keyIn(header);
    if (key === null || this.#keys.size === 0) return null;
    await this.#revisions.fresh();
    const now = this.#now();
    const known = this.#keys.get(hashKey(key));
    if (known === undefined || (known.expiresAt !== null && known.expiresAt <= now)) return null;
    this.#used(known, now);
    return known.actor;
  }

  /**
   * Whether the header's key is among those that exist, by a list of all that is read at most once a second: whoever sends
   * many wrong keys does not have each of them looked up.
   */
  async isListed(header: string | undefined): Promise<boolean> {
    const key = keyIn(header);
    if (key === null) return false;
    const [now, changes] = [performance.now(), keyChanges()];
    if (now - this.#list.readAt > LISTED_EVERY || changes !== this.#list.changes)
      this.#list = { readAt: now, changes, hashes: this.#readList() };
    return (await this.#list.hashes).has(hashKey(key));
  }

  async #readList(): Promise<ReadonlySet<string>> {
    const keys = await this.#db.apiKey.findMany({
      where: { revokedAt: null },
      select: { hash: true },
      orderBy: { id: 'desc' },
      take: LISTED,
    });
    return new Set(keys.map(({ hash }) => hash));
  }

  /**
   * Whom an `Authorization` header speaks for, as the database says.
   * @throws DomainError UNAUTHENTICATED where it is missing or malformed, or its key unknown, revoked or expired.
   */
  async authenticate(header: string | undefined): Promise<Actor> {
    const key = keyIn(header);
    if (key === null)
      throw new DomainError('UNAUTHENTICATED', 'Send an API key: "Authorization: Bearer <API_KEY>".');
    await this.#revisions.fresh();
    const now = this.#now();
    const known = await this.#load(hashKey(key), now);
    if (known === null)
      throw new DomainError('UNAUTHENTICATED', 'The API key is unknown, revoked or expired.');
    this.#used(known, now);
    return known.actor;
  }

  /** A key that was revoked or has expired is looked for as one that never was: the time it takes tells nothing. */
  async #load(hash: string, now: Date): Promise<Remembered | null> {
    const revision = this.#revisions.numberOf('keys');
    const isCurrent = { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
    const row = await this.#db.apiKey.findFirst({ where: { hash, revokedAt: null, ...isCurrent } });
    if (row === null) return null;
    const known: Remembered = {
      actor: { accountId: row.accountId, keyId: row.id, scopes: new Set(parseScopes(row.scopes)) },
      expiresAt: row.expiresAt,
      lastUsedAt: row.lastUsedAt?.getTime() ?? 0,
    };
    // Read before a change that has been noticed since: good for this request only.
    if (revision !== this.#revisions.numberOf('keys')) return known;
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
