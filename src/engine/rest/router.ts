import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { answerOnce, makeKeyedWrite, type Writing } from '../http/idempotency.ts';
import { handling } from '../http/request/info.ts';
import { visibleError } from '../rules/errors.ts';
import { isOnHost } from '../rules/url.ts';
import { isLongHost } from '../tools/parse-url.ts';
import { pauseIfBlocked } from '../tools/time-slices.ts';
import {
  type Answer,
  answerTo,
  makeContent,
  methodNotAllowed,
  notFound,
  type RequestUrl,
  send,
  unprocessable,
} from './answer.ts';
import { type Csv, type CsvOptions, sendCsv, wantsCsv } from './csv-answer.ts';
import { answerError } from './error-answer.ts';
import { decodeForm, findRefusals, listRefusals } from './form/field.ts';
import { type FormFields, parseForm, readForm } from './form/form.ts';
import { type AnyRoute, isUnfit, isUpdate, isWrite } from './route.ts';

/** A request as the router needs it. */
export interface RestRequest extends Writing {
  /** Sets the name of the operation for the log and the metrics. */
  named(operation: string): void;
  readonly actor: {
    /** @throws DomainError if the key, session, user or membership has ended */
    requireAlive(): void;
  };
  /** Call it before a file is sent, which has a place of its own kind. */
  sendsFile(): void;
  onClosed(listener: () => void): void;
}

/** Runs a document. @throws DomainError for a refusal */
type Run<Asked> = <Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  request: Asked,
) => Promise<Data>;

interface RestDependencies<Asked extends RestRequest> {
  readonly routes: readonly AnyRoute[];
  /** The base of absolute URLs on its host, and if the request has no valid host: `https://s.example`. */
  readonly baseUrl: string;
  readRequest(req: Request, res: Response): Promise<Asked>;
  /** @throws DomainError FORBIDDEN */
  requirePermission(request: Asked, permission: 'READ' | 'WRITE'): void;
  readonly run: Run<Asked>;
  report(res: Response, error: unknown): void;
}

function makeRequestUrl(req: Request, baseUrl: string): RequestUrl {
  const [path = '', query = ''] = req.originalUrl.split(/\?(.*)/s);
  return { path: `${findBaseUrl(req, baseUrl)}${path}`, query };
}

/** The scheme and the host of links: a proxy that ends https for the service's own host may not tell the scheme. */
function findBaseUrl({ protocol, host: asked = '' }: Request, baseUrl: string): string {
  const isHost = !isLongHost(asked) && /^[\w.-]+(:\d+)?$|^\[[\da-fA-F:.]+\](:\d+)?$/.test(asked);
  if (!isHost || isOnHost(baseUrl, asked)) return baseUrl;
  // A proxy may forward any scheme of its client.
  return `${protocol.toLowerCase() === 'https' ? 'https' : 'http'}://${asked}`;
}

interface Call<Asked extends RestRequest> {
  readonly req: Request;
  readonly res: Response;
  readonly route: AnyRoute;
  readonly url: RequestUrl;
  readonly form: FormFields;
  readonly request: Asked;
}

/** The answer; null if it is sent already. */
async function answer<Asked extends RestRequest>(
  { req, res, route, url, form, request }: Call<Asked>,
  { run, report }: RestDependencies<Asked>,
): Promise<Answer | null> {
  const decoded = decodeForm(route.fields, form, isUpdate(route));
  const { input } = decoded;
  const findWrong = () => findRefusals(route.fields, form, route.schema, decoded);
  // A function that writes parses its input, so that this does it only to tell all that is wrong.
  const wrong = isWrite(route) && decoded.refusals.size === 0 ? decoded.refusals : findWrong();
  if (wrong.size > 0) return unprocessable(wrong);
  const id = typeof req.params.id === 'string' ? req.params.id : '';
  if (route.csv) res.vary('Accept');
  try {
    if (route.csv && wantsCsv(req))
      return (await sendList({ req, res, request, run, report }, route.csv, input, id)) ? null : notFound;
    const data = await run(route.document, route.variables(input, id), request);
    await pauseIfBlocked();
    return route.encode(data, url, input);
  } catch (error) {
    const unfit = isUnfit(error) ? findWrong() : wrong;
    if (unfit.size > 0) return unprocessable(unfit);
    const visible = visibleError(error, input);
    if (visible === null || visible.code === 'UNAVAILABLE') throw error;
    return answerTo[visible.code](visible, listRefusals(route.fields, form, visible.fields));
  }
}

interface Download<Asked extends RestRequest>
  extends Pick<Call<Asked>, 'req' | 'res' | 'request'>,
    Pick<RestDependencies<Asked>, 'run' | 'report'> {}

