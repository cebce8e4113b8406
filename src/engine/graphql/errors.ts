// The errors that clients see: expected ones with their codes and statuses. All others are logged, and replaced by the id of
// the request.
import { type ASTNode, type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { z } from 'zod';
import { type DomainError, type ErrorCode, visibleError } from '../rules/errors.ts';
import { logFault } from '../tools/log.ts';
import type { EngineRequest } from './api.ts';

/** The type of an expected error in the result of a mutation, or the HTTP status of an answer with the error outside the data. */
export const errorForms: Record<ErrorCode, { readonly type?: string; readonly status?: number }> = {
  UNAUTHENTICATED: { status: 401 },
  FORBIDDEN: { status: 403 },
  GONE: { status: 410 },
  HISTORY_GONE: {},
  NOT_FOUND: { type: 'NotFoundError' },
  IN_USE: { type: 'InUseError' },
  CONFLICT: { type: 'ConflictError' },
  IDEMPOTENCY_MISMATCH: { status: 422 },
  IDEMPOTENCY_RUNNING: { status: 409 },
  VALIDATION: { type: 'ValidationError' },
  RATE_LIMITED: { status: 429 },
  UNAVAILABLE: { status: 503 },
};

/** The parts of a request that its errors need. */
export type Asked = Pick<EngineRequest, 'log' | 'requestId'>;

interface BadRequest {
  readonly code?: string;
  readonly http?: object;
  readonly nodes?: ASTNode;
}

/** The error of a request that cannot be executed as it was sent. */
export function badRequest(
  message: string,
  { code = 'BAD_REQUEST', http = { status: 400 }, nodes }: BadRequest = {},
): GraphQLError {
  return new GraphQLError(message, { nodes, extensions: { code, http } });
}

/** The HTTP headers for an error outside the data. */
export function makeHeaders({ code, retryAfter }: DomainError): Record<string, string> {
  if (code === 'UNAUTHENTICATED') return { 'WWW-Authenticate': 'Bearer' };
  return retryAfter === null ? {} : { 'Retry-After': String(retryAfter) };
}

/** The extensions of an error: the code, the wrong fields, and the HTTP status and headers. */
export function makeExtensions(error: DomainError) {
  const { status } = errorForms[error.code];
  return {
    code: error.code,
    ...(error.rule !== error.code && { rule: error.rule, values: error.values }),
    ...(error.reason !== error.code && { reason: error.reason, reasonValues: error.reasonValues }),
    ...(error.fields.length > 0 && { fields: error.fields }),
    ...(status !== undefined && { http: { status, headers: makeHeaders(error) } }),
  };
}

/** The error for the caller: an internal error is logged, and replaced by a request id. */
export function presentedError(error: GraphQLError, { log, requestId }: Asked): GraphQLError {
  const { nodes, source, positions, path, originalError } = error;
  const where = { nodes, source, positions, path };
  if (originalError === undefined || originalError instanceof GraphQLError) return error;
  const visible = visibleError(originalError);
  if (visible === null || visible.code === 'UNAVAILABLE') logFault(log, requestId, originalError);
  if (visible) return new GraphQLError(visible.message, { ...where, extensions: makeExtensions(visible) });
  return new GraphQLError('Unexpected error.', { ...where, extensions: { code: 'INTERNAL', requestId } });
}

/** Presents any error that is thrown outside resolvers. */
export function presentedAny(error: unknown, request: Asked): GraphQLError {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return presentedError(new GraphQLError(originalError.message, { originalError }), request);
}

const httpForm = z.object({ status: z.number(), headers: z.record(z.string(), z.string()).default({}) });

/** The HTTP status and headers of a single answer with the error; null if it says none. */
export function findHttp({ extensions }: GraphQLError): z.output<typeof httpForm> | null {
  return httpForm.safeParse(extensions.http).data ?? null;
}

/** The errors in a stream of answers: without what is for HTTP alone, but with the seconds after which to retry. */
export function showErrors(errors: readonly GraphQLError[]): GraphQLFormattedError[] {
  return errors.map((error) => {
    const { http: _, ...extensions } = error.extensions;
    const retryAfter = findHttp(error)?.headers['Retry-After'];
    return {
      ...error.toJSON(),
      extensions: { ...extensions, ...(retryAfter && { retryAfter: Number(retryAfter) }) },
    };
  });
}

/** The maximum length of a message, in characters: some repeat the input. */
const MAX_MESSAGE_LENGTH = 500;

/** The message, shortened; without suggestions, where introspection is off. */
export function shortenMessage(message: string, suggestions: boolean): string {
  const plain = suggestions ? message : message.replace(/ Did you mean .*\?$/s, '');
  return plain.length > MAX_MESSAGE_LENGTH ? `${plain.slice(0, MAX_MESSAGE_LENGTH)}…` : plain;
}

/**
 * Shortens the messages of a result's errors. Without introspection, it removes suggestions. GraphQL's own errors about
 * variables and operations have no code: this adds one, so that every error has a code.
 */
export function shortenMessages(result: ExecutionResult, suggestions: boolean): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    const message = shortenMessage(error.message, suggestions);
    const { code } = error.extensions;
    // The executor's own code is that of a wrong variable of a subscription; those of other operations have none.
    const isCoded = code !== undefined && code !== 'BAD_USER_INPUT';
    if (message === error.message && isCoded) return error;
    const { nodes, source, positions, path } = error;
    const extensions = { ...error.extensions, code: isCoded ? code : 'BAD_REQUEST' };
    return new GraphQLError(message, { nodes, source, positions, path, extensions });
  });
  return { ...result, errors };
}
