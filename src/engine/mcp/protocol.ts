// The Model Context Protocol over Streamable HTTP, without sessions: each message has a server of its own, for both kinds of
// clients. It is loaded soon after the start, since the library takes time.
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { DescribedTool, ToolResult } from './tool.ts';

/** The server's own name, and its advice to agents. */
export interface Identity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions: string;
}

/** The tools of one caller. */
export interface CallerTools {
  list(): Promise<readonly DescribedTool[]>;
  /** Calls a tool; null if there is none with this name. */
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<ToolResult | null>;
}

function makeServer({ name, title, version, instructions }: Identity, tools: CallerTools): Server {
  const server = new Server({ name, title, version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', async () => ({ tools: [...(await tools.list())] }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const result = await tools.call(params.name, params.arguments ?? {});
    if (result === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool.');
    return { ...result };
  });
  return server;
}

/** Answers a message of a client that agreed on a version by `initialize`, up to 2025-11-25. */
async function answerEarlier(server: Server, request: Request, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody: message });
}

/** Tools whose faults are kept: the library would tell their messages to clients. */
function keepFault(tools: CallerTools) {
  let fault: { readonly error: unknown } | null = null;
  const keep = (error: unknown): never => {
    fault = { error };
    throw error;
  };
  return {
    tools: {
      list: () => tools.list().catch(keep),
      call: (name, given) => tools.call(name, given).catch(keep),
    } satisfies CallerTools,
    /** @throws the error of a tool that could not be listed or called */
    throwFault(): void {
      if (fault !== null) throw fault.error;
    },
  };
}

/** The error of a message with wrong parameters: its text is a list of issues in JSON, for the initialization with the code of a fault. */
const ISSUES = /"error":\{"code":-3260[23],"message":"(?:Invalid [^" ]+ request: )?\[\\n/;

const wrongParameters = z.object({
  id: z.union([z.string(), z.number(), z.null()]).default(null),
  error: z.object({ message: z.string() }),
});
const issues = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }));

/** The answer with errors of parameters as a sentence, and with their code. */
function tellIssues(body: string): string {
  if (!ISSUES.test(body)) return body;
  const { id, error } = wrongParameters.parse(JSON.parse(body));
  const list = issues.parse(JSON.parse(error.message.slice(error.message.indexOf('['))));
  const message = list.map(({ path, message: told }) => `${path.join('.')}: ${told}`).join('; ');
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidParams, message } });
}

/** Answers a message of a client. @param request the headers of the request, without a body */
export async function answerMessage(
  identity: Identity,
  tools: CallerTools,
  request: Request,
  message: object,
): Promise<{ readonly status: number; readonly body: string }> {
  const kept = keepFault(tools);
  const server = makeServer(identity, kept.tools);
  try {
    const response = (await isLegacyRequest(request, message))
      ? await answerEarlier(server, request, message)
      : await createMcpHandler(() => server, { legacy: 'reject' }).fetch(request, { parsedBody: message });
    const body = await response.text();
    kept.throwFault();
    return { status: response.status, body: tellIssues(body) };
  } finally {
    await server.close();
  }
}
