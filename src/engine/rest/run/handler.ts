// Operations by their names: `GET|POST /api/run/NAME`. A request is read by its operation's types, run by the pipeline of all
// operations, and answered in the form of other REST answers.
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyedWrite } from '../../db/idempotent-write.ts';
import type { Operation } from '../../graphql/document.ts';
import type { Outcome } from '../../graphql/outcome.ts';
import { answerOnce, makeKeyedWrite, type Writing } from '../../http/idempotency.ts';
import { setNoted, writeHead } from '../../http/request/head.ts';
import type { Handler } from '../../http/server.ts';
import { pauseIfBlocked } from '../../tools/time-slices.ts';
import { type Answer, makeContent, methodNotAllowed, notFound } from '../answer.ts';
import { JSON_TYPE, parseBody, parseForm, receiveBody } from '../form/form.ts';
import { answerFailure, answerOutcome, unknownVariables, type Wording } from './answer.ts';
import { parseObject } from './json-object.ts';
import { answerThrown } from './thrown.ts';
import {
  joinVariables,
  readFormVariables,
  readJsonVariables,
  type SentVariables,
  VARIABLE_FORM,
  VARIABLE_QUERY,
} from './variables.ts';

/** A request as a run needs it. */
export interface RunRequest extends Writing {
  readonly keyed?: KeyedWrite;
  /** Sets the name of the operation for the log and the metrics. */
  named(operation: string): void;
}

/** A long text as it is sent, with what would take time for each request. */
export interface KeptText {
  readonly data: Buffer;
  readonly digest: string;
}

export function keepText(text: string): KeptText {
  const data = Buffer.from(text);
  return { data, digest: hash('sha256', data, 'base64url') };
}

export interface RunDependencies<Asked extends RunRequest, Saved> {
  /** Authenticates by a key in the header alone. @throws DomainError */
  readRequest(req: IncomingMessage, res: ServerResponse): Promise<Asked>;
  /** The operation of the caller's account with this name. */
  find(request: Asked, name: string): Promise<Saved | null>;
  /** @throws GraphQLError if the operation is broken; DomainError if it is, and the caller may not read why */
  prepare(request: Asked, saved: Saved): Operation;
  /** @throws DomainError if the caller may not run the operation */
  requireRights(request: Asked, operation: Operation): void;
  run(
    request: Asked,
    saved: Saved,
    variables: Readonly<Record<string, unknown>>,
    how: { readonly isGet: boolean },
  ): Promise<Outcome>;
  /** The description of all operations that the caller may run, in JSON. */
  describe(request: Asked): Promise<KeptText>;
  /** Called for a run that was refused before it began. */
  refused(saved: Saved): void;
  /** A secret of the caller's account. */
  secretOf(request: Asked): Promise<string>;
  /** True if messages may name parts of the schema. */
  readonly suggestions: boolean;
  report(res: ServerResponse, error: unknown): void;
}

const NAME = /^\/api\/run\/([a-z0-9-]+|openapi\.json)\/?$/;

