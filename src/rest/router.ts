import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { getOperationAST } from 'graphql';
import { requireScope } from '../domain/access/actor.ts';
import { DomainError, visibleError } from '../domain/errors.ts';
import type { KeyedWrite } from '../domain/keyed-write.ts';
import { contextIn, keyedWriteOf, replay } from '../http/keyed-writes.ts';
import type { ContextOf } from '../http/request/context.ts';
import type { Context } from '../schema/server/context.ts';
import { type GraphQLServer, scopeOf } from '../schema/server/server.ts';
import {
  type Answer,
  answerTo,
  methodNotAllowed,
  notFound,
  Refused,
  serverError,
  unprocessable,
  unreadable,
} from './answer.ts';
import { sendCsv, wantsCsv } from './csv.ts';
import { execute } from './execute.ts';
import { readForm } from './form/body.ts';
import { decodeFields, refusalsOf } from './form/decode.ts';
import { type FormFields, parseForm, UnreadableBody } from './form/form.ts';
import { linkRoutes } from './links.ts';
import type { AnyRoute, RequestUrl } from './route.ts';
import { spaceRoutes } from './spaces.ts';
import { statisticsRoutes } from './statistics.ts';

/** Every operation of v1. */
export const routes: readonly AnyRoute[] = [...spaceRoutes, ...linkRoutes, ...statisticsRoutes];

export interface RestDependencies {
  readonly server: GraphQLServer;
  /** The base of links if the request has no valid host: `https://s.example`. */
  readonly baseUrl: string;
  readonly contextOf: ContextOf;
  /** Called for every internal error. */
  report(res: Response, error: unknown): void;
}

const JSON_TYPE = 'application/json; charset=utf-8';

function send(res: Response, { status, body, headers, content }: Answer): void {
  const { type, data } = content ?? { type: JSON_TYPE, data: JSON.stringify(body) };
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(data),
    ...headers,
  });
  res.end(data);
}

