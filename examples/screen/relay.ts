import {
  ConnectionHandler,
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLTaggedNode,
  type MutationParameters,
  Network,
  RecordSource,
  type RecordSourceSelectorProxy,
  Store,
} from 'relay-runtime';
import create, {
  type relayOperationsCreateMutation,
} from './__generated__/relayOperationsCreateMutation.graphql.ts';
import list, { type relayOperationsListQuery } from './__generated__/relayOperationsListQuery.graphql.ts';
import remove, {
  type relayOperationsRemoveMutation,
} from './__generated__/relayOperationsRemoveMutation.graphql.ts';
import rename, {
  type relayOperationsRenameMutation,
} from './__generated__/relayOperationsRenameMutation.graphql.ts';
import { sentOnce } from './once.ts';
import { type ErrorResult, type Failure, failureOf, type Options, type Row, type Screen } from './screen.ts';

function environmentOf({ url, key, fetch }: Options): Environment {
  const send = sentOnce(fetch);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const network = Network.create(async ({ text: query }, variables) => {
    const response = await send(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
    return response.json();
  });
  return new Environment({
    network,
    store: new Store(new RecordSource()),
    // The global id, as in the compiler's settings. A DeletedRecord has the id of the deleted record, but must not be stored
    // as that record.
    getDataID: ({ nodeId }, type) => (type === 'DeletedRecord' ? undefined : nodeId),
  });
}

/** The list in the store, with all loaded pages. */
function listIn(store: RecordSourceSelectorProxy) {
  const connection = ConnectionHandler.getConnection(store.getRoot(), 'Screen_links');
  if (!connection) throw new Error('the list was not loaded');
  return connection;
}

/** The screen with Relay, without React. */
export async function openScreen(options: Options): Promise<Screen> {
  const environment = environmentOf(options);
  const variables = { first: options.pageSize };
  const operation = createOperationDescriptor(list, variables);
  environment.retain(operation);
  const load = async (after: string | null): Promise<void> => {
    await fetchQuery<relayOperationsListQuery>(environment, list, { ...variables, after }).toPromise();
  };
  const shown = () =>
    environment.lookup(operation.fragment).data as unknown as relayOperationsListQuery['response'];
  const run = <Mutation extends MutationParameters>(
    mutation: GraphQLTaggedNode,
    config: Pick<
      Parameters<typeof commitMutation<Mutation>>[1],
      'variables' | 'updater' | 'optimisticResponse'
    >,
    resultOf: (response: Mutation['response']) => { readonly __typename: string },
    expected: string,
  ): Promise<Failure> =>
    new Promise((resolve, reject) => {
      commitMutation<Mutation>(environment, {
        mutation,
        ...config,
        onCompleted(response, errors) {
          if (errors?.[0]) return reject(new Error(errors[0].message));
          const result = resultOf(response);
          resolve(result.__typename === expected ? null : failureOf(result as unknown as ErrorResult));
        },
        onError: reject,
      });
    });
  await load(null);
  return {
    rows: () => shown().links.edges.map(({ node }) => node as Row),
    spaces: () => shown().spaces.nodes.map(({ name }) => name),
    hasMore: () => shown().links.pageInfo.hasNextPage,
    loadMore: () => load(shown().links.pageInfo.endCursor ?? null),
    create: (url, title) =>
      run<relayOperationsCreateMutation>(
        create,
        {
          variables: { input: { url, title } },
          updater(store) {
            const link = store.getRootField('createLink');
            if (link?.getType() !== 'Link') return;
            const connection = listIn(store);
            ConnectionHandler.insertEdgeBefore(
              connection,
              ConnectionHandler.createEdge(store, connection, link, 'LinkEdge'),
            );
          },
        },
        ({ createLink }) => createLink,
        'Link',
      ),
    rename: ({ id, nodeId, updatedAt }, title) =>
      run<relayOperationsRenameMutation>(
        rename,
        {
          variables: { id, title, seen: updatedAt },
          optimisticResponse: {
            updateLink: { __typename: 'Link', __isNode: 'Link', nodeId, title, updatedAt },
          },
        },
        ({ updateLink }) => updateLink,
        'Link',
      ),
    remove: ({ id, nodeId }) =>
      run<relayOperationsRemoveMutation>(
        remove,
        {
          variables: { id },
          updater(store) {
            if (store.getRootField('deleteLink')?.getType() !== 'DeletedRecord') return;
            ConnectionHandler.deleteNode(listIn(store), nodeId);
            store.delete(nodeId);
          },
        },
        ({ deleteLink }) => deleteLink,
        'DeletedRecord',
      ),
  };
}
