import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { makeOperation, mapExchange } from '@urql/core';

/** The id that the client preset writes into a document, as in `persisted-documents.json`. */
const idOf = (document: object): string =>
  (document as { __meta__?: { hash?: string } }).__meta__?.hash ?? 'a document without an id';

/** Sends ids for Apollo Client: `newClient(endpoint, { links: [trustedLink] })`. */
export const trustedLink = new PersistedQueryLink({ generateHash: idOf });

/** Sends ids for urql: `newClient(endpoint, { exchanges: [trustedExchange] })`. */
export const trustedExchange = mapExchange({
  onOperation: (operation) =>
    makeOperation(operation.kind, {
      ...operation,
      extensions: { persistedQuery: { version: 1, sha256Hash: idOf(operation.query) } },
    }),
});