/** The name and the query in the target of a request. */
function parseTarget(url = ''): { readonly name: string | null; readonly query: string } {
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  return { name: NAME.exec(path.replace(/^\/api\/run\//i, '/api/run/'))?.[1] ?? null, query };
}

/** The largest body, in bytes: as large as one of GraphQL. */
const MAX_BODY = 2 * 1024 * 1024;

/** @throws Refused, UnreadableBody, GraphQLError */
async function readVariables(
  req: IncomingMessage,
  res: ServerResponse,
  operation: Operation,
  query: string,
): Promise<SentVariables> {
  const queried = readFormVariables(operation, parseForm(query, VARIABLE_QUERY));
  const body = req.method === 'POST' ? await receiveBody(req, res, MAX_BODY) : null;
  if (body === null) return queried;
  const given =
    body.type === JSON_TYPE
      ? readJsonVariables(
          operation,
          parseObject(body.bytes, 'The body must be a JSON object with the variables.'),
        )
      : readFormVariables(operation, await parseBody(body, VARIABLE_FORM));
  return joinVariables(queried, given);
}

/** A strong ETag. The secret is on both sides of the text, in one call: an HMAC takes three times as long. */
function makeEtag(secret: string, body: string): string {
  return `"${hash('sha256', `${secret} ${body} ${secret}`, 'base64url')}"`;
}

/** True if a client has the answer with this ETag. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));
}

function write(
  req: IncomingMessage,
  res: ServerResponse,
  answer: Answer,
  more: Record<string, string> = {},
): void {
  const { data, headers } = makeContent(answer);
  writeHead(res, answer.status, { ...headers, ...more });
  res.end(req.method === 'HEAD' ? undefined : data);
}

const KEPT = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Origin' };

/**
 * Sends an answer to a read, or that it has not changed.
 * @param digest stands for the answer in its ETag; by default, its text does
 */
function writeRead(
  req: IncomingMessage,
  res: ServerResponse,
  answer: Answer,
  secret: string,
  digest?: string,
): void {
  if (answer.status !== 200) {
    write(req, res, answer);
    return;
  }
  const { data, headers } = makeContent(answer);
  const etag = makeEtag(secret, digest ?? String(data));
  if (isKnown(req.headers['if-none-match'], etag)) {
    writeHead(res, 304, { ...KEPT, etag });
    res.end();
    return;
  }
  writeHead(res, 200, { ...headers, ...KEPT, etag });
  res.end(req.method === 'HEAD' ? undefined : data);
}

function findDisallowed(method: string, operation: Operation): Answer | null {
  const allowed = operation.isMutation ? ['POST'] : ['GET', 'HEAD', 'POST'];
  return allowed.includes(method) ? null : methodNotAllowed(method, allowed);
}

interface Call<Asked, Saved> {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly request: Asked;
  readonly saved: Saved;
  readonly operation: Operation;
  readonly sent: SentVariables;
}

async function answerRun<Asked extends RunRequest, Saved>(
  { req, request, saved, operation, sent }: Call<Asked, Saved>,
  { run, refused, suggestions }: RunDependencies<Asked, Saved>,
): Promise<Answer> {
  const wording: Wording = { nameOf: sent.nameOf, suggestions };
  if (sent.unknown.length > 0) {
    refused(saved);
    return answerFailure(unknownVariables(sent.unknown), wording);
  }
  const outcome = await run(request, saved, sent.variables, { isGet: req.method !== 'POST' });
  await pauseIfBlocked();
  return answerOutcome(operation, outcome, wording);
}

/** Answers a mutation with an Idempotency-Key once; what is no mutation, or is refused before, as usual. */
function answerKeyed<Asked extends RunRequest, Saved>(
  call: Call<Asked, Saved>,
  writing: Asked & { readonly keyed: KeyedWrite },
  dependencies: RunDependencies<Asked, Saved>,
): Promise<void> {
  const { req, res, request } = call;
  setNoted(res);
  return answerOnce(res, writing, request.data, async () => {
    const answer = await answerRun({ ...call, request: writing }, dependencies);
    if (!writing.keyed.hasBegun) {
      write(req, res, answer);
      return null;
    }
    const { contentType, data, headers } = makeContent(answer);
    return { status: answer.status, contentType, headers, body: String(data) };
  });
}

async function answerNamed<Asked extends RunRequest, Saved>(
  req: IncomingMessage,
  res: ServerResponse,
  dependencies: RunDependencies<Asked, Saved>,
): Promise<void> {
  const { readRequest, find, prepare, requireRights, describe, secretOf } = dependencies;
  const request = await readRequest(req, res);
  const { name, query } = parseTarget(req.url);
  const method = req.method ?? '';
  const isRead = method === 'GET' || method === 'HEAD';
  if (name === 'openapi.json') {
    if (!isRead) return write(req, res, methodNotAllowed(method, ['GET', 'HEAD']));
    const { data, digest } = await describe(request);
    const content = { type: 'application/json; charset=utf-8', data };
    return writeRead(req, res, { status: 200, body: {}, content }, await secretOf(request), digest);
  }
  const saved = name === null ? null : await find(request, name);
  if (saved === null) return write(req, res, notFound);
  request.named(`${method} /api/run/${name}`);
  const operation = prepare(request, saved);
  const disallowed = findDisallowed(method, operation);
  if (disallowed !== null) return write(req, res, disallowed);
  requireRights(request, operation);
  const call = { req, res, request, saved, operation, sent: await readVariables(req, res, operation, query) };
  const writing = method === 'POST' ? makeKeyedWrite(req, request) : null;
  if (writing !== null) return answerKeyed(call, writing, dependencies);
  const answer = await answerRun(call, dependencies);
  return isRead ? writeRead(req, res, answer, await secretOf(request)) : write(req, res, answer);
}

/** Answers requests to run operations by name. */
export function createRunHandler<Asked extends RunRequest, Saved>(
  dependencies: RunDependencies<Asked, Saved>,
): Handler {
  return (req, res) =>
    answerNamed(req, res, dependencies).catch((error: unknown) =>
      answerThrown(req, res, error, dependencies, (answer) => write(req, res, answer)),
    );
}
