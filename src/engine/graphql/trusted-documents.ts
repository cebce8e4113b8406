import { readFile } from 'node:fs/promises';
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { GraphQLError, type GraphQLSchema, parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { z } from 'zod';
import { withoutMark } from '../tools/byte-order-mark.ts';
import { validateDocument } from './document.ts';
import { findOverflow } from './limits.ts';
import { documentIdIn } from './private.ts';

/** The texts of documents by id, as in GraphQL Code Generator's persisted-documents.json. */
export type TrustedDocuments = ReadonlyMap<string, string>;

const file = z.record(z.string().min(1), z.string());

/**
 * Reads the trusted documents.
 * @throws Error if the file cannot be read or has another form, or a document does not fit the schema
 */
export async function readTrustedDocuments(path: string, schema: GraphQLSchema): Promise<TrustedDocuments> {
  const read = file.safeParse(JSON.parse(withoutMark(await readFile(path)).toString()));
  if (!read.success) throw new Error('it has to be an object of documents by their ids');
  for (const [id, text] of Object.entries(read.data)) {
    try {
      const [error] = validateDocument(schema, parse(text));
      if (error) throw error;
    } catch (error) {
      const told = findOverflow(error) ?? error;
      throw told instanceof GraphQLError ? new Error(`the document ${id}: ${told.message}`) : told;
    }
  }
  return new Map(Object.entries(read.data));
}

function refused(message: string) {
  return { message, extensions: { code: 'UNTRUSTED_DOCUMENT', http: { status: 400 } } };
}

const unknown = refused('There is no trusted document with this documentId.');
const needed = refused('Only trusted documents are executed here: send a documentId in place of a query.');

const byHash = z.object({ persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string() }) });

/** The id of the document that a client asks for, by `documentId` or, like Apollo, by `persistedQuery`; null for none. */
export function findDocumentId(params: { readonly extensions?: unknown }): string | null {
  const documentId = documentIdIn(params);
  if (typeof documentId === 'string') return documentId;
  return byHash.safeParse(params.extensions).data?.persistedQuery.sha256Hash ?? null;
}

function findText(documents: TrustedDocuments, id: string): string | null {
  return documents.get(id) ?? documents.get(id.replace(/^sha256:/, '')) ?? null;
}

/** True if there is a trusted document with this id. */
export function hasTrusted(documents: TrustedDocuments | undefined, id: string): boolean {
  return documents !== undefined && findText(documents, id) !== null;
}

/**
 * Executes only trusted documents.
 * @param isTrusted returns whether the text of a request is executed, too
 */
export function onlyTrusted(documents: TrustedDocuments, isTrusted: (request: Request) => boolean): Plugin {
  return usePersistedOperations({
    allowArbitraryOperations: isTrusted,
    extractPersistedOperationId: findDocumentId,
    getPersistedOperation: (id) => findText(documents, id),
    customErrors: { notFound: unknown, keyNotFound: needed, persistedQueryOnly: needed },
  });
}

/**
 * Returns the text that is executed for a client without HTTP.
 * @param isTrusted returns whether a text is executed, too
 * @throws GraphQLError if it asks for no trusted document
 */
export function requireTrusted(
  documents: TrustedDocuments,
  params: { readonly query: string; readonly extensions?: unknown },
  isTrusted: (query: string) => boolean,
): string {
  const { query } = params;
  if (query !== '' && findDocumentId(params) === null && isTrusted(query)) return query;
  const id = query === '' ? findDocumentId(params) : null;
  const text = id === null ? null : findText(documents, id);
  if (text !== null) return text;
  const { message, extensions } = id === null ? needed : unknown;
  throw new GraphQLError(message, { extensions });
}
