import type { DocumentNode } from 'graphql';
import { createRequest } from 'urql';

/** A document from its text, which is parsed when it is first used. The build puts these in place of the generated documents. */
export function documentOf(text: string): DocumentNode {
  let parsed: DocumentNode | undefined;
  return {
    kind: 'Document',
    get definitions() {
      parsed ??= createRequest(text, {}).query;
      return parsed.definitions;
    },
  } as DocumentNode; // Its kind is a text here, and a value of an enum there.
}
