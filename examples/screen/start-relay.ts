import { createOperationDescriptor, fetchQuery, requestSubscription } from 'relay-runtime';
import { newEnvironment, oneAtATime } from '../../packages/client/src/relay.ts';
import changes from './__generated__/relayOperationsChangesSubscription.graphql.ts';
import list, { type relayOperationsListQuery } from './__generated__/relayOperationsListQuery.graphql.ts';

type Shown = relayOperationsListQuery['response'];

/** Shows the first links, and what others do with them, until the returned function is called. */
export function followTitles(url: string, headers: Record<string, string>, show: (data: Shown) => void) {
  const variables = { first: 20 };
  const read = () => fetchQuery<relayOperationsListQuery>(environment, list, variables).toPromise();
  const environment = newEnvironment({ url, headers, heard: oneAtATime(read) });
  const operation = createOperationDescriptor(list, variables);
  const kept = environment.retain(operation);
  const shown = environment.subscribe(environment.lookup(operation.fragment), ({ data }) =>
    show(data as Shown),
  );
  const followed = requestSubscription(environment, { subscription: changes, variables: {} });
  return () => [followed, shown, kept].map((one) => one.dispose());
}
