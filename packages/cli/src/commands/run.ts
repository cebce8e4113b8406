import { LinkspaceError } from '@linkspace/client';
import type { Command } from 'commander';
import { answerText } from '../answer-text.ts';
import { parseObject, readText, repeated } from '../arguments.ts';
import { readLogin } from '../config.ts';
import type { Context } from '../context.ts';
import { CliError, codeFor, EXIT, usageError } from '../errors.ts';
import { LspOperationNameDocument } from '../generated/documents.ts';
import { formOf, type VariableTypes } from '../variables.ts';

interface Options {
  readonly var?: string[];
  readonly variables?: string;
  readonly idempotencyKey?: string;
}

interface Body {
  readonly data?: unknown;
  readonly message?: string;
  readonly code?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

function parseBody(text: string): Body {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body;
  } catch {}
  return {};
}

/** Codes for statuses of answers that have none. */
const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'IN_USE',
  422: 'VALIDATION',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
};

/** Sends a run, and returns what the service answers. @throws LinkspaceError without an answer */
async function send(context: Context, name: string, body: URLSearchParams | string, options: Options) {
  const { url, key } = readLogin(context.env);
  const { signal } = context.io;
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
    ...(options.idempotencyKey !== undefined && { 'Idempotency-Key': options.idempotencyKey }),
  };
  const address = `${url}/api/run/${encodeURIComponent(name)}`;
  try {
    const response = await fetch(address, { method: 'POST', headers, body, redirect: 'error', signal });
    return { response, text: await response.text() };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // An operation that reads loses nothing.
    throw new LinkspaceError(
      'No answer came from the service. If the operation writes, it may have run.',
      {
        code: 'NETWORK',
      },
      { cause: error },
    );
  }
}

/** The error of an answer. Its messages are sentences, which name the variables. */
function errorIn({ status, headers }: Response, { message, code = CODES[status], errors = {} }: Body): Error {
  const sentences = Object.values(errors).flat();
  const told = sentences.length > 0 ? sentences.join(' ') : (message ?? `HTTP status ${status}`);
  return new LinkspaceError(told, { code: code ?? 'UNEXPECTED', requestId: headers.get('X-Request-Id') });
}

interface Failed {
  readonly code: string;
  readonly message: string;
  /** True if it was done, and only its answer has failed. */
  readonly isDone: boolean;
}

/** Finds the failures that stand in places of values. */
function failuresIn(value: unknown): Failed[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('error' in value && Object.keys(value).length === 1) {
    const { error } = value;
    if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error)
      return [{ code: String(error.code), message: String(error.message), isDone: 'done' in error }];
  }
  return Object.values(value).flatMap(failuresIn);
}

/** The types of an operation's variables; none if there is no such operation. */
async function readTypes(context: Context, name: string): Promise<VariableTypes> {
  const { savedOperationByName: found } = await context.client.request(LspOperationNameDocument, { name });
  return new Map((found?.variables ?? []).map((one) => [one.name, one.type]));
}

async function readBody(context: Context, name: string, options: Options, words: readonly string[]) {
  const { variables, var: given = [] } = options;
  if (variables === undefined) return formOf(given, words, () => readTypes(context, name));
  if (given.length + words.length > 0) throw usageError('Give --variables FILE, or variables as options.');
  return JSON.stringify(parseObject(await readText(context, variables), variables));
}

async function runOperation(context: Context, name: string, words: readonly string[], options: Options) {
  const { response, text } = await send(
    context,
    name,
    await readBody(context, name, options, words),
    options,
  );
  const body = parseBody(text);
  if (response.status === 404) {
    // A record may be missing, or the operation itself.
    const { savedOperationByName: found } = await context.client.request(LspOperationNameDocument, { name });
    if (found === null) throw new CliError(`There is no operation ${JSON.stringify(name)}.`, EXIT.notFound);
  }
  if (!response.ok || !('data' in body)) throw errorIn(response, body);
  await context.show(body.data, answerText(body.data, context.io.isTerminal.output));
  const failures = failuresIn(body.data);
  const failed = failures.find(({ isDone }) => !isDone) ?? failures[0];
  if (failed === undefined) return;
  context.note(`lsp: ${failed.isDone ? '' : 'Not everything was done. '}${failed.message}`);
  context.exitCode = failed.isDone ? EXIT.failed : codeFor(failed.code);
}

export function addRun(program: Command, context: Context): void {
  program
    .command('run')
    .description('run a saved operation by its name; any other option is a variable, such as --search launch')
    .argument('<name>', 'the name of the operation')
    .argument('[variables...]', 'variables as options: --NAME VALUE; several times for a list')
    .option(
      '--var <name=value>',
      'a variable; may be repeated. Fields of objects: filter.search=launch',
      repeated,
    )
    .option('--variables <file>', 'a JSON file with all variables; - is standard input')
    .option('--idempotency-key <key>', 'has a mutation done once, also if you send it again')
    .allowUnknownOption()
    .action((name: string, words: string[], options: Options) => runOperation(context, name, words, options));
}
