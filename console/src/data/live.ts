import { createClient as createStream, NetworkError } from 'graphql-sse';
import { type Client, type OperationResult, stringifyDocument } from 'urql';
import {
  ChangedDocument,
  type ChangedSubscription,
  type ChangeRowFragment,
  ChangesDocument,
  type ChangesQuery,
} from '../generated/documents.ts';
import { announce, announceAll } from './bus.ts';
import { openChannel } from './channel.ts';
import { accountHeaders } from './client.ts';
import { wait } from './write.ts';

/** The number of missed changes in a request, and of requests after which everything is read again instead. */
const PAGE = 100;
const MAX_PAGES = 3;
/** The longest pause before a stream is opened again, in seconds. */
const MAX_PAUSE = 15;
/** The time after which a stream counts as stable, in milliseconds. */
const STABLE = 20_000;
/** The interval at which changes are read where there is no stream, in seconds. */
const READ_EVERY = 5;
/** The number of ids of changes that are remembered, to take each change once. */
const MAX_SEEN = 2_000;

let endPause = (): void => undefined;

/** Opens the stream again at once, since the service answers again. */
export function reconnectNow(): void {
  endPause();
}

export interface LiveOptions {
  readonly client: Client;
  readonly accountId: string;
  /** A name that tabs of the same user and account share. */
  readonly name: string;
  /** Called when the connection opens and when it is lost, in every tab. */
  readonly onConnection: (isOpen: boolean) => void;
  /** Called when the session is over. */
  readonly onRevoked: () => void;
}

/**
 * Opens streams of events, each of which ends when its answer does.
 * @param connected called when one opens
 */
export function openStreams(accountId: string, connected: () => void = () => undefined): Streams {
  const streams: Streams = createStream({
    url: '/graphql',
    // Ends the stream when its answer does: graphql-sse waits for ever if it reads an event and the end at once.
    fetchFn: async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request);
      const flush = () => void setTimeout(() => streams.dispose());
      return new Response(response.body?.pipeThrough(new TransformStream({ flush })), response);
    },
    headers: accountHeaders(accountId),
    retryAttempts: 0,
    on: { connected },
  });
  return streams;
}
type Streams = ReturnType<typeof createStream>;

/**
 * Follows the account's changes. Of all tabs, one has the stream, and tells the others: browsers open only six connections to
 * a host over HTTP/1.1. Returns a function that ends it.
 */
export function followChanges({ client, accountId, name, onConnection, onRevoked }: LiveOptions): () => void {
  const ended = new AbortController();
  const seen = new Set<string>();
  /** The end of the known changes; null if there were none, and undefined until they are read. */
  let newest: string | null | undefined;

  const take = (changes: readonly ChangeRowFragment[]): void => {
    const fresh = changes.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    for (const id of [...seen].slice(0, -MAX_SEEN)) seen.delete(id);
    announce(fresh);
  };
  const channel = openChannel<ChangeRowFragment[] | 'all' | 'lost'>(name, (message) => {
    if (message === 'lost') onConnection(false);
    else if (message === 'all') announceAll();
    else take(message);
  });

  const tell = (changes: ChangeRowFragment[]): void => {
    channel.send(changes);
    take(changes);
  };

  /** Reads missed changes; the first time, only the end of the log. */
  const catchUp = async (): Promise<void> => {
    for (let page = 0; page < MAX_PAGES; page++) {
      const before = newest;
      const variables = before === undefined ? { first: 1 } : { last: PAGE, before };
      const result: OperationResult<ChangesQuery> = await client
        .query(ChangesDocument, variables, { requestPolicy: 'network-only' })
        .toPromise();
      if (!result.data) return;
      const { nodes, pageInfo } = result.data.changes;
      newest = pageInfo.startCursor ?? before ?? null;
      if (before === undefined) return;
      tell(nodes);
      if (!pageInfo.hasPreviousPage) return;
    }
    channel.send('all');
    announceAll();
  };

  const listen = async (): Promise<void> => {
    const stream = openStreams(accountId, () => {
      onConnection(true);
      void catchUp();
    });
    ended.signal.addEventListener('abort', () => stream.dispose());
    const query = stringifyDocument(ChangedDocument);
    for await (const { data } of stream.iterate<ChangedSubscription>({ query }))
      if (data?.changes) tell([data.changes]);
  };

  const lead = async (): Promise<void> => {
    for (let pause = 1; !ended.signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE)) {
      const startedAt = Date.now();
      await listen().catch((error: unknown) => {
        if (error instanceof NetworkError && error.response?.status === 401) {
          ended.abort();
          onRevoked();
        }
      });
      if (ended.signal.aborted) return;
      onConnection(false);
      channel.send('lost');
      // A stream may be refused where requests are answered, as to somebody who has many.
      void catchUp();
      if (Date.now() - startedAt > STABLE) pause = 1;
      await Promise.race([
        wait(pause),
        new Promise<void>((resolve) => {
          endPause = resolve;
        }),
      ]);
    }
  };
  const over = new Promise<void>((resolve) => {
    ended.signal.addEventListener('abort', () => resolve());
  });
  // Given up at once, not when the stream is closed: a page that is left may be frozen before.
  const leadUntilOver = () => Promise.race([lead(), over]);
  /** Over plain HTTP browsers have no locks: streams of six tabs would leave no connection for anything else. */
  const readOften = async () => {
    while (!ended.signal.aborted) {
      await wait(READ_EVERY);
      if (!document.hidden && !ended.signal.aborted) await catchUp();
    }
  };
  void catchUp();
  const led = navigator.locks
    ? navigator.locks.request(name, { signal: ended.signal }, leadUntilOver)
    : readOften();
  // This tab ended before it had the lock, or the browser blocks locks like storage.
  led.catch(readOften);
  return () => {
    ended.abort();
    channel.close();
  };
}
