import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { z } from 'zod';
import type { Answer } from './answer.ts';
import type { AnyCsv } from './csv.ts';
import type { Fields } from './form/field.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an encoder needs to know of the request to write absolute links. */
export interface RequestUrl {
  /** Without the query: `https://s.example/api/v1/spaces`. */
  readonly path: string;
  /** The query parameters as they were sent. */
  readonly query: string;
}

/** What is no JSON: which operation gives it, and of which types it may be. */
export interface FileAnswer {
  readonly operationId: string;
  readonly summary: string;
  readonly types: readonly string[];
}

/** One operation of v1, spelled as data. */
export interface Route<Data, Variables> {
  readonly methods: readonly Method[];
  /** Below `/api/v1`, in Express' notation. */
  readonly path: string;
  /** The fields of the query string (GET) or the body (the others). */
  readonly fields: Fields;
  /** What the domain asks of those fields. */
  readonly schema: z.ZodType;
  readonly document: TypedDocumentNode<Data, Variables>;
  /** The document's variables, from the decoded fields and the path's id. */
  variables(input: Record<string, unknown>, id: string): Variables;
  encode(data: Data, url: RequestUrl, input: Record<string, unknown>): Answer;
  /** How it answers who prefers CSV. */
  readonly csv?: AnyCsv;
  /** Where it lists what belongs to one record: the schema of an item, and what the operation is called. */
  readonly lists?: { readonly record: string; readonly summary: string };
  /** How the description tells of an operation that answers with something else than a record. */
  readonly file?: FileAnswer;
}

/** Of a route that takes nothing but what its path says. */
export const withoutFields = { fields: {}, schema: z.object({}) };

/** A route whose types of data and variables only its own functions need to know. */
export type AnyRoute = Route<unknown, unknown>;

/** Declares a route; the types of data and variables come from its document. */
export function route<Data, Variables>(declaration: Route<Data, Variables>): AnyRoute {
  // Each route's functions meet only what its own document takes and gives.
  return declaration as unknown as AnyRoute;
}
