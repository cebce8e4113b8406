import {
  Environment,
  type GraphQLResponse,
  Network,
  Observable,
  RecordSource,
  type RequestParameters,
  Store,
  type Variables,
} from 'relay-runtime';
import { type Endpoint, subscribe } from './events.ts';
import { realTiming } from './timing.ts';

export { oneAtATime } from './read-again.ts';

/** The longest time for a query, in milliseconds. */
const QUERY_LIMIT = 20_000;

/** The body of a request. With the compiler's `persistConfig`, operations have ids in place of texts. */
function bodyOf({ id, text }: RequestParameters, variables: Variables) {
  return { query: text ?? '', variables, ...(text === null && { documentId: id }) };
}

/** An environment of Relay for the server at `endpoint.url`. */
export function newEnvironment(endpoint: Endpoint, send = fetch): Environment {
  const headers = { ...endpoint.headers, 'Content-Type': 'application/json' };
  const { timeout } = { ...realTiming, ...endpoint.timing };
  return new Environment({
    network: Network.create(
      async (operation, variables): Promise<GraphQLResponse> => {
        const body = JSON.stringify(bodyOf(operation, variables));
        // A connection that a computer lost while it slept never answers.
        const signal = operation.operationKind === 'query' ? timeout(QUERY_LIMIT) : null;
        return (await send(endpoint.url, { method: 'POST', headers, body, signal })).json();
      },
      (operation, variables) =>
        Observable.create((sink) =>
          subscribe(endpoint, bodyOf(operation, variables), {
            next: (event) => sink.next(event as GraphQLResponse),
            error: (error) => sink.error(error instanceof Error ? error : new Error(String(error))),
            complete: () => sink.complete(),
          }),
        ),
    ),
    store: new Store(new RecordSource()),
    // The global id, as in the compiler's settings. A DeletedRecord has the id of the deleted record, but must not be stored
    // as that record.
    getDataID: ({ nodeId }, type) => (type === 'DeletedRecord' ? undefined : nodeId),
  });
}
