import { type ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { badRequest } from './errors.ts';
import type { Answers, Sent } from './pipeline.ts';
import { documentIdIn } from './private.ts';
import { hasTrusted, type TrustedDocuments } from './trusted-documents.ts';

/** A stored document that a client names instead of sending its text. */
export interface NamedDocument {
  readonly query: string;
  /** Call it with the result. */
  ended(result: ExecutionResult): void;
}

/**
 * Finds the document that a caller names; null if it has none.
 * @throws GraphQLError if the document cannot be executed any more
 */
export type FindNamed<Asked> = (id: string, asked: Asked) => Promise<NamedDocument | null>;

export const unknownDocument = () =>
  badRequest('There is no saved operation with this documentId.', { code: 'UNKNOWN_DOCUMENT' });

/** The error of a document that the schema does not accept any more. */
export const brokenDocument = (reason: string) =>
  badRequest(`This saved operation is broken: ${reason}`, {
    code: 'OPERATION_BROKEN',
    http: { status: 410 },
  });

/**
 * Returns the id of a stored document; null if the request has a text, or the id of a trusted document.
 * @throws GraphQLError if it has both, or another value than a text
 */
export function findNamedId(
  params: { readonly query?: string | null },
  trusted: TrustedDocuments | undefined,
): string | null {
  const id = documentIdIn(params);
  if (trusted === undefined && params.query && id != null)
    throw badRequest('Send either a query or a documentId.');
  if (!params.query && id != null && typeof id !== 'string') throw badRequest('documentId must be a string.');
  return !params.query && typeof id === 'string' && !hasTrusted(trusted, id) ? id : null;
}

type Unnamed = Omit<Sent, 'query'>;

/** Runs a stored document by its id. An unknown one, or one that cannot be executed, gives an answer with an error. */
export async function runNamed<Asked>(
  find: FindNamed<Asked>,
  id: string,
  { operationName, variables, extensions }: Unnamed,
  asked: Asked,
  run: (sent: Sent) => Promise<Answers>,
): Promise<Answers> {
  let named: NamedDocument | null;
  try {
    named = await find(id, asked);
    if (named === null) throw unknownDocument();
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
  const result = await run({ query: named.query, operationName, variables, extensions });
  if (!isAsyncIterable(result)) named.ended(result);
  return result;
}
