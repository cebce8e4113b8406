import {
  ConnectionHandler,
  commitMutation,
  createOperationDescriptor,
  fetchQuery,
  type GraphQLTaggedNode,
  type MutationParameters,
  type RecordSourceSelectorProxy,
  requestSubscription,
} from 'relay-runtime';
import { newEnvironment, oneAtATime } from '../../packages/client/src/relay.ts';
import changes from './__generated__/relayOperationsChangesSubscription.graphql.ts';
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

/** The longest page of the server. */
const LONGEST = 100;

/** The list in the store, with all loaded pages. */
function listIn(store: RecordSourceSelectorProxy) {
  const connection = ConnectionHandler.getConnection(store.getRoot(), 'Screen_links');
  if (!connection) throw new Error('the list was not loaded');
  return connection;
}

/** The screen with Relay, without React. */
export async function openScreen({ url, headers, pause, pageSize, fetch }: Options): Promise<Screen> {
  const heard = oneAtATime(() => readAgain(), pause);
  const environment = newEnvironment({ url, headers, heard, ...(pause && { pause }) }, sentOnce(fetch));
  const variables = { first: pageSize };
  const operation = createOperationDescriptor(list, variables);
  environment.retain(operation);
  const load = async (after: string | null, first = pageSize): Promise<void> => {
    await fetchQuery<relayOperationsListQuery>(environment, list, { first, after }).toPromise();
    rows = Math.max(rows, shown().links.edges.length);
  };
  const shown = () =>
    environment.lookup(operation.fragment).data as unknown as relayOperationsListQuery['response'];
  /** The most rows that were shown. */
  let rows = 0;
  const readAgain = async (): Promise<void> => {
    await load(null, Math.min(Math.max(rows, pageSize), LONGEST));
    while (shown().links.edges.length < rows && shown().links.pageInfo.hasNextPage)
      await load(shown().links.pageInfo.endCursor ?? null, LONGEST);
  };
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
    follow: () => requestSubscription(environment, { subscription: changes, variables: {} }).dispose,
  };
}
