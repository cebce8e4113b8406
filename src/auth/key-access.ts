import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Database } from '../db/database.ts';
import { addKeyUses } from '../db/key-use.ts';
import { type Actor, callerOf, hashToken } from '../domain/access/actor.ts';
import { Authentication, keyIn, keyName, sessionName } from '../domain/access/authentication.ts';
import type { LiveActor, RightsListener } from '../domain/access/live-actor.ts';
import { findSession } from '../domain/access/session.ts';
import { networkName } from '../domain/visit/ip-network.ts';
import type { ChangeFeed } from '../engine/changes/feed.ts';
import { RateLimit } from '../engine/http/limits/rate-limit.ts';
import type { Answering } from '../engine/http/limits/room.ts';
import { findClient, type Trust } from '../engine/http/request/client.ts';
import { accountIn } from '../engine/http/request/headers.ts';
import type { SessionCookies } from '../engine/http/request/session-cookie.ts';
import type { RateLimitState } from '../engine/rules/caller.ts';
import { visibleError } from '../engine/rules/errors.ts';

/** Authenticates requests by their keys and sessions, limits their rate, and ends long answers of keys that are no longer valid. */
export class KeyAccess {
  readonly #database: Database;
  readonly #authentication: Authentication;
  readonly #limit: RateLimit;
  readonly #trust: Trust;
  readonly #cookies: SessionCookies;
  readonly #servesPeople: (req: IncomingMessage) => Promise<boolean>;

  /**
   * @param rateLimit requests a minute for each key or user; 0 for no limit
   * @param servesPeople whether the host has pages for people: cookies are ignored elsewhere
   */
  constructor(
    database: Database,
    feed: ChangeFeed,
    rateLimit: number,
    trust: Trust,
    cookies: SessionCookies,
    servesPeople: (req: IncomingMessage) => Promise<boolean>,
    now: () => Date,
  ) {
    this.#database = database;
    this.#servesPeople = servesPeople;
    this.#cookies = cookies;
    this.#authentication = new Authentication(database, feed, now);
    const addUses = database.provider === 'postgresql' ? addKeyUses.bind(null, database) : null;
    this.#limit = new RateLimit(rateLimit, addUses);
    this.#trust = trust;
  }

  /** @throws DomainError UNAUTHENTICATED without a valid key, RATE_LIMITED after too many wrong keys, VALIDATION */
  async authenticate(req: IncomingMessage): Promise<LiveActor> {
    // A key has one account, so that the header only must not be too long.
    accountIn(req);
    const key = keyIn(req.headers.authorization);
    const hash = key === null ? null : hashToken(key);
    const known = hash === null ? null : await this.#authentication.remembered(hash);
    const name = hash === null ? null : keyName(hash);
    return known ?? this.lookUp(req, name, () => this.#authentication.authenticate(hash));
  }

  /**
   * The user of the request's session, or else the key.
   * @throws DomainError UNAUTHENTICATED, RATE_LIMITED; FORBIDDEN in an account that is not the user's
   */
  async authenticateAny(req: IncomingMessage): Promise<LiveActor> {
    if (req.method === 'POST') this.#cookies.requireOwnPage(req);
    const token = req.headers.authorization === undefined ? this.#cookies.tokenOf(req) : null;
    if (token === null || !(await this.#servesPeople(req))) return this.authenticate(req);
    const account = accountIn(req);
    return (
      (await this.#authentication.rememberedSession(token, account)) ??
      this.lookUp(req, sessionName(token), () => this.#authentication.authenticateSession(token, account))
    );
  }

  /**
   * Looks a key or the token of a session up. After too many wrong ones from the network, they are only compared with the list;
   * valid ones are accepted.
   * @param name that of the key or session; null for none
   * @param find gives null, or throws UNAUTHENTICATED, for a wrong one
   * @throws DomainError RATE_LIMITED
   */
  async lookUp<Found>(req: IncomingMessage, name: string | null, find: () => Promise<Found>): Promise<Found> {
    const network = networkName(findClient(req, this.#trust).address);
    try {
      await this.#limit.tryKey(network);
    } catch (error) {
      if (name === null || !(await this.#authentication.isListed(name))) throw error;
    }
    try {
      const found = await find();
      if (found !== null) await this.#limit.keyWasRight(network);
      return found;
    } catch (error) {
      if (visibleError(error)?.code !== 'UNAUTHENTICATED') await this.#limit.keyWasRight(network);
      throw error;
    }
  }

  /** Reads what a caller may do now. @throws DomainError UNAUTHENTICATED, FORBIDDEN if it has ended */
  updateRights(actor: LiveActor): Promise<void> {
    return this.#authentication.updateRights(actor);
  }

  /**
   * The session with a token, for a request about no account; null if it has ended.
   * @returns also `ask`, which throws once it has ended, and costs no I/O
   * @throws DomainError RATE_LIMITED
   */
  async sessionWith(req: IncomingMessage, token: string, now: Date) {
    const { version } = this.#authentication;
    const found = await this.lookUp(req, sessionName(token), () => findSession(this.#database, token, now));
    if (found === null) return null;
    const actor = this.#authentication.registerSession(found, version);
    return { ...found, ask: () => actor.requireAlive() };
  }

  /** Counts a request for the rate limit. @throws DomainError RATE_LIMITED */
  countRequest(
    actor: Pick<Actor, 'keyId' | 'userId'>,
    res: ServerResponse | null,
    now: Date,
  ): Promise<RateLimitState | null> {
    return this.#limit.take(callerOf(actor), res, now);
  }

  /**
   * Calls the listener when the answer is complete, the client has left, or the key or session has other rights or is no longer
   * valid (`isOver`).
   */
  onClosed(actor: LiveActor, answer: Answering, listener: RightsListener): void {
    if (answer.destroyed || actor.hasEnded) {
      listener(actor.hasEnded);
      return;
    }
    const stop = actor.listen(listener);
    answer.once('close', () => {
      stop();
      listener(false);
    });
  }

  start(): void {
    this.#limit.start();
    this.#authentication.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#limit.stop(), this.#authentication.stop()]);
  }
}
