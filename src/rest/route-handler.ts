import type { Request, RequestHandler, Response } from 'express';
import { requireScope } from '../domain/access/actor.ts';
import { DomainError } from '../domain/errors.ts';
import type { KeyedWrite } from '../domain/idempotent-write.ts';
import { contextIn, keyedWriteOf, replay } from '../http/idempotency.ts';
import type { ContextOf } from '../http/request/context.ts';
import type { Context } from '../schema/server/context.ts';
import type { GraphQLServer } from '../schema/server/server.ts';
import { pauseIfBlocked } from '../shared/time-slices.ts';
import { type Answer, answerTo, methodNotAllowed, notFound, unprocessable } from './answer.ts';
import { sendCsv, wantsCsv } from './csv-answer.ts';
import { execute } from './execute.ts';
import { readForm } from './form/body.ts';
import { decodeFields, refusalsOf } from './form/decode.ts';
import { type FormFields, parseForm } from './form/form.ts';
import type { AnyRoute, RequestUrl } from './route.ts';
import { JSON_TYPE, send } from './send.ts';

export interface RestDependencies {
  readonly server: GraphQLServer;
  /** The base of links if the request has no valid host: `https://s.example`. */
  readonly baseUrl: string;
  readonly contextOf: ContextOf;
  /** Called for every internal error. */
  report(res: Response, error: unknown): void;
}

function urlOf(req: Request, baseUrl: string): RequestUrl {
  const [path = '', query = ''] = req.originalUrl.split(/\?(.*)/s);
  // A proxy may forward any scheme of its client.
  const scheme = req.protocol.toLowerCase() === 'https' ? 'https' : 'http';
  const host = /^[\w.-]+(:\d+)?$|^\[[\da-fA-F:.]+\](:\d+)?$/.test(req.host ?? '') ? req.host : undefined;
  return { path: `${host === undefined ? baseUrl : `${scheme}://${host}`}${path}`, query };
}

/** A request for a route. */
interface Call {
  readonly req: Request;
  readonly res: Response;
  readonly route: AnyRoute;
  readonly url: RequestUrl;
  readonly form: FormFields;
  readonly context: Context;
}

/** The answer; null if it is sent already. */
async function answer(
  { req, res, route, url, form, context }: Call,
  { server, report }: RestDependencies,
): Promise<Answer | null> {
  const updates = route.methods.includes('PATCH');
  const { input, refusals } = decodeFields(route.fields, form, route.schema, updates);
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
    const data = await execute(server, route, variables, context);
    await pauseIfBlocked();
    return route.encode(data, url, input);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return answerTo[error.code](error, refusalsOf(route.fields, form, error.fields));
  }
}

/** A form as text, equal for equal fields. */
function textOf(form: FormFields): string {
  return JSON.stringify(form, (_name, value) => (value instanceof Map ? [...value] : value));
}

/** Answers a request with an Idempotency-Key: a write is done once. */
async function answerOnce(call: Call, dependencies: RestDependencies, keyed: KeyedWrite): Promise<void> {
  const { req, res, route, form, context } = call;
  try {
    const path = req.path.replace(/\/$/, '');
    const before = await keyed.begin(JSON.stringify(['v1', route.methods, path, textOf(form)]));
    if (before !== null) return replay(res, before);
    const made = await answer({ ...call, context: contextIn(context, keyed) }, dependencies);
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
 * The method that a POST means. Browsers' forms and some clients can only send GET and POST; they name PUT, PATCH or DELETE
 * in the field `_method` of the body or the query.
 */
function methodIn(form: FormFields, { query }: RequestUrl): string {
  const named = [parseForm(query).get('_method'), form.get('_method')].map((one) =>
    String(one).toUpperCase(),
  );
  return named.find((one) => OVERRIDES.includes(one)) ?? 'POST';
}

/** The handler of one path, by method. */
export function handlerOf(ofPath: readonly AnyRoute[], dependencies: RestDependencies): RequestHandler {
  const allowed = ofPath.flatMap(({ methods }): readonly string[] =>
    methods.includes('GET') ? ['GET', 'HEAD'] : methods,
  );
  const isAllowed = (method: string) =>
    allowed.includes(method) || (method === 'POST' && OVERRIDES.some((one) => allowed.includes(one)));
  return async (req, res) => {
    const context: Context = res.locals.context;
    if (!isAllowed(req.method)) return send(res, methodNotAllowed(req.method, allowed));
    const url = urlOf(req, dependencies.baseUrl);
    const isPost = req.method === 'POST';
    if (isPost) requireScope(context.actor, 'write');
    const posted = isPost ? await readForm(req, res) : null;
    const method = posted ? methodIn(posted, url) : req.method.replace('HEAD', 'GET');
    const route = ofPath.find(({ methods }) => methods.some((known) => known === method));
    if (route === undefined) return send(res, methodNotAllowed(method, allowed));
    context.named(`${method} ${route.path}`);
    requireScope(context.actor, method === 'GET' ? 'read' : 'write');
    const form = posted ?? (method === 'GET' ? parseForm(url.query) : await readForm(req, res));
    const call = { req, res, route, url, form, context };
    const keyed = method === 'GET' ? null : keyedWriteOf(req, context);
    if (keyed !== null) return answerOnce(call, dependencies, keyed);
    const answered = await answer(call, dependencies);
    if (answered !== null) send(res, answered);
  };
}
