import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../../db/change/feed.ts';
import type { Database } from '../../db/database.ts';
import type { ApiKey } from '../../generated/sqlite/client.ts';
import { growingTo } from '../../shared/growing-cache.ts';
import { nameFor } from '../../shared/name-for.ts';
import { DomainError } from '../errors.ts';
import { type Actor, hashToken, notMember } from './actor.ts';
import { keysCreated, parseScopes, validKeys } from './api-key.ts';
import { isRole, lowestOf, permissionsOf, permissionsOfScopes, type Role } from './role.ts';
import { liveSessions, sessionEnd, sessionEnded, sessionsBegun } from './session.ts';

/** The precision of the last-used time of a key or session, in milliseconds. */
const LAST_USED_INTERVAL = 60_000;
/** How many keys and sessions a process caches. */
const MAX_CACHED = 10_000;

/** How often keys and sessions in use are checked for their expiry, in milliseconds. */
const CHECK_INTERVAL = 5_000;

/** The minimum time between two reads of the list of keys, in milliseconds, and how many of the newest keys and sessions it has. */
const LIST_INTERVAL = 1_000;
const MAX_LISTED = 10_000;

interface Remembered {
  readonly actor: Actor;
  /** When the key expires; null if it does not, or for a session, whose end its use moves. */
  readonly expiresAt: Date | null;
  lastUsedAt: number;
}

function hasEnded({ actor: { session }, expiresAt, lastUsedAt }: Remembered, now: Date): boolean {
  const end = session ? sessionEnd({ ...session, lastUsedAt: new Date(lastUsedAt) }) : expiresAt;
  return end !== null && end <= now;
}

/** A long answer, such as a subscription or a large file. */
interface Use {
  readonly actor: Actor;
  end(isOver: boolean): void;
}

/** The key in an `Authorization` header. */
export function keyIn(header: string | undefined): string | null {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1] ?? null;
}

/**
 * Verifies API keys and sessions with a cache, so that a request costs no query. When one is changed, revoked or deleted, or a
 * member's role changes, the cache is cleared, and the long answers of callers that are no longer valid are ended; those of
 * expired ones are ended soon.
 */
export class Authentication {
  readonly #db: Database;
  readonly #feed: ChangeFeed;
  readonly #now: () => Date;
  readonly #keys = new LRUCache<string, Remembered>(growingTo(MAX_CACHED));
  #list: { readAt: number; created: number; names: Promise<ReadonlySet<string>> } | null = null;
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

  /** Calls `end` when the key or session is no longer valid (`isOver`), or has other rights. The returned function ends the use. */
  use(actor: Actor, end: (isOver: boolean) => void): () => void {
    const use = { actor, end };
    this.#uses.add(use);
    return () => this.#uses.delete(use);
  }

  /** Ends the uses of callers that are no longer valid, or have another role. While the database is down, they continue. */
  async #checkUses(): Promise<void> {
    // Those that begin meanwhile may be of a new key.
    const uses = [...this.#uses];
    if (uses.length === 0) return;
    const now = this.#now();
    const { prisma } = this.#db;
    const actors = uses.map(({ actor }) => actor);
    const ids = (of: (actor: Actor) => number | null | undefined) => ({
      in: actors.flatMap((actor) => of(actor) ?? []),
    });
    const select = { id: true };
    const valid = await Promise.all([
      prisma.apiKey.findMany({ where: { id: ids(({ keyId }) => keyId), ...validKeys(now) }, select }),
      prisma.session.findMany({
        where: { id: ids(({ session }) => session?.id), ...liveSessions(now) },
        select,
      }),
      prisma.membership.findMany({
        where: { id: ids(({ memberId }) => memberId), user: { disabledAt: null } },
      }),
    ]).catch(() => null);
    if (valid === null) return;
    const [keys, sessions] = valid.slice(0, 2).map((rows) => new Set(rows.map(({ id }) => id)));
    const memberRoles = new Map(valid[2].map(({ id, role }) => [id, role]));
    const isValid = ({ keyId, session, memberId }: Actor) =>
      (keyId === null || keys?.has(keyId)) &&
      (session === null || sessions?.has(session.id)) &&
      (memberId === null || memberRoles.has(memberId));
    const hasRole = ({ keyId, memberId, role }: Actor) =>
      memberId === null || keyId !== null || memberRoles.get(memberId) === role;
    for (const { actor, end } of uses) {
      if (!isValid(actor)) end(true);
      else if (!hasRole(actor)) end(false);
    }
  }

  /** The caller with a key, by its hash, from the cache; null if it is not cached. */
  remembered(hash: string): Promise<Actor | null> {
    return this.#rememberedAs(keyName(hash));
  }

  async #rememberedAs(name: string): Promise<Actor | null> {
    if (this.#keys.size === 0) return null;
    await this.#feed.fresh();
    const now = this.#now();
    const known = this.#keys.get(name);
    if (known === undefined || hasEnded(known, now)) return null;
    this.#used(known, now);
    return known.actor;
  }

