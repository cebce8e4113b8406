import type { Request, RequestHandler, Response } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { type Operation, operationNamed, requireRecentSignIn } from '../domain/access/recent-sign-in.ts';
import { beginSession, type FoundUser, hasExpired } from '../domain/access/session.ts';
import type { SignInContext } from '../domain/access/sign-in.ts';
import type { Asker } from '../domain/access/strangers.ts';
import { findMemberships, type User } from '../domain/access/user.ts';
import type { UserPasswords } from '../domain/password.ts';
import { refusal } from '../domain/rules.ts';
import { type Services, withQuestions } from '../domain/services.ts';
import { networkName } from '../domain/visit/ip-network.ts';
import { RequestData } from '../engine/db/request-data.ts';
import { limiterResult, tooMany } from '../engine/http/limits/rate-limit.ts';
import { findClient, type Trust } from '../engine/http/request/client.ts';
import { getRequestInfo } from '../engine/http/request/info.ts';
import type { SessionCookies } from '../engine/http/request/session-cookie.ts';
import { DomainError, RETRY_AFTER } from '../engine/rules/errors.ts';
import { isStorable } from '../engine/rules/input.ts';
import { Turns } from '../engine/tools/turns.ts';
import type { KeyAccess } from './key-access.ts';
import type { LoggedWay, SignInLog, SignInOutcome } from './sign-in-log.ts';

/** A text that people or pages send to a path below `/auth/`. */
export const credentialText = z
  .string(refusal('TEXT'))
  .max(1_000, refusal('MAX_LENGTH', { max: 1_000 }))
  .refine(isStorable, refusal('STORABLE'));

/** The token of a link that somebody opened. */
export const token = z.object({ token: credentialText });

/** A way to sign in. */
export type SignInWay = 'password' | 'passkey' | 'openid';

export interface SignInDependencies {
  readonly db: Database;
  readonly passwords: UserPasswords;
  readonly cookies: SessionCookies;
  readonly access: Pick<KeyAccess, 'sessionWith' | 'countRequest'>;
  readonly trust: Trust;
  /** The address of the pages for people. */
  readonly consoleUrl: string;
  /** The OpenID provider; null for none. */
  readonly openId: { readonly name: string; readonly isOnly: boolean } | null;
  readonly services: Services;
  now(): Date;
  /** Logs why a request failed. */
  report(res: Response, error: unknown): void;
  /** Counts a refused sign-in. */
  signInFailed(way: SignInWay): void;
  /** Has a line for each attempt. */
  readonly signInLog: Pick<SignInLog, 'attempt'>;
}

/** The operation of a request to a path below `/auth`. @throws Error for an unknown one */
export function findOperation(method: string, path: string): Operation {
  return operationNamed(`${method.toUpperCase().replace('HEAD', 'GET')} /auth${path}`);
}

/** Maximum numbers of requests with a waiting or running hash, in all and of one network, and milliseconds of waiting. */
const MAX_HASHING = 200;
const MAX_HASHING_OF_NETWORK = 40;
const HASHING_TIMEOUT = 5_000;

/** Maximum number of sign-ins with passkeys and OpenID per network and minute. An office may share its address. */
const MAX_BEGUN = 300;

export type SignInTools = ReturnType<typeof createSignInTools>;

