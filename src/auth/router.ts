import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { tooManyPasswords } from '../domain/access/sign-in.ts';
import type { WaysIn } from '../domain/access/ways-in.ts';
import { because } from '../domain/rules.ts';
import { secondsUntilNext } from '../engine/http/limits/rate-limit.ts';
import { isJsonType } from '../engine/http/request/accept.ts';
import { readBody } from '../engine/http/request/body.ts';
import { isAborted } from '../engine/http/request/client.ts';
import { accountIn } from '../engine/http/request/headers.ts';
import { DomainError, type ErrorCode, invalidField, visibleError } from '../engine/rules/errors.ts';
import type { Refusal } from '../engine/rules/refusal.ts';
import { trimBlanks } from '../engine/tools/blanks.ts';
import { isObject } from '../engine/tools/is-object.ts';
import { type JsonLimits, limitOfJson } from '../engine/tools/json-size.ts';
import { BUILD } from '../engine/tools/own-files.ts';
import { Turns } from '../engine/tools/turns.ts';
import { addAddressUndoRoute } from './address-undo.ts';
import { addEntryRoutes } from './entry.ts';
import { addLastingAccessRoutes } from './lasting-access.ts';
import { createCallback, createStart, type OpenId } from './openid.ts';
import { addPasskeyRoutes, Passkeys } from './passkeys.ts';
import { addProfileRoutes } from './profile.ts';
import { type Routes, wrapRouter } from './routes.ts';
import { findOperation } from './sessions.ts';
import { tooManyAtOnce } from './sign-in-limits.ts';
import type { SignInOutcome } from './sign-in-log.ts';
import { createSignInTools, type SignInDependencies, type SignInTools, type SignInWay } from './tools.ts';

export interface AuthDependencies extends SignInDependencies {
  readonly openId: OpenId | null;
  /** The day of the countries of addresses; null for none. */
  readonly countriesAsOf: string | null;
  /** Answers with a list as a file. */
  readonly download: RequestHandler;
  /** Milliseconds in which a body must arrive. */
  readonly bodyTimeout?: number | undefined;
}

const statuses: Record<ErrorCode, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  GONE: 410,
  HISTORY_GONE: 410,
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

/** The paths by which people come in with the token of a link. */
const byLink: ReadonlySet<string> = new Set(['/welcome', '/accept', '/reset']);

/** The outcomes of attempts that fail, for the log; requests without a password, for example, are no attempts. */
const outcomes: Partial<Record<ErrorCode, SignInOutcome>> = {
  UNAUTHENTICATED: 'refused',
  GONE: 'refused',
  RATE_LIMITED: 'limited',
  UNAVAILABLE: 'failed',
};

const MAX_BODY = 16_384;
const BODY_TIMEOUT = 5_000;
/** Maximum numbers of bodies received at once, in all and from one network, since clients may send them slowly. */
const MAX_BODIES = 200;
const MAX_BODIES_OF_NETWORK = 50;

/** Routes below `/auth/` for signing in and out. They take and return JSON, and set a cookie. */
export function createAuthRouter(dependencies: AuthDependencies): Router {
  const { cookies, trust, services, download, consoleUrl, openId, countriesAsOf } = dependencies;
  const tools = createSignInTools(dependencies);
  const { isOwn, readSession, view } = tools;
  const passkeys = new Passkeys(consoleUrl, trust);
  const ways: WaysIn = {
    passwords: isOwn,
    passkeys: isOwn && passkeys.isPossible,
    issuer: openId?.issuer ?? null,
  };
  const start = openId && createStart(openId, tools);

  const router = Router({ caseSensitive: true });
  const routes = wrapRouter(router);
  router.use((_req, res, next) => {
    res.set('Cache-Control', 'private, no-store').set('Referrer-Policy', 'no-referrer');
    next();
  });
  if (openId) routes.get('/oidc/callback', createCallback(openId, tools));
  router.use((req, _res, next) => {
    cookies.requireOwnPage(req);
    next();
  });
  router.use(requireRoute(routes));
  if (start) routes.get('/oidc', start.get);
  routes.get('/methods', (req, res) => {
    res.json({
      password: ways.passwords,
      passkeys: isOwn && passkeys.isOffered(req),
      consoleUrl,
      openid: openId && { name: openId.name },
      mail: services.sendMail !== null,
    });
  });
  routes.get('/about', async (req, res) => {
    await readSession(req);
    res.json({ ...BUILD, countriesAsOf });
  });
  routes.get('/session', async (req, res) => {
    const { user } = await readSession(req);
    res.json(await view(user, accountIn(req)));
  });
  router.post(/./, requireJson, createBodyReader(tools, dependencies));
  if (start) routes.post('/oidc', start.post);
  routes.post('/download', download);
  addEntryRoutes(routes, tools, openId);
  addPasskeyRoutes(routes, passkeys, tools);
  addProfileRoutes(routes, tools, ways);
  addLastingAccessRoutes(routes, tools);
  addAddressUndoRoute(routes, tools);
  // A path without an entry in the table of recent sign-ins fails the start.
  for (const [path, methods] of routes.methods) for (const method of methods) findOperation(method, path);
  router.use(createErrorHandler(tools));
  return router;
}