  /**
   * Whether a key or session is in a list of all by its name, which is read at most once a second: so many wrong ones do not cost a
   * query each.
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
  async authenticate(hash: string | null): Promise<Actor> {
    if (hash === null)
      throw new DomainError('UNAUTHENTICATED', 'Send an API key: "Authorization: Bearer <API_KEY>".');
    await this.#feed.fresh();
    const now = this.#now();
    const known = await this.#load(hash, now);
    if (known === null) throw keyEnded();
    this.#used(known, now);
    return known.actor;
  }

  /** A revoked or expired key is looked up like an unknown one, so that the response time reveals nothing. */
  async #load(hash: string, now: Date): Promise<Remembered | null> {
    const version = this.#version;
    const row = await this.#db.prisma.apiKey.findFirst({ where: { hash, ...validKeys(now) } });
    if (row === null) return null;
    const actor = await this.#actorOfKey(row);
    if (actor === null) return null;
    const { expiresAt, lastUsedAt } = row;
    return this.#remember(keyName(hash), version, {
      actor,
      expiresAt,
      lastUsedAt: lastUsedAt?.getTime() ?? 0,
    });
  }

  /** The caller with a valid key; null if its maker is no member any more, or disabled. */
  async #actorOfKey({ accountId, id: keyId, makerId: memberId, ...row }: ApiKey): Promise<Actor | null> {
    const role = row.role === null ? null : await this.#roleOfKey(row.role, memberId);
    if (role === undefined) return null;
    const permissions = role === null ? permissionsOfScopes(parseScopes(row.scopes)) : permissionsOf(role);
    return { accountId, keyId, userId: null, session: null, memberId, role, permissions };
  }

  /**
   * The caller as its key, or its session and membership, are now, from the database.
   * @throws DomainError UNAUTHENTICATED; FORBIDDEN if the user is not a member of the account any more
   */
  async callerNow(actor: Actor): Promise<Actor> {
    const now = this.#now();
    const { keyId, memberId } = actor;
    if (keyId !== null) {
      const row = await this.#db.prisma.apiKey.findFirst({ where: { id: keyId, ...validKeys(now) } });
      const current = row && (await this.#actorOfKey(row));
      if (current === null) throw keyEnded();
      return current;
    }
    if (actor.session === null || memberId === null) return actor;
    const where = { id: actor.session.id, ...liveSessions(now) };
    if ((await this.#db.prisma.session.findFirst({ where })) === null) throw sessionEnded();
    const member = await this.#db.prisma.membership.findUnique({ where: { id: memberId } });
    if (member === null || !isRole(member.role)) throw notMember();
    return { ...actor, role: member.role, permissions: permissionsOf(member.role) };
  }

  /** The role of a key now, which is never higher than its maker's; undefined if the maker is no member any more, or disabled. */
  async #roleOfKey(stored: string, makerId: number | null): Promise<Role | undefined> {
    if (!isRole(stored) || makerId === null) return undefined;
    const where = { id: makerId, user: { disabledAt: null } };
    const maker = await this.#db.prisma.membership.findUnique({ where });
    return maker && isRole(maker.role) ? lowestOf(stored, maker.role) : undefined;
  }

  /** If keys have changed during the read since a version, its result is for one request only. */
  #remember(name: string, version: number, known: Remembered): Remembered {
    if (version === this.#version) this.#keys.set(name, known);
    return known;
  }

  /** The same for a session's token in an account, or the first of its user's. */
  rememberedSession(token: string, account: string | undefined): Promise<Actor | null> {
    return this.#rememberedAs(sessionName(token, account));
  }

  /**
   * The user with a session, in the account with an id or the first of theirs, from the database.
   * @throws DomainError UNAUTHENTICATED; FORBIDDEN if they are not a member of the account
   */
  async authenticateSession(token: string, account: string | undefined): Promise<Actor> {
    const now = this.#now();
    const version = this.#version;
    const row = await this.#db.prisma.session.findFirst({
      where: { hash: hashToken(token), ...liveSessions(now) },
      include: { user: { include: { memberships: { orderBy: { id: 'asc' } } } } },
    });
    if (row === null) throw sessionEnded();
    const { memberships } = row.user;
    const member = memberships.find(
      ({ accountId }) => account === undefined || String(accountId) === account,
    );
    if (member === undefined || !isRole(member.role)) throw notMember();
    const { accountId, userId, id: memberId, role } = member;
    const session = { id: row.id, signedInAt: row.signedInAt };
    const permissions = permissionsOf(role);
    const actor = { accountId, keyId: null, userId, session, memberId, role, permissions };
    const known = { actor, expiresAt: null, lastUsedAt: row.lastUsedAt.getTime() };
    this.#used(this.#remember(sessionName(token, account), version, known), now);
    return actor;
  }

  /** Writes the last-used time at most once a minute for each key or session; the request does not wait for it. */
  #used(known: Remembered, now: Date): void {
    if (now.getTime() - known.lastUsedAt < LAST_USED_INTERVAL) return;
    known.lastUsedAt = now.getTime();
    const { keyId, session } = known.actor;
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

function keyEnded(): DomainError {
  return new DomainError('UNAUTHENTICATED', 'The API key is unknown, revoked or expired.');
}

/** The name of a key, by its hash. */
export function keyName(hash: string): string {
  return nameFor('key', hash);
}

/** The name of a session, or of what it may do in an account: an empty account is not an absent one. */
export function sessionName(token: string, account?: string): string {
  return nameFor('session', hashToken(token), ...(account === undefined ? [] : [account]));
}
