import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { parse } from 'graphql';

export interface Titles {
  readonly links: {
    readonly edges: readonly { readonly cursor: string; readonly node: { readonly title: string | null } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

/** A list of links, with its types. GraphQL Code Generator makes the same of a file .graphql. */
export const TITLES: TypedDocumentNode<Titles, { first?: number; after?: string }> = parse(`
  query Titles($first: Int = 20, $after: String) {
    links(first: $first, after: $after) {
      edges { cursor node { nodeId title } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);
