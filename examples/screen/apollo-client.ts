import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode, print } from 'graphql';
import { type Endpoint, subscribe } from './events.ts';

/** Without these, Apollo drops fields that are selected on an interface. A build can generate them from the schema. */
export const possibleTypes = {
  Error: ['ConflictError', 'InUseError', 'NotFoundError', 'ValidationError'],
  Node: [
    'Account',
    'ApiKey',
    'Change',
    'Domain',
    'Invitation',
    'Link',
    'Member',
    'Pixel',
    'Space',
    'Tag',
    'UtmTemplate',
    'Webhook',
  ],
};

export function newCache(): InMemoryCache {
  return new InMemoryCache({
    possibleTypes,
    // The global id. A DeletedRecord has the id of the deleted record, but must not be stored as that record.
    dataIdFromObject: ({ __typename, nodeId }) =>
      __typename === 'DeletedRecord' || nodeId === undefined ? undefined : String(nodeId),
    typePolicies: {
      // The pages of a list become one list; another filter or order is another list.
      Query: { fields: { links: relayStylePagination(['filter', 'orderBy']) } },
      // These types have no id: two queries that select different fields of them must not overwrite each other's.
      LinkExpiration: { merge: true },
      LinkTargeting: { merge: true },
      Viewer: { merge: true },
    },
  });
}

/** Sends subscriptions over server-sent events. */
export function subscriptionLink(endpoint: Endpoint): ApolloLink {
  return new ApolloLink(
    ({ query, variables, operationName }) =>
      new Observable((observer) =>
        subscribe(
          endpoint,
          { query: print(query), variables, ...(operationName && { operationName }) },
          {
            next: ({ data = null, errors }) => observer.next({ data, ...(errors && { errors }) }),
            error: (error) => observer.error(error),
            complete: () => observer.complete(),
          },
        ),
      ),
  );
}

/** A client of the server at `url`, which is your own proxy or `https://s.example/graphql`. */
export function newClient(url: string, headers: Record<string, string> = {}, send = fetch): ApolloClient {
  return new ApolloClient({
    cache: newCache(),
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      subscriptionLink({ url, headers }),
      new HttpLink({ uri: url, headers, fetch: send }),
    ),
  });
}

/** Drops the records that others delete from the cache, until the returned function is called. */
export function dropDeleted(client: ApolloClient): () => void {
  const changes = client.subscribe<{ changes: { action: string; recordNodeId: string } }>({
    query: gql`
      subscription Changes {
        changes {
          id
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