function urlOf(req: Request, baseUrl: string): RequestUrl {
  const [path = '', query = ''] = req.originalUrl.split(/\?(.*)/s);
  // A proxy may forward any scheme of its client.
  const scheme = req.protocol.toLowerCase() === 'https' ? 'https' : 'http';
  const host = /^[\w.-]+(:\d+)?$|^\[[\da-fA-F:.]+\](:\d+)?$/.test(req.host ?? '') ? req.host : undefined;
  return { path: `${host === undefined ? baseUrl : `${scheme}://${host}`}${path}`, query };
}

/** The fields of a request: the query for reads, the body for writes. */
async function fieldsOf(
  req: Request,
  res: Response,
  { methods }: AnyRoute,
  { query }: RequestUrl,
): Promise<FormFields> {
  if (methods.includes('GET')) return parseForm(query);
  return res.locals.form ?? readForm(req, res);
}

/** Makes sure that the key has the route's scope. */
function requireScopeOf(route: AnyRoute, { actor }: Context): void {
  const operation = getOperationAST(route.document);
  if (operation) requireScope(actor, scopeOf(operation.operation));
}

/** The answer; null if it is sent already. */
async function answer(
  req: Request,
  res: Response,
  route: AnyRoute,
  { server, baseUrl, report }: RestDependencies,
): Promise<Answer | null> {
  const context: Context = res.locals.context;
  requireScopeOf(route, context);
  const url = urlOf(req, baseUrl);
  const sent = await fieldsOf(req, res, route, url);
  const updates = route.methods.includes('PATCH');
  const { input, refusals } = decodeFields(route.fields, sent, route.schema, updates);
  if (refusals.size > 0) return unprocessable(refusals);
  const id = typeof req.params.id === 'string' ? req.params.id : '';
  if (route.csv) res.vary('Accept');
  try {
    if (route.csv && wantsCsv(req)) {
      const { document, columns, variables, partOf } = route.csv;
      const part = async (from: string | null) =>
        partOf(await execute(server, { document }, variables(input, id, from), context));
      const first = await part(null);
      if (first === null) return notFound;
      context.onClosed(() => res.destroy());
      // The connection is closed, so the client sees that the file is incomplete.
      await sendCsv(req, res, columns, first, part).catch((error: unknown) => {
        if (!req.destroyed) report(res, error);
        res.destroy();
      });
      return null;
    }
    const variables = route.variables(input, id);
    return route.encode(await execute(server, route, variables, context), url, input);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return answerTo[error.code](error, refusalsOf(route.fields, sent, error.fields));
  }
}

/** A form as text, equal for equal fields. */
function textOf(form: FormFields): string {
  return JSON.stringify(form, (_name, value) => (value instanceof Map ? [...value] : value));
}

/** Answers a request with an Idempotency-Key: a write is done once. */
async function answerOnce(
  req: Request,
  res: Response,
  route: AnyRoute,
  dependencies: RestDependencies,
  keyed: KeyedWrite,
): Promise<void> {
  const context: Context = res.locals.context;
  requireScopeOf(route, context);
  res.locals.form = await fieldsOf(req, res, route, urlOf(req, dependencies.baseUrl));
  try {
    const request = JSON.stringify([
      'v1',
      route.methods,
      req.path.replace(/\/$/, ''),
      textOf(res.locals.form),
    ]);
    const before = await keyed.begin(request);
    if (before !== null) return replay(res, before);
    res.locals.context = contextIn(context, keyed);
    const made = await answer(req, res, route, dependencies);
    if (made === null) throw new Error('a write is never answered with a file');
    const { status, body } = made;
    const first = await keyed.end({ status, contentType: JSON_TYPE, body: JSON.stringify(body) });
    if (first !== null) return replay(res, first);
    await context.wrote();
    send(res, made);
  } finally {
    await keyed.close();
  }
}

const OVERRIDES = ['PUT', 'PATCH', 'DELETE'];

/**
 * The method of a request. Browsers' forms and some clients can only send GET and POST; they name PUT, PATCH or DELETE in
 * the field `_method` of the body or the query.
 */
async function methodOf(req: Request, res: Response): Promise<string> {
  if (req.method === 'HEAD') return 'GET';
  if (req.method !== 'POST') return req.method;
  const [, query = ''] = req.originalUrl.split(/\?(.*)/s);
  requireScope((res.locals.context as Context).actor, 'write');
  const form = await readForm(req, res);
  res.locals.form = form;
  const meant = [parseForm(query).get('_method'), form.get('_method')]
    .map((one) => String(one).toUpperCase())
    .find((one) => OVERRIDES.includes(one));
  return meant ?? 'POST';
}

/** The handler of one path, by method. */
function handlerOf(ofPath: readonly AnyRoute[], dependencies: RestDependencies): RequestHandler {
  const allowed = ofPath.flatMap(({ methods }): readonly string[] =>
    methods.includes('GET') ? ['GET', 'HEAD'] : methods,
  );
  const isAllowed = (method: string) =>
    allowed.includes(method) || (method === 'POST' && OVERRIDES.some((one) => allowed.includes(one)));
  return async (req, res) => {
    const context: Context = res.locals.context;
    if (!isAllowed(req.method)) return send(res, methodNotAllowed(req.method, allowed));
    const method = await methodOf(req, res);
    const route = ofPath.find(({ methods }) => methods.some((known) => known === method));
    if (route === undefined) return send(res, methodNotAllowed(method, allowed));
    context.named(`${method} ${route.path}`);
    const keyed = method === 'GET' ? null : keyedWriteOf(req, context);
    if (keyed !== null) return answerOnce(req, res, route, dependencies, keyed);
    const answered = await answer(req, res, route, dependencies);
    if (answered !== null) send(res, answered);
  };
}

function errorHandler({ report }: RestDependencies): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    const visible = visibleError(error);
    if (visible?.code === 'UNAVAILABLE') report(res, error);
    if (visible) {
      // An error that is not about a field of the route is about a header.
      const refusals = visible.fields.map(({ path, messages }): [string, string[]] => {
        const name = path.join('.');
        return [name, messages.map((message) => `The header ${name} ${message}.`)];
      });
      return send(res, answerTo[visible.code](visible, new Map(refusals)));
    }
    if (error instanceof Refused) return send(res, error.answer);
    if (error instanceof UnreadableBody) return send(res, unreadable(error.message));
    // Express could not decode the path: no record has such an id.
    if (error instanceof URIError) return send(res, notFound);
    report(res, error);
    send(res, serverError);
  };
}

/** The v1 API, to be mounted at `/api/v1`. The key is checked first. */
export function createRestRouter(dependencies: RestDependencies): Router {
  const router = Router({ caseSensitive: true });
  const { contextOf } = dependencies;
  router.use(async (req, res, next) => {
    res.locals.context = await contextOf(req, res);
    next();
  });
  for (const path of new Set(routes.map((route) => route.path))) {
    const ofPath = routes.filter((route) => route.path === path);
    router.all(path, handlerOf(ofPath, dependencies));
  }
  router.use((_req, res) => send(res, notFound));
  router.use(errorHandler(dependencies));
  return router;
}
