// The sessions of people, as requests to paths below `/auth/` begin and use them.
import type { Request, Response } from 'express';
import type { Database } from '../db/database.ts';
import { type Operation, operationNamed, requireRecentSignIn } from '../domain/access/recent-sign-in.ts';
import { beginSession, type FoundUser, hasExpired } from '../domain/access/session.ts';
import { refusal } from '../domain/rules.ts';
import { type Services, withQuestions } from '../domain/services.ts';
import { RequestData } from '../engine/db/request-data.ts';
import type { SessionCookies } from '../engine/http/request/session-cookie.ts';
import { DomainError } from '../engine/rules/errors.ts';
import type { KeyAccess } from './key-access.ts';

/** The operation of a request to a path below `/auth`. @throws Error for an unknown one */
export function findOperation(method: string, path: string): Operation {
  return operationNamed(`${method.toUpperCase().replace('HEAD', 'GET')} /auth${path}`);
}

export interface SessionDependencies {
  readonly db: Database;
  readonly cookies: SessionCookies;
  readonly access: Pick<KeyAccess, 'sessionWith' | 'countRequest'>;
  readonly services: Services;
  now(): Date;
}

/** Creates the functions that begin and find sessions. */
export function createSessions({ db, cookies, access, services, now }: SessionDependencies) {
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

  /** The session with a token; its request uses its `db` and `services`, which ask whether it has ended. */
  const sessionWith = async (req: Request, given: string | null) => {
    const found = given === null ? null : await access.sessionWith(req, given, now());
    return (
      found && {
        ...found,
        db: new RequestData(db, found.ask),
        services: withQuestions(services, found.ask),
      }
    );
  };

  /** The session of a request wherever it comes from, for what changes nothing by it; null for none. */
  const findAnySession = (req: Request) => sessionWith(req, cookies.of(req));

  /** Counts a request of the session's user. @throws DomainError UNAUTHENTICATED without a session, RATE_LIMITED */
  const counted = async <Session extends { userId: number }>(req: Request, found: Session | null) => {
    if (found === null) throw new DomainError('UNAUTHENTICATED', 'Sign in first.');
    if (req.res) await access.countRequest({ keyId: null, userId: found.userId }, req.res, now());
    return found;
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

  return { begin, sessionWith, findAnySession, requireSession, readSession };
}
