import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../../db/change/feed.ts';
import type { Database } from '../../db/database.ts';
import { growingTo } from '../../shared/growing-cache.ts';
import { DomainError } from '../errors.ts';
import type { Actor } from './actor.ts';
import { hashKey } from './actor.ts';
import { keysCreated, parseScopes, validKeys } from './api-key.ts';

/** The precision of a key's last-used time, in milliseconds. */
const LAST_USED_INTERVAL = 60_000;
/** How many keys a process caches. */
const MAX_CACHED = 10_000;

/** How often keys in use are checked for their expiry, in milliseconds. */
const CHECK_INTERVAL = 5_000;

/** The minimum time between two reads of the list of keys, in milliseconds, and how many of the newest keys it has. */
const LIST_INTERVAL = 1_000;
const MAX_LISTED = 10_000;

interface Remembered {
  readonly actor: Actor;
  readonly expiresAt: Date | null;
  lastUsedAt: number;
}

/** A long answer, such as a subscription or a large file. */
interface Use {
  readonly keyId: number;
  end(): void;
}

function keyIn(header: string | undefined): string | null {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1] ?? null;
}

/**
 * Verifies API keys with a cache, so that a request costs no query. When a key is changed, revoked or deleted, the cache is
 * cleared, and the long answers of keys that are no longer valid are ended; those of expired keys are ended soon.
 */
export class Authentication {
  readonly #db: Database;
  readonly #feed: ChangeFeed;
  readonly #now: () => Date;
  readonly #keys = new LRUCache<string, Remembered>(growingTo(MAX_CACHED));
  #list: { readAt: number; created: number; hashes: Promise<ReadonlySet<string>> } | null = null;
  readonly #pendingWrites = new Set<Promise<unknown>>();
  readonly #uses = new Set<Use>();
  #timer: NodeJS.Timeout | undefined;
  /** How often keys were changed. */
  #version = 0;

  constructor(db: Database, feed: ChangeFeed, now: () => Date) {
    this.#db = db;
    this.#feed = feed;
    this.#now = now;
    db.changes.on('keys', () => {
      this.#version++;
      this.#keys.clear();
      void this.#checkUses();
    });
  }

  start(): void {
    this.#timer = setInterval(() => void this.#checkUses(), CHECK_INTERVAL).unref();
  }

  /** Waits for pending writes of last-used times. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled(this.#pendingWrites);
  }

  /** Calls `end` when the key is no longer valid. The returned function ends the use. */
  use(keyId: number, end: () => void): () => void {
    const use = { keyId, end };
    this.#uses.add(use);
    return () => this.#uses.delete(use);
  }

  /** Ends the uses of keys that are no longer valid. While the database is down, they continue. */
  async #checkUses(): Promise<void> {
    // Those that begin meanwhile may be of a new key.
    const uses = [...this.#uses];
    if (uses.length === 0) return;
    const where = { id: { in: uses.map(({ keyId }) => keyId) }, ...validKeys(this.#now()) };
    const valid = await this.#db.prisma.apiKey.findMany({ where, select: { id: true } }).catch(() => null);
    if (valid === null) return;
    const good = new Set(valid.map(({ id }) => id));
    for (const use of uses) if (!good.has(use.keyId)) use.end();
  }

  /** The caller of an `Authorization` header, from the cache; null if it is not cached. */
  async remembered(header: string | undefined): Promise<Actor | null> {
    const key = keyIn(header);
    if (key === null || this.#keys.size === 0) return null;
    await this.#feed.fresh();
    const now = this.#now();
    const known = this.#keys.get(hashKey(key));
    if (known === undefined || (known.expiresAt !== null && known.expiresAt <= now)) return null;
    this.#used(known, now);
    return known.actor;
  }

  /**
   * Whether the header's key is in a list of all keys, which is read at most once a second: so many wrong keys do not
   * cost a query each.
   */
  async isListed(header: string | undefined): Promise<boolean> {
    const key = keyIn(header);
    if (key === null) return false;
    const [now, created] = [performance.now(), keysCreated()];
    if (this.#list === null || now - this.#list.readAt > LIST_INTERVAL || created !== this.#list.created)
      this.#list = { readAt: now, created, hashes: this.#readList() };
    return (await this.#list.hashes).has(hashKey(key));
  }

  async #readList(): Promise<ReadonlySet<string>> {
    const keys = await this.#db.prisma.apiKey.findMany({
      where: { revokedAt: null },
      select: { hash: true },
      orderBy: { id: 'desc' },
      take: MAX_LISTED,
    });
    return new Set(keys.map(({ hash }) => hash));
  }

  /**
   * The caller of an `Authorization` header, from the database.
   * @throws DomainError UNAUTHENTICATED if the header is missing or malformed, or its key unknown, revoked or expired.
   */
  async authenticate(header: string | undefined): Promise<Actor> {
    const key = keyIn(header);
    if (key === null)
      throw new DomainError('UNAUTHENTICATED', 'Send an API key: "Authorization: Bearer <API_KEY>".');
    await this.#feed.fresh();
    const now = this.#now();
    const known = await this.#load(hashKey(key), now);
    if (known === null)
      throw new DomainError('UNAUTHENTICATED', 'The API key is unknown, revoked or expired.');
    this.#used(known, now);
    return known.actor;
  }

  /** A revoked or expired key is looked up like an unknown one, so that the response time reveals nothing. */
  async #load(hash: string, now: Date): Promise<Remembered | null> {
    const version = this.#version;
    const row = await this.#db.prisma.apiKey.findFirst({ where: { hash, ...validKeys(now) } });
    if (row === null) return null;
    const known: Remembered = {
      actor: { accountId: row.accountId, keyId: row.id, scopes: new Set(parseScopes(row.scopes)) },
      expiresAt: row.expiresAt,
      lastUsedAt: row.lastUsedAt?.getTime() ?? 0,
    };
    // If keys have changed during the read, the result is for this request only.
    if (version !== this.#version) return known;
    this.#keys.set(hash, known);
    return known;
  }

  /** Writes the last-used time at most once a minute for each key; the request does not wait for it. */
  #used(known: Remembered, now: Date): void {
    if (now.getTime() - known.lastUsedAt < LAST_USED_INTERVAL) return;
    known.lastUsedAt = now.getTime();
    const write = this.#db.prisma.apiKey
      .updateMany({ where: { id: known.actor.keyId }, data: { lastUsedAt: now } })
      // A failed write of the last-used time is no reason to refuse the request.
      .catch(() => {})
      .finally(() => this.#pendingWrites.delete(write));
    this.#pendingWrites.add(write);
  }
}
