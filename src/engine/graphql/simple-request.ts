// Answers simple requests itself, since Yoga's HTTP takes longer than a small operation. A request is simple if its body is
// short and has an operation by its text, with nothing unusual: no subscription, no query in the address, no trusted documents.
// All others go on to Yoga, with the body if it was read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAsyncIterable, processRegularResult } from 'graphql-yoga';
import { writeHead } from '../http/request/head.ts';
import { ClientGone } from '../tools/client-gone.ts';
import { isObject } from '../tools/is-object.ts';
import { pauseIfBlocked } from '../tools/time-slices.ts';
import type { Documents } from './document.ts';
import { shortenMessages } from './errors.ts';
import { runNamed } from './named-document.ts';
import { asksByHash, MAX_SHORT_BODY, parseJson } from './parameters.ts';
import type { Sent } from './pipeline.ts';
import { keepBody } from './private.ts';
import { answerByYoga, type GraphQLOptions, type Run, sendResponse, type Yoga } from './yoga.ts';

/** Reads the text of a body by events: an async iterator takes longer than all else that is done for a small operation's HTTP. */
function readText(req: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  req
    .setEncoding('utf8')
    .on('data', (chunk: string) => {
      text += chunk;
    })
    .on('end', () => resolve(text))
    .on('error', reject)
    .on('close', () => {
      if (!req.complete) reject(new ClientGone());
    });
  return promise;
}

/** Reads a short body, and stores it where Yoga finds a parsed body; returns null if Yoga has to read it. */
async function readShortBody(req: IncomingMessage): Promise<string | null> {
  const { 'content-length': length = 'unknown', 'content-encoding': encoding } = req.headers;
  if (encoding !== undefined || !(Number(length) <= MAX_SHORT_BODY)) return null;
  const body = await readText(req);
  keepBody(req, body);
  return body;
}

/** The names in the body of a simple request. */
const NAMES: ReadonlySet<string> = new Set([
  'query',
  'documentId',
  'operationName',
  'variables',
  'extensions',
]);

/** An operation by its text, or by the id of a stored document. */
interface Read extends Sent {
  readonly documentId: string | null;
}

/** Returns the operation in the body of a simple request; null for others. A schema takes a fifteenth of a small operation's time. */
function operationIn(json: unknown, hasNamed: boolean): Read | null {
  if (!isObject(json) || !Object.keys(json).every((name) => NAMES.has(name))) return null;
  const { documentId = null, operationName, variables, extensions } = json;
  const query = documentId === null ? json.query : (json.query ?? '');
  if (typeof query !== 'string') return null;
  if (documentId !== null && (!hasNamed || typeof documentId !== 'string' || query !== '')) return null;
  if (asksByHash({ query, extensions })) return null;
  if (operationName != null && typeof operationName !== 'string') return null;
  if (variables != null && !isObject(variables)) return null;
  if (extensions != null && !isObject(extensions)) return null;
  return { query, documentId, operationName: operationName || undefined, variables, extensions };
}

/** Answers a request as JSON of a type. */
export type AnswerPost<Asked> = (
  req: IncomingMessage,
  res: ServerResponse,
  asked: Asked,
  type: string,
) => Promise<void>;

/** Makes the function that answers simple requests, and has Yoga answer all others. */
export function createSimpleAnswer<Asked>(
  documents: Documents,
  runSent: Run<Asked>,
  yoga: Yoga<Asked>,
  { graphiql, trusted, findNamed }: GraphQLOptions<Asked>,
): AnswerPost<Asked> {
  return async (req, res, asked, type) => {
    const body = await readShortBody(req);
    const read = body === null ? null : { json: parseJson(body) };
    const isUsual = trusted === undefined && req.url === '/graphql';
    const sent = isUsual && read !== null ? operationIn(read.json, findNamed !== undefined) : null;
    // Many documents that arrive together are parsed and answered with other work in between.
    await pauseIfBlocked();
    if (sent === null || documents.isSubscription(sent.query, sent.operationName))
      return answerByYoga(yoga, req, res, { asked, ...(read && { read }) });
    const how = { isGet: false, acceptsStream: false };
    const result = await (findNamed !== undefined && sent.documentId !== null
      ? runNamed(findNamed, sent.documentId, sent, asked, (named) => runSent(named, asked, how))
      : runSent(sent, asked, how));
    if (isAsyncIterable(result)) throw new Error('only a subscription has a stream of answers');
    await pauseIfBlocked();
    if (result.errors)
      return sendResponse(res, processRegularResult(shortenMessages(result, graphiql), yoga.fetchAPI, type));
    const text = JSON.stringify(result);
    const length = Buffer.byteLength(text);
    writeHead(res, 200, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Length': length });
    // Node writes a text together with the head, and a buffer after it.
    res.end(text);
  };
}
