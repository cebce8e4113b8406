import { LRUCache } from 'lru-cache';
import { accessChangedBetween, type ChangedAccess } from '../../db/access-changes.ts';
import type { Database } from '../../db/database.ts';
import type { ChangeFeed } from '../../engine/changes/feed.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { growingTo } from '../../engine/tools/growing-cache.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import { singleFlight } from '../../engine/tools/single-flight.ts';
import type { Session } from '../../generated/sqlite/client.ts';
import { hashToken, notMember } from './actor.ts';
import { keysCreated, validKeys } from './api-key.ts';
import { LiveActor } from './live-actor.ts';
import {
  type Identity,
  type Rights,
  readStates,
  type SessionRow,
  stateOfKey,
  stateOfSession,
  unknownKey,
  withAccount,
  withUser,
} from './rights.ts';
import { liveSessions, sessionEnded, sessionsBegun } from './session.ts';

/** The precision of the last-used time of a key or session, in milliseconds. */
const LAST_USED_INTERVAL = 60_000;
/** Maximum number of keys and sessions in a process's cache. */
const MAX_CACHED = 10_000;

/** A condition for what is not of a disabled account, which is its state, too. One statement reads a key, known or unknown. */
const enabled = { account: { disabledAt: null } };

/** Milliseconds between two checks for expired keys and sessions, and before a failed check is repeated. */
const CHECK_INTERVAL = 1_000;
/** Maximum number of callers that one check reads, so that other reads run in between. */
const CHECKED_AT_ONCE = 500;

/** The minimum time between two reads of the list of keys, in milliseconds, and how many of the newest keys and sessions it has. */
const LIST_INTERVAL = 1_000;
const MAX_LISTED = 10_000;

/** The key in an `Authorization` header. */
export function keyIn(header: string | undefined): string | null {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1] ?? null;
}

/** Returns true if the rights of a caller may have changed. */
function isConcerned(
  { accountId, keyId, session, memberId, userId }: LiveActor,
  { keys, sessions, members, users, accounts }: ChangedAccess,
): boolean {
  const has = (ids: ReadonlySet<number>, id: number | null | undefined) => id != null && ids.has(id);
  return (
    has(keys, keyId) ||
    has(sessions, session?.id) ||
    has(members, memberId) ||
    has(users, userId) ||
    has(accounts, accountId)
  );
}

/**
 * Verifies API keys and sessions with a cache, so that a request costs no query. All callers that are cached or in a request are
 * registered: when a key, session, membership or user changes, in any process, the rights of its own callers are read again.
 */
export class Authentication {
  readonly #db: Database;
  readonly #feed: ChangeFeed;
  readonly #now: () => Date;
  readonly #cache = new LRUCache<string, LiveActor>(growingTo(MAX_CACHED));
  /** The callers that are cached or in use. */
  readonly #actors = new Set<WeakRef<LiveActor>>();
  readonly #collected = new FinalizationRegistry<WeakRef<LiveActor>>((ref) => this.#actors.delete(ref));
  #list: { readAt: number; created: number; names: Promise<ReadonlySet<string>> } | null = null;
  readonly #pendingWrites = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  /** The number of changes of keys, as far as this process was told. */
  #version = 0;
  /** The number of the last change that this process was told of. */
  #told = 0;
  /** Up to which version, and change, it is known whom the changes concern; null before the first. */
  #sorted: { readonly version: number; readonly number: number } | null = null;
  /** Brings all callers up to date; one at a time. */
  readonly #update = singleFlight(() => this.#db.onBehalfOf(undefined, () => this.#checkOutdated()));

  constructor(db: Database, feed: ChangeFeed, now: () => Date) {
    this.#db = db;
    this.#feed = feed;
    this.#now = now;
    db.changes.on('keys', (number) => {
      this.#version++;
      this.#told = number;
      this.#updateSoon();
    });
  }

  start(): void {
    this.#timer = setInterval(() => void this.#checkExpired(), CHECK_INTERVAL).unref();
  }

