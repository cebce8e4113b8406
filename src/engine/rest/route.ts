import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { badRequest } from '../graphql/errors.ts';
import type { Answer, RequestUrl } from './answer.ts';
import type { Csv } from './csv-answer.ts';
import type { Fields } from './form/field.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An answer that is not JSON: its operation, and the possible media types. */
export interface FileAnswer {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly types: readonly string[];
}

/** One operation of v1, as data. */
interface Route<Data, Variables, CsvData, CsvVariables> {
  readonly methods: readonly Method[];
  /** Below `/api/v1`, in Express' notation. */
  readonly path: string;
  /** The fields of the query string (GET) or the body (the others). */
  readonly fields: Fields;
  readonly schema: z.ZodType;
  readonly document: TypedDocumentNode<Data, Variables>;
  /** The document's variables, from the decoded fields and the path's id. */
  variables(input: Record<string, unknown>, id: string): Variables;
  encode(data: Data, url: RequestUrl, input: Record<string, unknown>): Answer;
  readonly csv?: Csv<CsvData, CsvVariables>;
  /** For a list that belongs to one record: the schema of an item, and the texts of the operation. */
  readonly lists?: { readonly record: string; readonly summary: string; readonly description: string };
  /** For an operation that answers with a file instead of a record. */
  readonly file?: FileAnswer;
}

/** True if the operation changes a record. An empty value then clears its field; otherwise it counts as absent. */
export function isUpdate({ methods }: Pick<AnyRoute, 'methods'>): boolean {
  return methods.includes('PATCH');
}

export function isWrite({ methods }: Pick<AnyRoute, 'methods'>): boolean {
  return !methods.includes('GET');
}

/** A text that the document needs. @throws GraphQLError, as for any variable that does not fit, before anything is done */
export function needText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw badRequest('The document needs a text.');
}

/** True if the document was not executed, since its variables do not fit: the input has wrong fields. */
export function isUnfit(error: unknown): boolean {
  return error instanceof GraphQLError && error.extensions.code === 'BAD_REQUEST';
}

export const withoutFields = { fields: {}, schema: z.object({}) };

/** A route with erased types of data and variables. */
export type AnyRoute = Route<unknown, unknown, unknown, unknown>;

/** Declares a route; the types of data and variables come from its documents. */
export function route<Data, Variables, CsvData, CsvVariables>(
  declaration: Route<Data, Variables, CsvData, CsvVariables>,
): AnyRoute {
  // Its functions are called only with the data and variables of their own documents.
  return declaration as unknown as AnyRoute;
}
