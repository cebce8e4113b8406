import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { FoundUser } from '../domain/access/session.ts';
import type { SignInContext } from '../domain/access/sign-in.ts';
import type { Asker } from '../domain/access/strangers.ts';
import { findMemberships, type User } from '../domain/access/user.ts';
import type { UserPasswords } from '../domain/password.ts';
import { refusal } from '../domain/rules.ts';
import { networkName } from '../domain/visit/ip-network.ts';
import { findClient, type Trust } from '../engine/http/request/client.ts';
import { DomainError } from '../engine/rules/errors.ts';
import { isStorable } from '../engine/rules/input.ts';
import { createSessions, type SessionDependencies } from './sessions.ts';
import { createSignInLimits } from './sign-in-limits.ts';
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

export interface SignInDependencies extends SessionDependencies {
  readonly passwords: UserPasswords;
  readonly trust: Trust;
  /** The address of the pages for people. */
  readonly consoleUrl: string;
  /** The OpenID provider; null for none. */
  readonly openId: { readonly name: string; readonly isOnly: boolean } | null;
  /** Logs why a request failed. */
  report(res: Response, error: unknown): void;
  /** Counts a refused sign-in. */
  signInFailed(way: SignInWay): void;
  /** Has a line for each attempt. */
  readonly signInLog: Pick<SignInLog, 'attempt'>;
}

/** Returns a user's view of themselves and of an account: the asked one, or else their first. */
async function readView(db: Database, { id, name, email }: User, asked: string | undefined) {
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
}

/** Creates the functions that log attempts to sign in, with the users whose passwords were tried. */
function createAttempts({ trust, signInLog }: Pick<SignInDependencies, 'trust' | 'signInLog'>) {
  const triedUsers = new WeakMap<Request, number>();
  return {
    tried: (req: Request) => (userId: number) => void triedUsers.set(req, userId),
    attempted(
      req: Request,
      way: LoggedWay,
      outcome: SignInOutcome,
      { user = triedUsers.get(req) ?? null, details }: { user?: number | null; details?: object } = {},
    ): void {
      const { address } = findClient(req, trust);
      signInLog.attempt({ outcome, way, user, address, ...(details && { details }) });
    },
  };
}

export type SignInTools = ReturnType<typeof createSignInTools>;

/** Creates the functions that all ways to sign in share. */
export function createSignInTools(dependencies: SignInDependencies) {
  const { db, passwords, cookies, trust, openId, now } = dependencies;
  const networkOfClient = (req: Request) => networkName(findClient(req, trust).address);
  const sessions = createSessions(dependencies);
  const attempts = createAttempts(dependencies);
  /** True if people have passwords or passkeys. */
  const isOwn = !openId?.isOnly;

  const view = (user: User, asked: string | undefined) => readView(db, user, asked);

  /** Signs a user in by a request of the site itself, logs it, and answers with their view. */
  const signIn = async (
    req: Request,
    res: Response,
    user: User & FoundUser,
    way: LoggedWay,
    status = 200,
  ): Promise<void> => {
    await sessions.begin(req, res, user, cookies.tokenOf(req));
    attempts.attempted(req, way, 'ok', { user: user.id });
    res.status(status).json(await view(user, undefined));
  };

  /** @throws DomainError FORBIDDEN where people sign in with the OpenID provider alone */
  const requireOwnWays = (): void => {
    if (isOwn) return;
    const message = `People sign in with ${openId?.name} alone: there are no passwords and no passkeys.`;
    throw new DomainError('FORBIDDEN', message);
  };

  return {
    ...dependencies,
    ...sessions,
    ...attempts,
    ...createSignInLimits(networkOfClient),
    ...{ isOwn, requireOwnWays, signIn, view, networkOfClient },
    createContext: (): SignInContext => ({ passwords, now: now() }),
    /** Returns the sender of a request, for the limits on what strangers may store. */
    identifyAsker: (req: Request, isStranger = true): Asker => ({
      network: networkOfClient(req),
      isStranger,
    }),
  };
}