  /** Waits for pending writes of last-used times. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled(this.#pendingWrites);
  }

  /** The callers that are cached or in use, and have not ended. */
  *#live(): Iterable<LiveActor> {
    for (const ref of this.#actors) {
      const actor = ref.deref();
      if (actor === undefined || actor.hasEnded) this.#actors.delete(ref);
      else yield actor;
    }
  }

  /** Registers a caller whose row was read at a version: what has changed since is read again. */
  #register(identity: Identity, rights: Rights, version: number): LiveActor {
    const actor = new LiveActor(identity, rights, version, this.#now);
    const ref = new WeakRef(actor);
    this.#actors.add(ref);
    this.#collected.register(actor, ref);
    if (version !== this.#version) this.#updateSoon();
    return actor;
  }

  #updateSoon(): void {
    // The timer repeats it.
    this.#update().catch(() => {});
  }

  async #checkOutdated(): Promise<void> {
    for (;;) {
      await this.#sortOut();
      const version = this.#version;
      // More has changed meanwhile.
      if (this.#sorted?.version !== version) continue;
      const outdated: LiveActor[] = [];
      for (const actor of this.#live()) {
        if (actor.version !== version) outdated.push(actor);
        if (outdated.length === CHECKED_AT_ONCE) break;
      }
      if (outdated.length === 0) return;
      await this.#check(outdated, version);
    }
  }

  /** Marks the callers as up to date whom the changes since the last time do not concern. */
  async #sortOut(): Promise<void> {
    const [before, version, number] = [this.#sorted, this.#version, this.#told];
    if (before?.version === version) return;
    const changed = before && (await accessChangedBetween(this.#db, before.number, number));
    if (before && changed)
      for (const actor of this.#live())
        if (actor.version === before.version && !isConcerned(actor, changed)) actor.version = version;
    this.#sorted = { version, number };
  }

  /** Reads what callers may do now. */
  async #check(actors: readonly LiveActor[], version: number): Promise<void> {
    const actorStates = await readStates(this.#db, actors);
    for (const actor of actors) actor.become(actorStates(actor), version);
  }

  /**
   * Reads what a caller may do now, for work that takes long.
   * @throws DomainError UNAUTHENTICATED; FORBIDDEN if the user is not a member of the account any more
   */
  async updateRights(actor: LiveActor): Promise<void> {
    await this.#check([actor], this.#version);
    actor.requireAlive();
  }

  /** Ends the long answers of callers that the clock has ended, and repeats a check that failed. */
  async #checkExpired(): Promise<void> {
    const soon = new Date(this.#now().getTime() + 2 * CHECK_INTERVAL);
    const ending = [...this.#live()].filter((actor) => actor.isInUse && actor.isExpired(soon));
    // It may have been used elsewhere.
    for (const actor of ending) if (actor.session !== null) actor.version = -1;
    await this.#update().catch(() => {});
    for (const actor of ending) if (actor.version >= 0) actor.expire(this.#now());
  }

  /** The caller with a key, by its hash, from the cache; null if it is not cached. */
  remembered(hash: string): Promise<LiveActor | null> {
    return this.#rememberedAs(keyName(hash));
  }

  async #rememberedAs(name: string): Promise<LiveActor | null> {
    if (this.#cache.size === 0) return null;
    await this.#feed.fresh();
    const known = this.#cache.get(name);
    if (known === undefined) return null;
    // If the database does not answer, the look-up tells.
    if (known.version !== this.#version) await this.#update().catch(() => {});
    const now = this.#now();
    if (known.version !== this.#version || known.hasEnded || known.isExpired(now)) return null;
    this.#used(known, now);
    return known;
  }

  /**
   * True if the list of all keys and sessions has this name. The list is read at most once a second, so that many wrong
   * keys do not cost a query each.
   */
  async isListed(name: string): Promise<boolean> {
    const [now, created] = [performance.now(), keysCreated() + sessionsBegun()];
    if (this.#list === null || now - this.#list.readAt > LIST_INTERVAL || created !== this.#list.created)
      this.#list = { readAt: now, created, names: this.#readList() };
    return (await this.#list.names).has(name);
  }

  async #readList(): Promise<ReadonlySet<string>> {
    const { apiKey, session } = this.#db.prisma;
    const newest = { select: { hash: true }, orderBy: { id: 'desc' }, take: MAX_LISTED } as const;
    const [keys, sessions] = await Promise.all([
      apiKey.findMany({ where: { revokedAt: null }, ...newest }),
      session.findMany({ where: liveSessions(this.#now()), ...newest }),
    ]);
    return new Set([
      ...keys.map(({ hash }) => keyName(hash)),
      ...sessions.map(({ hash }) => nameFor('session', hash)),
    ]);
  }

  /**
   * The caller with a key, by its hash, from the database.
   * @param hash null if the header `Authorization` is missing or malformed
   * @throws DomainError UNAUTHENTICATED if there is no key, or it is unknown, revoked or expired.
   */
  async authenticate(hash: string | null): Promise<LiveActor> {
    if (hash === null)
      throw new DomainError('UNAUTHENTICATED', 'Send an API key: "Authorization: Bearer <API_KEY>".');
    await this.#feed.fresh();
    const now = this.#now();
    const known = await this.#load(hash, now);
    if (known === null) throw unknownKey();
    this.#used(known, now);
    return known;
  }

  /** A revoked or expired key is looked up like an unknown one, so that the response time reveals nothing. */
  async #load(hash: string, now: Date): Promise<LiveActor | null> {
    const version = this.#version;
    const { prisma } = this.#db;
    const row = await prisma.apiKey.findFirst({ where: { hash, ...validKeys(now), ...enabled } });
    if (row === null) return null;
    const { accountId, id: keyId, makerId: memberId } = row;
    const isOfMember = row.role !== null && memberId !== null;
    const maker = isOfMember
      ? await prisma.membership.findUnique({ where: { id: memberId }, ...withUser })
      : null;
    const state = stateOfKey({ ...row, ...enabled }, maker);
    if (typeof state === 'function') return null;
    return this.#remember(
      keyName(hash),
      { accountId, keyId, userId: null, session: null, memberId },
      state,
      version,
    );
  }

  /** If keys have changed during the read since a version, its result is for one request only. */
  #remember(name: string, identity: Identity, rights: Rights, version: number): LiveActor {
    const actor = this.#register(identity, rights, version);
    if (version === this.#version) this.#cache.set(name, actor);
    return actor;
  }

  /** Returns the cached caller with a session's token in an account; without one, in the user's first account. */
  rememberedSession(token: string, account: string | undefined): Promise<LiveActor | null> {
    return this.#rememberedAs(sessionName(token, account));
  }

  /**
   * The user with a session, in the account with an id or the first of theirs, from the database. Disabled accounts do not count.
   * @throws DomainError UNAUTHENTICATED; FORBIDDEN if they are not a member of the account
   */
  async authenticateSession(token: string, account: string | undefined): Promise<LiveActor> {
    const now = this.#now();
    const version = this.#version;
    const row = await this.#db.prisma.session.findFirst({
      where: { hash: hashToken(token), ...liveSessions(now) },
      include: { user: { include: { memberships: { ...withAccount, orderBy: { id: 'asc' } } } } },
    });
    if (row === null) throw sessionEnded();
    const member = row.user.memberships.find(
      (one) =>
        one.account.disabledAt === null && (account === undefined || String(one.accountId) === account),
    );
    const state = stateOfSession(row, member);
    if (member === undefined || typeof state === 'function') throw notMember();
    const { accountId, userId, id: memberId } = member;
    const session = { id: row.id, signedInAt: row.signedInAt };
    const identity = { accountId, keyId: null, userId, session, memberId };
    const known = this.#remember(sessionName(token, account), identity, state, version);
    this.#used(known, now);
    return known;
  }

  /**
   * Registers a session that a request about no account has found.
   * @param version that of `version` before it was read
   */
  registerSession(
    row: SessionRow & Pick<Session, 'id' | 'userId' | 'signedInAt'>,
    version: number,
  ): LiveActor {
    const { id, userId, signedInAt } = row;
    const identity = { accountId: 0, keyId: null, userId, session: { id, signedInAt }, memberId: null };
    const rights = { role: null, permissions: new Set<never>(), expiresAt: null, lastUsedAt: row.lastUsedAt };
    return this.#register(identity, rights, version);
  }

  /** Number of changes of keys that this process knows of. */
  get version(): number {
    return this.#version;
  }

  /** Writes the last-used time at most once a minute for each key or session; the request does not wait for it. */
  #used(known: LiveActor, now: Date): void {
    if (now.getTime() - known.lastUsedAt < LAST_USED_INTERVAL) return;
    known.usedAt(now);
    const { keyId, session } = known;
    const { apiKey, session: sessions } = this.#db.prisma;
    const data = { lastUsedAt: now };
    const write: Promise<unknown> = (
      session
        ? sessions.updateMany({ where: { id: session.id, lastUsedAt: { lt: now } }, data })
        : apiKey.updateMany({ where: { id: keyId ?? 0 }, data })
    )
      // A failed write of the last-used time is no reason to refuse the request.
      .catch(() => {})
      .finally(() => this.#pendingWrites.delete(write));
    this.#pendingWrites.add(write);
  }
}

/** The name of a key, by its hash. */
export function keyName(hash: string): string {
  return nameFor('key', hash);
}

/** The name of a session, or of what it may do in an account: an empty account is not an absent one. */
export function sessionName(token: string, account?: string): string {
  return nameFor('session', hashToken(token), ...(account === undefined ? [] : [account]));
}
