import {
  ApolloClient,
  ApolloLink,
  type FieldPolicy,
  gql,
  HttpLink,
  InMemoryCache,
  Observable,
  type Reference,
} from '@apollo/client';
import type { FieldMergeFunction } from '@apollo/client/cache';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode, print } from 'graphql';
import { type Endpoint, subscribe } from './events.ts';
import { possibleTypes } from './possible-types.ts';
import { oneAtATime } from './read-again.ts';
import { realTiming } from './timing.ts';

export { possibleTypes } from './possible-types.ts';

/** The longest page of the server. */
const LONGEST = 100;

interface Pages {
  readonly edges: readonly { readonly cursor?: string; readonly node: Reference }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

/** An answer, which may be without `pageInfo`: a list of one page. */
interface Incoming {
  readonly edges: Pages['edges'];
  readonly pageInfo?: Pages['pageInfo'];
}

/**
 * The pages of a list as one list; the arguments of `keyArgs` tell lists apart. When a page is read again, the rows after it stay:
 * Apollo's own policy would drop them.
 */
function pagesOf(keyArgs: string[]): FieldPolicy<Pages> {
  const policy = relayStylePagination(keyArgs) as FieldPolicy<Pages> & { merge: FieldMergeFunction<Pages> };
  return {
    ...policy,
    merge(existing, incoming, options) {
      if ((incoming as Incoming).pageInfo === undefined) return incoming;
      const merged = policy.merge(existing, incoming, options);
      const { endCursor, hasNextPage } = incoming.pageInfo;
      const end = existing?.edges.findIndex(({ cursor }) => cursor === endCursor) ?? -1;
      if (!existing || end < 0 || !hasNextPage || endCursor === existing.pageInfo.endCursor) return merged;
      const known = new Set(merged.edges.map(({ node }) => node.__ref));
      const others = existing.edges.slice(end + 1).filter(({ node }) => !known.has(node.__ref));
      return { ...merged, edges: [...merged.edges, ...others], pageInfo: existing.pageInfo };
    },
  };
}

export function newCache(): InMemoryCache {
  return new InMemoryCache({
    possibleTypes,
    // The global id. A DeletedRecord has the id of the deleted record, but must not be stored as that record.
    dataIdFromObject: ({ __typename, nodeId }) =>
      __typename === 'DeletedRecord' || nodeId === undefined ? undefined : String(nodeId),
    typePolicies: {
      // The pages of a list become one list; another filter or order is another list.
      Query: { fields: { links: pagesOf(['filter', 'orderBy']) } },
      // These types have no id: two queries that select different fields of them must not overwrite each other's.
      LinkExpiration: { merge: true },
      LinkPreview: { merge: true },
      LinkTargeting: { merge: true },
      Viewer: { merge: true },
    },
  });
}

/** Sends subscriptions over server-sent events. */
export function subscriptionLink(endpoint: Endpoint): ApolloLink {
  return new ApolloLink(
    ({ query, variables, operationName, extensions }) =>
      new Observable((observer) =>
        subscribe(
          endpoint,
          {
            // A trusted document is sent by its id alone.
            query: extensions.persistedQuery ? '' : print(query),
            variables,
            extensions,
            ...(operationName && { operationName }),
          },
          {
            next: ({ data = null, errors }) => observer.next({ data, ...(errors && { errors }) }),
            error: (error) => observer.error(error),
            complete: () => observer.complete(),
          },
        ),
      ),
  );
}

/**
 * Reads the queries on the screen again: lists from their top, as far as they are shown.
 * @param limit returns the signal that ends a request
 */
async function readAgain(client: ApolloClient, limit: () => AbortSignal): Promise<void> {
  for (const { query, variables } of client.getObservableQueries('active')) {
    const edges = () => client.readQuery<{ links?: Pages }>({ query, variables })?.links?.edges ?? [];
    const shown = edges().length;
    for (let read = 0; read === 0 || read < shown; read += LONGEST) {
      const first = Math.min(Math.max(shown - read, variables.first ?? 20), LONGEST);
      const page = shown > 0 && { first, ...(read > 0 && { after: edges()[read - 1]?.cursor }) };
      await client.query({
        query,
        variables: { ...variables, ...page },
        fetchPolicy: 'network-only',
        // Not together with a request that may never be answered.
        context: { queryDeduplication: false, fetchOptions: { signal: limit() } },
      });
    }
  }
}

interface Options {
  /** Links before the network, such as one for trusted documents. */
  readonly links?: ApolloLink[] | undefined;
  readonly send?: typeof fetch | undefined;
}

/**
 * A client of the server at `endpoint.url`. While somebody subscribes, it reads the queries on the screen again after each event
 * and each new connection.
 */
export function newClient(
  { url, headers = {}, pause, timing }: Endpoint,
  { links = [], send = fetch }: Options = {},
): ApolloClient {
  const { timeout } = { ...realTiming, ...timing };
  const heard = oneAtATime((limit) => readAgain(client, () => timeout(limit)), pause);
  const client = new ApolloClient({
    cache: newCache(),
    link: ApolloLink.from([
      ...links,
      ApolloLink.split(
        ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
        subscriptionLink({ url, headers, heard, pause, timing }),
        new HttpLink({ uri: url, headers, fetch: send }),
      ),
    ]),
    // What was on the screen before may be outdated: it is shown at once, and read again.
    defaultOptions: { watchQuery: { fetchPolicy: 'cache-and-network' } },
  });
  return client;
}

/** Keeps what is on the screen as it is on the server, until the returned function is called. Call it once for the page. */
export function followChanges(client: ApolloClient): () => void {
  const changes = client.subscribe<{ changes: { action: string; recordNodeId: string } }>({
    query: gql`
      subscription Changes {
        changes {
          nodeId
          action
          recordNodeId
        }
      }
    `,
  });
  const subscription = changes.subscribe(({ data }) => {
    if (data?.changes.action === 'DELETED') client.cache.evict({ id: data.changes.recordNodeId });
  });
  return () => subscription.unsubscribe();
}
