import type { CheckDocument } from '../domain/operation/checks.ts';
import { Documents } from '../engine/graphql/document.ts';
import { checkDocument } from '../engine/graphql/saved-document.ts';
import { api } from '../schema/api.ts';

/**
 * Makes the function that checks documents by the schema of this process. It has a cache of its own: that of clients stays as it is.
 * @param introspection whether documents may read the schema
 */
export function makeDocumentCheck(introspection: boolean): CheckDocument {
  const documents = new Documents(api, introspection);
  return (text) => checkDocument(documents, text);
}