/** Sends a list as one file; false if there is none, and nothing is sent. */
export async function sendList<Data, Variables, Asked extends RestRequest>(
  { req, res, request, run, report }: Download<Asked>,
  { document, columns, variables, partOf }: Csv<Data, Variables>,
  input: Record<string, unknown>,
  id: string,
  options?: CsvOptions,
): Promise<boolean> {
  const part = async (from: string | null) =>
    partOf(await run(document, variables(input, id, from), request));
  const first = await part(null);
  if (first === null) return false;
  request.sendsFile();
  request.onClosed(() => res.destroy());
  // The connection is closed, so the client sees that the file is incomplete.
  await sendCsv(req, res, columns, first, part, options).catch((error: unknown) => {
    if (!req.destroyed) report(res, error);
    res.destroy();
  });
  return true;
}

/** A form as text, equal for equal fields. */
function formText(form: FormFields): string {
  return JSON.stringify(form, (_name, value) => (value instanceof Map ? [...value] : value));
}

const OVERRIDES = ['PUT', 'PATCH', 'DELETE'];

/**
 * The method that a POST stands for. Browsers' forms and some clients can only send GET and POST; they name PUT, PATCH or DELETE
 * in the field `_method` of the body or the query.
 */
function methodIn(form: FormFields, { query }: RequestUrl): string {
  const named = [parseForm(query).get('_method'), form.get('_method')].map((one) =>
    String(one).toUpperCase(),
  );
  return named.find((one) => OVERRIDES.includes(one)) ?? 'POST';
}

/** The handler of one path, by method. */
function makeHandler<Asked extends RestRequest>(
  ofPath: readonly AnyRoute[],
  dependencies: RestDependencies<Asked>,
): RequestHandler {
  const { requirePermission } = dependencies;
  const allowed = ofPath.flatMap(({ methods }): readonly string[] =>
    methods.includes('GET') ? ['GET', 'HEAD'] : methods,
  );
  const isAllowed = (method: string) =>
    allowed.includes(method) || (method === 'POST' && OVERRIDES.some((one) => allowed.includes(one)));
  const handle = async (req: Request, res: Response): Promise<void> => {
    const request: Asked = res.locals.request;
    if (!isAllowed(req.method)) return send(res, methodNotAllowed(req.method, allowed));
    const url = makeRequestUrl(req, dependencies.baseUrl);
    const isPost = req.method === 'POST';
    if (isPost) requirePermission(request, 'WRITE');
    const posted = isPost ? await readForm(req, res) : null;
    const method = posted ? methodIn(posted, url) : req.method.replace('HEAD', 'GET');
    const route = ofPath.find(({ methods }) => methods.some((known) => known === method));
    if (route === undefined) return send(res, methodNotAllowed(method, allowed));
    request.named(`${method} ${route.path}`);
    const ask = () => {
      request.actor.requireAlive();
      requirePermission(request, method === 'GET' ? 'READ' : 'WRITE');
    };
    ask();
    const form = posted ?? (method === 'GET' ? parseForm(url.query) : await readForm(req, res));
    ask();
    const call = { req, res, route, url, form, request };
    const writing = method === 'GET' ? null : makeKeyedWrite(req, request);
    if (writing === null) {
      const answered = await answer(call, dependencies);
      return answered === null ? undefined : send(res, answered);
    }
    await answerOnce(res, writing, request.data, async () => {
      const path = req.path.replace(/\/$/, '');
      const before = await writing.keyed.begin(
        JSON.stringify(['v1', route.methods, path, formText(form)]),
        ask,
      );
      if (before !== null) return { ...before, headers: {} };
      const made = await answer({ ...call, request: writing }, dependencies);
      if (made === null) throw new Error('a write is never answered with a file');
      const { contentType, data, headers } = makeContent(made);
      return { status: made.status, contentType, headers, body: String(data) };
    });
  };
  return (req, res) => handling(res, handle(req, res));
}

function errorHandler({ report }: Pick<RestDependencies<RestRequest>, 'report'>): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) =>
    send(
      res,
      answerError(error, () => report(res, error)),
    );
}

/** The v1 API, to be mounted at `/api/v1`. The key is checked first. */
export function createRestRouter<Asked extends RestRequest>(dependencies: RestDependencies<Asked>): Router {
  const router = Router({ caseSensitive: true });
  const { readRequest, routes } = dependencies;
  router.use(async (req, res, next) => {
    res.locals.request = await handling(res, readRequest(req, res));
    next();
  });
  for (const path of new Set(routes.map((route) => route.path))) {
    const ofPath = routes.filter((route) => route.path === path);
    router.all(path, makeHandler(ofPath, dependencies));
  }
  router.use((_req, res) => send(res, notFound));
  router.use(errorHandler(dependencies));
  return router;
}
