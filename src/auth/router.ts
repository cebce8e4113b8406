import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { requireRecentSignIn } from '../domain/access/actor.ts';
import { acceptInvitation, describeLink } from '../domain/access/invitation.ts';
import {
  beginSession,
  endSession,
  findSession,
  revokeSession,
  sessionsOf,
} from '../domain/access/session.ts';
import {
  changeEmail,
  changePassword,
  checkPassword,
  confirmEmail,
  mailReset,
  resetPassword,
  type SignInContext,
  takeReset,
  tooManyPasswords,
  welcome,
} from '../domain/access/sign-in.ts';
import { emailKeyOf, membershipsOf, type User, updateName } from '../domain/access/user.ts';
import { isKnownTo, removeWay, type WaysIn, waysOf } from '../domain/access/ways-in.ts';
import { DomainError, type ErrorCode, invalidField, RETRY_AFTER, visibleError } from '../domain/errors.ts';
import { parseInput } from '../domain/input.ts';
import type { UserPasswords } from '../domain/password.ts';
import { refusal } from '../domain/rules.ts';
import type { Services } from '../domain/services.ts';
import { networkOf } from '../domain/visit/ip-network.ts';
import { GuessLimits } from '../http/limits/guess-limits.ts';
import { limiterResult, secondsUntilNext, tooMany } from '../http/limits/rate-limit.ts';
import type { SignInWay } from '../http/metrics.ts';
import { isJsonType } from '../http/request/accept.ts';
import { readBody } from '../http/request/body.ts';
import { clientOf, isAborted, type Trust } from '../http/request/client.ts';
import { requestInfoOf } from '../http/request/info.ts';
import type { KeyAccess } from '../http/request/key-access.ts';
import type { SessionCookies } from '../http/request/session-cookie.ts';
import { VERSION } from '../own-files.ts';
import { Turns } from '../shared/turns.ts';
import { createCallback, createStart, type OpenId } from './openid.ts';
import { addPasskeyRoutes, Passkeys } from './passkeys.ts';
import { type SignInTools, text } from './tools.ts';

export interface AuthDependencies {
  readonly db: Database;
  readonly passwords: UserPasswords;
  readonly cookies: SessionCookies;
  readonly access: Pick<KeyAccess, 'lookUp' | 'countRequest'>;
  readonly trust: Trust;
  /** The address of the pages for people. */
  readonly consoleUrl: string;
  /** Null for none. */
  readonly openId: OpenId | null;
  readonly services: Services;
  /** The day of the countries of addresses; null for none. */
  readonly countriesAsOf: string | null;
  /** Answers with a list as a file. */
  readonly download: RequestHandler;
  /** How long a body may take to arrive, in milliseconds. */
  readonly bodyTimeout?: number | undefined;
  now(): Date;
  /** Logs why a request failed. */
  report(res: Response, error: unknown): void;
  signInFailed(way: SignInWay): void;
}

const statuses: Record<ErrorCode, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  GONE: 410,
  NOT_FOUND: 404,
  IN_USE: 409,
  CONFLICT: 409,
  IDEMPOTENCY_MISMATCH: 422,
  IDEMPOTENCY_RUNNING: 409,
  VALIDATION: 422,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
};

/** The paths that refuse whoever signs in wrongly, or too often. */
const signIns = new Map<string, SignInWay>([
  ['/sign-in', 'password'],
  ['/passkey/sign-in', 'passkey'],
]);

const MAX_BODY = 16_384;
const BODY_TIMEOUT = 5_000;
/** How many bodies are received at once, in all and from one network: clients may send them slowly. */
const MAX_BODIES = 200;
const MAX_BODIES_OF_NETWORK = 50;

/** How many requests that calculate a hash are here, in all and of one network, and how long they wait for their turn. */
const MAX_HASHING = 200;
const MAX_HASHING_OF_NETWORK = 40;
const HASHING_TIMEOUT = 5_000;

/** How many sign-ins with passkeys and OpenID a network may begin in a minute: an office may share its address. */
const MAX_BEGUN = 300;

/** How many links for new passwords that one network asks for wait; one at a time is made. */
const MAX_MAILING = 20;

const token = z.object({ token: text });
const credentials = z.object({ email: text, password: text });