/** Refuses paths that have no route, and methods that a path has none for. */
function requireRoute(routes: Routes): RequestHandler {
  return (req, res, next) => {
    const allowed = (routes.methods.get(req.path) ?? []).map((method) => method.toUpperCase());
    if (allowed.length === 0) throw new DomainError('NOT_FOUND', 'Nothing is here.');
    if (allowed.includes(req.method === 'HEAD' ? 'GET' : req.method)) return next();
    const message = `Send a ${allowed.join(' or a ')}.`;
    res
      .set('Allow', allowed.join(', '))
      .status(405)
      .json({ error: { code: 'NOT_FOUND', message } });
  };
}

/** Reads the object in the body of a request. */
function createBodyReader(
  { networkOfClient }: Pick<SignInTools, 'networkOfClient'>,
  { bodyTimeout = BODY_TIMEOUT }: Pick<AuthDependencies, 'bodyTimeout'>,
): RequestHandler {
  const bodies = new Turns({
    ...{ max: MAX_BODIES, maxOfOwner: () => MAX_BODIES_OF_NETWORK, maxWaiting: 0 },
    refusal: tooManyAtOnce,
  });
  return async (req, res, next) => {
    const read = () => readBody(req, res, MAX_BODY, bodyTimeout);
    req.body = objectIn(await bodies.take(networkOfClient(req), read));
    next();
  };
}

/** Answers requests that failed, and logs and counts refused attempts to sign in. */
function createErrorHandler({ report, signInFailed, attempted }: SignInTools): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    if (isAborted(req)) return;
    const visible = asVisible(error);
    if (visible === null || visible.code === 'UNAVAILABLE') report(res, error);
    const way = signIns.get(req.path);
    if (way && (visible?.code === 'UNAUTHENTICATED' || visible?.code === 'RATE_LIMITED')) signInFailed(way);
    const outcome = outcomes[visible?.code ?? 'UNAVAILABLE'];
    const logged = way ?? (byLink.has(req.path) ? 'link' : null);
    if (logged && outcome) attempted(req, logged, outcome);
    const told = visible ?? unexpected;
    const { code, message, fields = [], retryAfter = null } = told;
    if (retryAfter !== null) res.set('Retry-After', String(retryAfter));
    const [field] = fields;
    const status = visible === null ? 500 : statuses[visible.code];
    const { rule, values, reason, reasonValues } = field ?? told;
    const why = {
      ...(field && { field: field.path.join('.') }),
      ...(rule !== code && { rule, values }),
      ...(reason !== code && { reason, reasonValues }),
    };
    res.status(status).json({ error: { code, message, ...why } });
  };
}

const unexpected = {
  ...{ code: 'INTERNAL', message: 'Unexpected error.', rule: 'INTERNAL', reason: 'INTERNAL' },
  ...{ values: [], reasonValues: [], fields: [], retryAfter: null },
} as const;

/** Only pages of the site itself, and programs, can send JSON without asking the browser first. */
function requireJson(req: Request, _res: Response, next: () => void): void {
  const [type = ''] = (req.get('content-type') ?? '').split(';', 1);
  if (!isJsonType(trimBlanks(type).toLowerCase()))
    throw invalidField('Content-Type', because('must be application/json', 'NOT_SENT_AS_JSON', {}));
  next();
}

/** The limits of a body: what strangers send is counted before it is parsed. */
const JSON_LIMITS: JsonLimits = { levels: 20, separators: 500, names: 200 };

/** The object in a body, which may be empty. JSON is in UTF-8, whatever else a header says. @throws DomainError VALIDATION */
function objectIn(body: Buffer | null): object {
  const wrongBody = (refused: Refusal) => invalidField('body', refused);
  if (body === null)
    throw wrongBody(
      because(
        `must have at most ${MAX_BODY} bytes, and arrive within ${BODY_TIMEOUT / 1000} seconds`,
        'BODY_TOO_LARGE_OR_LATE',
        { max: MAX_BODY },
      ),
    );
  if (body.length === 0) return {};
  // Separators and brackets are single bytes.
  if (limitOfJson(body.toString('latin1'), JSON_LIMITS) !== null)
    throw wrongBody(because('has too many values', 'BODY_HAS_TOO_MANY_VALUES', {}));
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (isObject(value)) return value;
  } catch {
    // It is refused below.
  }
  throw wrongBody(because('must be a JSON object', 'BODY_NOT_AN_OBJECT', {}));
}

/** The error for the caller; null for an internal one. */
function asVisible(error: unknown): DomainError | null {
  if (error instanceof RateLimiterRes) return tooManyPasswords(secondsUntilNext(error));
  return visibleError(error);
}