/** Creates the functions that all ways to sign in share. */
export function createSignInTools(dependencies: SignInDependencies) {
  const { db, passwords, cookies, access, trust, openId, now } = dependencies;
  const begun = new RateLimiterMemory({ points: MAX_BEGUN, duration: 60 });
  const hashing = new Turns({
    max: MAX_HASHING,
    maxOfOwner: () => MAX_HASHING_OF_NETWORK,
    // One of each network waits for a place, so that a flood from some does not keep the others out.
    maxWaiting: 1,
    timeout: HASHING_TIMEOUT,
    refusal: tooManyAtOnce,
  });
  // One at a time, so that a flood of them takes one core, and delays no visitor with a link's password.
  const turns = new Turns({ max: 1, timeout: HASHING_TIMEOUT, refusal: tooManyAtOnce });
  /** True if people have passwords or passkeys. */
  const isOwn = !openId?.isOnly;
  const createContext = (): SignInContext => ({ passwords, now: now() });
  const networkOfClient = (req: Request) => networkName(findClient(req, trust).address);
  /** Returns the sender of a request, for the limits on what strangers may store. */
  const identifyAsker = (req: Request, isStranger = true): Asker => ({
    network: networkOfClient(req),
    isStranger,
  });

  /** Begins a session for a user, in place of the one that the browser has. */
  const begin = async (
    req: Request,
    res: Response,
    user: FoundUser,
    before = cookies.of(req),
  ): Promise<void> => {
    const device = req.headers['user-agent'] ?? '';
    const { token, maxAge } = await beginSession(db, user, device, now(), before);
    cookies.set(res, token, maxAge);
  };

  /** The users whose passwords requests have tried. */
  const triedUsers = new WeakMap<Request, number>();
  /** Logs an attempt to sign in. */
  const attempted = (
    req: Request,
    way: LoggedWay,
    outcome: SignInOutcome,
    { user = triedUsers.get(req) ?? null, details }: { user?: number | null; details?: object } = {},
  ): void => {
    const { address } = findClient(req, trust);
    dependencies.signInLog.attempt({ outcome, way, user, address, ...(details && { details }) });
  };

  /** Signs a user in by a request of the site itself, logs it, and answers with their view. */
  const signIn = async (
    req: Request,
    res: Response,
    user: User & FoundUser,
    way: LoggedWay,
    status = 200,
  ): Promise<void> => {
    await begin(req, res, user, cookies.tokenOf(req));
    attempted(req, way, 'ok', { user: user.id });
    res.status(status).json(await view(user, undefined));
  };

  /** Returns the user's view of themselves and of an account: the asked one, or else their first. */
  const view = async ({ id, name, email }: User, asked: string | undefined) => {
    const memberships = await findMemberships(db, id);
    const withTextId = (account: { id: number; name: string }) => ({
      id: String(account.id),
      name: account.name,
    });
    const current =
      asked === undefined ? memberships[0] : memberships.find(({ accountId }) => String(accountId) === asked);
    return {
      user: { id: String(id), name, email },
      account: current ? withTextId(current.account) : null,
      role: current?.role ?? null,
      accounts: memberships.map(({ account, role }) => ({ ...withTextId(account), role })),
    };
  };

  /**
   * The session of a request, whose user may do what a stranger may not, and signed in as lately as the path wants.
   * @throws DomainError UNAUTHENTICATED, RATE_LIMITED, FORBIDDEN
   */
  const requireSession = async (req: Request, touched: { readonly links?: boolean } = {}) => {
    const session = await counted(req, await sessionWith(req, cookies.tokenOf(req)));
    requireRecentSignIn({ session }, findOperation(req.method, req.path), now(), touched);
    return session;
  };

  /** Returns the session for a request that changes nothing, from any page. The error says if the session has expired. */
  const readSession = async (req: Request) => {
    const [found, token] = [await findAnySession(req), cookies.of(req)];
    if (found === null && token !== null && (await hasExpired(db, token, now())))
      throw new DomainError('UNAUTHENTICATED', refusal('SESSION_EXPIRED'));
    return counted(req, found);
  };

  /** Counts a request of the session's user. @throws DomainError UNAUTHENTICATED without a session, RATE_LIMITED */
  const counted = async <Session extends { userId: number }>(req: Request, found: Session | null) => {
    if (found === null) throw new DomainError('UNAUTHENTICATED', 'Sign in first.');
    if (req.res) await access.countRequest({ keyId: null, userId: found.userId }, req.res, now());
    return found;
  };

  /** The session with a token; its request uses its `db` and `services`, which ask whether it has ended. */
  const sessionWith = async (req: Request, given: string | null) => {
    const found = given === null ? null : await access.sessionWith(req, given, now());
    return (
      found && {
        ...found,
        db: new RequestData(db, found.ask),
        services: withQuestions(dependencies.services, found.ask),
      }
    );
  };

  /** The session of a request wherever it comes from, for what changes nothing by it; null for none. */
  const findAnySession = (req: Request) => sessionWith(req, cookies.of(req));

  /** @throws DomainError FORBIDDEN where people sign in with the OpenID provider alone */
  const requireOwnWays = (): void => {
    if (isOwn) return;
    const message = `People sign in with ${openId?.name} alone: there are no passwords and no passkeys.`;
    throw new DomainError('FORBIDDEN', message);
  };

  const refuseBegun = (error: unknown): never => {
    throw tooMany(limiterResult(error), 'Too many sign-ins were begun here.');
  };
  /** Limits what a network may begin. @throws DomainError RATE_LIMITED */
  const limit = async (req: Request, network = networkOfClient(req)): Promise<void> => {
    await begun.consume(network).catch(refuseBegun);
  };

  /** A handler that calculates a hash. Networks take turns; nothing is done for a client that has left. */
  const hashed =
    (handle: (req: Request, res: Response) => Promise<void>): RequestHandler =>
    (req, res) => {
      const network = networkOfClient(req);
      const work = async () => {
        if (!getRequestInfo(res).isAborted) await handle(req, res);
      };
      return hashing.take(network, () => turns.take(network, work));
    };

  return {
    ...dependencies,
    ...{
      isOwn,
      requireOwnWays,
      contextOf: createContext,
      networkOfClient,
      askerOf: identifyAsker,
      limit,
      hashed,
    },
    ...{ attempted, tried: (req: Request) => (userId: number) => void triedUsers.set(req, userId) },
    ...{
      begin,
      signIn,
      view,
      sessionOf: requireSession,
      readSessionOf: readSession,
      sessionWith,
      anySessionOf: findAnySession,
    },
  };
}

export function tooManyAtOnce(): DomainError {
  return new DomainError('RATE_LIMITED', 'Too many requests at once. Try again shortly.', [], RETRY_AFTER);
}
