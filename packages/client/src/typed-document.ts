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

/**
 * A saved operation of the account, by its name or `sha256:` with the hash of its document. `lsp generate` writes them, with the
 * types of their data and variables.
 */
export interface SavedDocument<Data, Variables> {
  readonly documentId: string;
  readonly kind: 'QUERY' | 'MUTATION';
  readonly __apiType?: (variables: Variables) => Data;
}

/** Texts and comments, which may contain any words. */
const TEXTS = /"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|#[^\n\r]*/g;

/** A document as it is sent: its text, or the id under which the service has it. */
export type SentDocument = { readonly query: string } | { readonly documentId: string };

export interface ReadDocument {
  readonly sent: SentDocument;
  readonly isMutation: boolean;
}

/** @throws TypeError for a subscription, which `changes` is for */
export async function readDocument(
  document: TypedDocument<unknown, never> | SavedDocument<unknown, never>,
): Promise<ReadDocument> {
  if (typeof document === 'object' && 'documentId' in document) {
    const { documentId, kind } = document;
    return { sent: { documentId }, isMutation: kind === 'MUTATION' };
  }
  const query =
    typeof document === 'object' && 'definitions' in document
      ? (await import('./print.ts')).print(document)
      : String(document);
  const code = query.replace(TEXTS, ' ');
  if (/^\s*subscription\b/.test(code)) throw new TypeError('Use changes() instead of a subscription.');
  return { sent: { query }, isMutation: /\bmutation\b/.test(code) };
}
