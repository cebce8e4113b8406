import type { DocumentNode } from './print.ts';

/** A `String`, of which code generators derive a class. */
type TextObject = Pick<string, 'charAt' | 'toString'>;

/**
 * A document: a text, or what GraphQL Code Generator and `gql` make of one. The types of its data and of its variables follow
 * from it if it has them.
 */
export type TypedDocument<Data, Variables> =
  | string
  | ((TextObject | DocumentNode) & {
      // As in @graphql-typed-document-node/core.
      readonly __apiType?: (variables: Variables) => Data;
    });

/** Texts and comments, which may contain any words. */
const TEXTS = /"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|#[^\n\r]*/g;

export interface DocumentText {
  readonly query: string;
  readonly isMutation: boolean;
}

/** @throws TypeError for a subscription, which `changes` is for */
export async function readDocument(document: TypedDocument<unknown, never>): Promise<DocumentText> {
  const query =
    typeof document === 'object' && 'definitions' in document
      ? (await import('./print.ts')).print(document)
      : String(document);
  const code = query.replace(TEXTS, ' ');
  if (/^\s*subscription\b/.test(code)) throw new TypeError('Use changes() instead of a subscription.');
  return { query, isMutation: /\bmutation\b/.test(code) };
}
