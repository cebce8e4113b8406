// Tools for agents: `POST /api/mcp`. A request has one message, and gets its answer as JSON.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeHead } from '../http/request/head.ts';
import type { Handler } from '../http/server.ts';
import { type Answer, failure, makeContent, methodNotAllowed } from '../rest/answer.ts';
import { JSON_TYPE, receiveBody } from '../rest/form/form.ts';
import { parseObject } from '../rest/run/json-object.ts';
import { answerThrown } from '../rest/run/thrown.ts';
import { escapeHidden } from '../tools/hidden.ts';
import { loadedLater } from '../tools/loaded-later.ts';
import { checkOrigin, type Sites } from './origin.ts';
import type * as Protocol from './protocol.ts';
import type { CallerTools, Identity } from './protocol.ts';

/** A request as a message needs it. */
export interface McpRequest {
  /** Sets the name of the operation for the log and the metrics. */
  named(operation: string): void;
}

export interface McpDependencies<Asked extends McpRequest> {
  readonly identity: Identity;
  readonly sites: Sites;
  /** Authenticates by a key in the header alone. @throws DomainError */
  readRequest(req: IncomingMessage, res: ServerResponse): Promise<Asked>;
  toolsOf(request: Asked): CallerTools;
  report(res: ServerResponse, error: unknown): void;
}

function write(res: ServerResponse, answer: Answer): void {
  const { data, headers } = makeContent(answer);
  writeHead(res, answer.status, headers);
  res.end(data);
}

const NOT_JSON = failure(415, 'Send the message as application/json.');
const EMPTY = failure(400, 'The body must be a message of JSON-RPC.');

/** The headers that the protocol knows; all others stay here. */
function makeHeaders({ headers }: IncomingMessage): Headers {
  const known = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (/^(accept|content-type|mcp-.+)$/.test(name) && typeof value === 'string') known.set(name, value);
  return known;
}

/** The messages that a log line names; of calls, it names the tool. */
const NAMED = ['initialize', 'notifications/initialized', 'ping', 'server/discover', 'tools/list'];

/** A stream of notifications would keep a connection, and there are none. */
const LISTEN = 'subscriptions/listen';

function refuseListening(id: unknown): Answer {
  const known = typeof id === 'string' || typeof id === 'number' ? id : null;
  const body = { jsonrpc: '2.0', id: known, error: { code: -32_601, message: 'Method not found' } };
  return { status: 404, body };
}

async function answerMessage<Asked extends McpRequest>(
  req: IncomingMessage,
  res: ServerResponse,
  { identity, sites, readRequest, toolsOf }: McpDependencies<Asked>,
  loadProtocol: () => Promise<typeof Protocol>,
): Promise<void> {
  const refused = await checkOrigin(req, sites);
  if (refused !== null) return write(res, refused);
  if (req.method !== 'POST') return write(res, methodNotAllowed(req.method ?? '', ['POST']));
  const request = await readRequest(req, res);
  const body = await receiveBody(req, res);
  if (body === null) return write(res, EMPTY);
  if (body.type !== JSON_TYPE) return write(res, NOT_JSON);
  const message = parseObject(body.bytes, 'The body must be one message of JSON-RPC, not a batch.');
  const { method, id } = message;
  if (method === LISTEN) return write(res, refuseListening(id));
  const named = NAMED.find((one) => one === method);
  if (named !== undefined) request.named(`POST /api/mcp ${named}`);
  const protocol = await loadProtocol();
  const asked = new Request('http://localhost/api/mcp', { method: 'POST', headers: makeHeaders(req) });
  const answer = await protocol.answerMessage(identity, toolsOf(request), asked, message);
  const content = { type: JSON_TYPE, data: escapeHidden(answer.body) };
  write(res, { status: answer.status, body: {}, content });
}

/** Answers messages of agents. */
export function createMcpHandler<Asked extends McpRequest>(dependencies: McpDependencies<Asked>): Handler {
  const told = { report: dependencies.report, suggestions: false };
  const loadProtocol = loadedLater(() => import('./protocol.ts'));
  return (req, res) =>
    answerMessage(req, res, dependencies, loadProtocol).catch((error: unknown) =>
      answerThrown(req, res, error, told, (answer) => write(res, answer)),
    );
}