/** What people sign in with: paths below `/auth/`, which take and give JSON, and a cookie. */
export function createAuthRouter(dependencies: AuthDependencies): Router {
  const { db, passwords, cookies, access, trust, services, download, consoleUrl, openId, now } = dependencies;
  const { report, signInFailed, countriesAsOf, bodyTimeout = BODY_TIMEOUT } = dependencies;
  const limits = new GuessLimits();
  const begun = new RateLimiterMemory({ points: MAX_BEGUN, duration: 60 });
  const bodies = new Turns({
    ...{ max: MAX_BODIES, maxOfOwner: () => MAX_BODIES_OF_NETWORK, maxWaiting: 0 },
    refusal: tooManyAtOnce,
  });
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
  const mailing = new Turns({ max: 1, maxWaiting: MAX_MAILING, refusal: tooManyAtOnce });
  const passkeys = new Passkeys(consoleUrl, trust);
  const isOwn = !openId?.isOnly;
  const ways: WaysIn = {
    passwords: isOwn,
    passkeys: isOwn && passkeys.isPossible,
    issuer: openId?.issuer ?? null,
  };
  const contextOf = (): SignInContext => ({ passwords, now: now() });
  const languageOf = (req: Request) => req.headers['accept-language'] ?? '';
  const networkOfClient = (req: Request) => networkOf(clientOf(req, trust).address);

  /** Begins a session for a user, in place of one. */
  const begin = async (req: Request, res: Response, user: User, before = cookies.of(req)): Promise<void> => {
    if (before !== null) await endSession(db, before);
    const { token, maxAge } = await beginSession(db, user, req.headers['user-agent'] ?? '', now());
    cookies.set(res, token, maxAge);
  };

  const signIn = async (req: Request, res: Response, user: User, status = 200): Promise<void> => {
    await begin(req, res, user, cookies.tokenOf(req));
    res.status(status).json(await view(user, undefined));
  };

  const view = async ({ id, name, email }: User, asked: string | undefined) => {
    const memberships = await membershipsOf(db, id);
    const idOf = (account: { id: number; name: string }) => ({ id: String(account.id), name: account.name });
    const current =
      asked === undefined ? memberships[0] : memberships.find(({ accountId }) => String(accountId) === asked);
    return {
      user: { id: String(id), name, email },
      account: current ? idOf(current.account) : null,
      role: current?.role ?? null,
      accounts: memberships.map(({ account, role }) => ({ ...idOf(account), role })),
    };
  };

  /** The session of a request, whose user may do what a stranger may not. @throws DomainError UNAUTHENTICATED */
  const sessionOf = async (req: Request) => {
    const found = await sessionWith(req, cookies.tokenOf(req));
    if (found === null) throw new DomainError('UNAUTHENTICATED', 'Sign in first.');
    if (req.res) await access.countRequest({ keyId: null, userId: found.userId }, req.res, now());
    return found;
  };

  const recentSessionOf = async (req: Request) => {
    const session = await sessionOf(req);
    requireRecentSignIn({ session }, now());
    return session;
  };

  const sessionWith = async (req: Request, given: string | null) =>
    given === null ? null : access.lookUp(req, given, () => findSession(db, given, now()));

  const anySessionOf = (req: Request) => sessionWith(req, cookies.of(req));

  const requireOwnWays = (): void => {
    if (isOwn) return;
    const message = `People sign in with ${openId?.name} alone: there are no passwords and no passkeys.`;
    throw new DomainError('FORBIDDEN', message);
  };

  const refuseBegun = (error: unknown): never => {
    throw tooMany(limiterResult(error), 'Too many sign-ins were begun here.');
  };
  const limit = async (req: Request): Promise<void> => {
    await begun.consume(networkOfClient(req)).catch(refuseBegun);
  };

  const tools: SignInTools = {
    ...{ db, consoleUrl, now, report, signInFailed },
    ...{ limit, recentSessionOf, anySessionOf, begin, signIn, requireOwnWays },
  };
  const start = openId && createStart(openId, tools);

  const router = Router({ caseSensitive: true });
  /** Networks take turns; nothing is done for a client that has left. */
  const postHashed = (path: string, handle: (req: Request, res: Response) => Promise<void>) => {
    router.post(path, (req, res) => {
      const network = networkOfClient(req);
      const work = async () => {
        if (!requestInfoOf(res).isAborted) await handle(req, res);
      };
      return hashing.take(network, () => turns.take(network, work));
    });
  };
  router.use((_req, res, next) => {
    res.set('Cache-Control', 'private, no-store').set('Referrer-Policy', 'no-referrer');
    next();
  });
  if (openId) router.get('/oidc/callback', createCallback(openId, tools));
  router.use((req, _res, next) => {
    cookies.requireOwnPage(req);
    next();
  });
  router.use((req, res, next) => {
    const methods = router.stack.flatMap(({ route }) => (route?.path === req.path ? route.stack : []));
    const allowed = methods.map(({ method = '' }) => method.toUpperCase());
    if (allowed.length === 0) throw new DomainError('NOT_FOUND', 'Nothing is here.');
    if (allowed.includes(req.method === 'HEAD' ? 'GET' : req.method)) return next();
    const message = `Send a ${allowed.join(' or a ')}.`;
    res
      .set('Allow', allowed.join(', '))
      .status(405)
      .json({ error: { code: 'NOT_FOUND', message } });
  });
  if (start) router.get('/oidc', start.get);
  router.get('/methods', (req, res) => {
    res.json({
      password: ways.passwords,
      passkeys: isOwn && passkeys.isOffered(req),
      consoleUrl,
      openid: openId && { name: openId.name },
      mail: services.sendMail !== null,
    });
  });
  router.get('/about', (_req, res) => {
    res.json({ version: VERSION, countriesAsOf });
  });
  // Like the session, it changes nothing, and other sites cannot read it.
  router.get('/profile', async (req, res) => {
    const session = await anySessionOf(req);
    if (session === null) throw new DomainError('UNAUTHENTICATED', 'Nobody is signed in.');
    const { hasPassword, ...own } = await waysOf(db, session.userId);
    const { id, name, email } = session.user;
    res.json({
      user: { id: String(id), name, email },
      hasPassword,
      passkeys: own.passkeys.map((one) => ({
        ...{ id: String(one.id), name: one.name, createdAt: one.createdAt, lastUsedAt: one.lastUsedAt },
      })),
      identities: own.identities.map((one) => ({
        ...{ id: String(one.id), issuer: one.issuer, createdAt: one.createdAt },
      })),
      sessions: (await sessionsOf(db, session.userId, now())).map((one) => ({
        ...{ id: String(one.id), device: one.device, isCurrent: one.id === session.id },
        ...{ signedInAt: one.signedInAt, lastUsedAt: one.lastUsedAt },
      })),
      signedInAt: session.signedInAt,
    });
  });
  router.get('/session', async (req, res) => {
    const found = await anySessionOf(req);
    if (found === null) throw new DomainError('UNAUTHENTICATED', 'Nobody is signed in.');
    res.json(await view(found.user, req.get('x-account')));
  });
  router.use(requireJson, async (req, res, next) => {
    req.body = objectIn(
      await bodies.take(networkOfClient(req), () => readBody(req, res, MAX_BODY, bodyTimeout)),
    );
    next();
  });
  if (start) router.post('/oidc', start.post);
  router.post('/download', download);
  addPasskeyRoutes(router, passkeys, tools);
  for (const what of ['passkey', 'identity'] as const)
    router.post(`/${what}/remove`, async (req, res) => {
      const { id } = parseInput(z.object({ id: text }), req.body);
      await removeWay(db, what, await sessionOf(req), id, ways, now());
      res.status(204).end();
    });
  router.post('/session/remove', async (req, res) => {
    const { id } = parseInput(z.object({ id: text }), req.body);
    await revokeSession(db, await sessionOf(req), id);
    res.status(204).end();
  });
  router.post('/token', async (req, res) => {
    const given = parseInput(token, req.body);
    await limit(req);
    res.json(await describeLink(db, given.token, now()));
  });
  postHashed('/welcome', async (req, res) => {
    requireOwnWays();
    const given = parseInput(token, req.body);
    const user = await welcome(db, { ...req.body, ...given }, contextOf()).catch(taken);
    await signIn(req, res, user, 201);
  });
  postHashed('/sign-in', async (req, res) => {
    requireOwnWays();
    const given = parseInput(credentials, req.body);
    let user: User | null = null;
    await limits.check(emailKeyOf(given.email), networkOfClient(req), async () => {
      user = await checkPassword(db, given, contextOf());
      return user !== null;
    });
    if (user === null) throw new DomainError('UNAUTHENTICATED', refusal('WRONG_PASSWORD'));
    await signIn(req, res, user);
  });
  postHashed('/accept', async (req, res) => {
    const given = parseInput(token.extend({ email: text.optional() }), req.body);
    const session = await sessionWith(req, cookies.tokenOf(req));
    if (session === null) requireOwnWays();
    const input = { ...req.body, ...given };
    const own = session?.user ?? null;
    const { user, accountId } = await acceptInvitation(db, input, own, contextOf()).catch(taken);
    if (session === null) return signIn(req, res, user, 201);
    res.status(201).json(await view(user, String(accountId)));
  });
  postHashed('/reset', async (req, res) => {
    const given = parseInput(token, req.body);
    const user = isOwn
      ? await resetPassword(db, { ...given, password: req.body.password }, contextOf())
      : await takeReset(db, given.token, {}, now());
    await signIn(req, res, user);
  });
  router.post('/forgot', async (req, res) => {
    const { email } = parseInput(z.object({ email: text }), req.body);
    const network = networkOfClient(req);
    res.status(202).json({});
    // After the answer, whose time tells nothing. What one network asks for too fast is forgotten.
    const mail = async () => {
      await begun.consume(network).catch(refuseBegun);
      await mailReset(db, services, email, now(), languageOf(req));
    };
    if (isOwn)
      await mailing.take(network, mail).catch((error: unknown) => {
        if (visibleError(error)?.code !== 'RATE_LIMITED') report(res, error);
      });
  });
  router.post('/sign-out', async (req, res) => {
    const given = cookies.tokenOf(req);
    if (given === null && cookies.of(req) !== null)
      throw new DomainError('UNAUTHENTICATED', 'The site itself signs out: send the header Origin.');
    const session = await sessionWith(req, given);
    if (given !== null) await endSession(db, given);
    cookies.clear(res);
    const isKnown = openId && session && (await isKnownTo(db, session.userId, openId.issuer));
    const url = isKnown ? await openId.signOutUrl() : null;
    if (url === null) res.status(204).end();
    else res.json({ url });
  });
  router.post('/profile', async (req, res) => {
    const { user } = await sessionOf(req);
    await updateName(db, user.id, req.body.name);
    res.status(204).end();
  });
  postHashed('/password', async (req, res) => {
    requireOwnWays();
    const session = await recentSessionOf(req);
    await changePassword(db, session, req.body.password, contextOf());
    res.status(204).end();
  });
  router.post('/email', async (req, res) => {
    const session = await recentSessionOf(req);
    const isChanged = await changeEmail(db, services, session, req.body.email, now(), languageOf(req));
    res.status(isChanged ? 204 : 202).end();
  });
  router.post('/confirm', async (req, res) => {
    await confirmEmail(db, await sessionOf(req), parseInput(token, req.body).token, now());
    res.status(204).end();
  });
  const failed: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    if (isAborted(req)) return;
    const visible = asVisible(error);
    if (visible === null || visible.code === 'UNAVAILABLE') report(res, error);
    const way = signIns.get(req.path);
    if (way && (visible?.code === 'UNAUTHENTICATED' || visible?.code === 'RATE_LIMITED')) signInFailed(way);
    const { code, message, rule, values, fields = [], retryAfter = null } = visible ?? unexpected;
    if (retryAfter !== null) res.set('Retry-After', String(retryAfter));
    const [field] = fields;
    const status = visible === null ? 500 : statuses[visible.code];
    const told = field
      ? { field: field.path.join('.'), rule: field.rule, values: field.values }
      : rule !== code && { rule, values };
    res.status(status).json({ error: { code, message, ...told } });
  };
  router.use(failed);
  return router;
}

const unexpected = {
  ...{ code: 'INTERNAL', message: 'Unexpected error.', rule: 'INTERNAL' },
  ...{ values: [], fields: [], retryAfter: null },
} as const;

/** Only pages of the site itself, and programs, can send JSON without asking the browser first. */
function requireJson(req: Request, _res: Response, next: () => void): void {
  if (!isJsonType(req.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()))
    throw invalidField('Content-Type', 'must be application/json');
  next();
}

/** The object in a body, which may be empty. JSON is in UTF-8, whatever else a header says. @throws DomainError VALIDATION */
function objectIn(body: Buffer | null): object {
  const wrongBody = (message: string) => invalidField('body', message);
  if (body === null)
    throw wrongBody(`must have at most ${MAX_BODY} bytes, and arrive within ${BODY_TIMEOUT / 1000} seconds`);
  if (body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // It is refused below.
  }
  throw wrongBody('must be a JSON object');
}

function tooManyAtOnce(): DomainError {
  return new DomainError('RATE_LIMITED', 'Too many requests at once. Try again shortly.', [], RETRY_AFTER);
}

/** The error for an email address that got a user meanwhile. */
function taken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new DomainError('CONFLICT', refusal('EMAIL_HAS_USER'));
}

/** The error for the caller; null for an internal one. */
function asVisible(error: unknown): DomainError | null {
  if (error instanceof RateLimiterRes) return tooManyPasswords(secondsUntilNext(error));
  return visibleError(error);
}
