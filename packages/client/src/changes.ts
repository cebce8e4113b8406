// Follows the log of changes. A client loads this file with its first iteration over changes.
import { LinkspaceError } from './errors.ts';
import {
  type ChangeFilter,
  findChange,
  lastChange,
  type PlaceFragment,
  type ReadChangesQuery,
  readChanges,
} from './generated/changes.ts';
import type { StoredDocument } from './methods.ts';
import type { Sender } from './send.ts';
import { growingPause } from './timing.ts';

type LoggedChange = ReadChangesQuery['changes']['edges'][number]['node'];

/** The place of a change in the log. */
export interface ChangePosition {
  readonly cursor: string;
  /** The global id of the change at that place. */
  readonly nodeId: string;
}

/** A change of one record, with its place in the log. */
export type Change = LoggedChange & ChangePosition & { readonly reset?: undefined };

/** A change, or `reset` in place of changes that the service no longer has. */
export type ChangeEvent = Change | { readonly reset: true };

export interface ChangesOptions {
  /** A change or position from before. The changes after it come first. */
  readonly after?: ChangePosition | null | undefined;
  /** Ends the iteration; what it throws is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The changes of an account. They can be iterated once. */
export interface Changes extends AsyncIterableIterator<ChangeEvent, undefined> {
  /**
   * Resolves with the place in the log that has been reached, once it is known. All later changes come. It is null before the
   * first change of the account.
   */
  position(): Promise<ChangePosition | null>;
}

/** The number of changes in a request, the most that the service gives. */
const PAGE = 100;
/** The time between two reads while changes come fast, in milliseconds. */
const MIN_INTERVAL = 500;
export const LONGEST_PAUSE = 30_000;
/** The codes of failures that pass. */
const PASSING = ['NETWORK', 'UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL', 'UNEXPECTED'];

export const isPassing = (error: unknown): error is LinkspaceError =>
  error instanceof LinkspaceError && PASSING.includes(error.code);

const placeIn = (edges: readonly PlaceFragment[]): ChangePosition | null => {
  const [edge] = edges;
  return edge ? { cursor: edge.cursor, nodeId: edge.node.nodeId } : null;
};

/** Tells followers when there are changes. */
interface Feed {
  add(follower: Follower): void;
  remove(follower: Follower): void;
}

/**
 * Reads the changes that match a filter from the log. The feed only tells when: what comes by the log is in order, complete, and
 * comes once, whatever happens to the connection.
 */
export class Follower implements Changes {
  readonly #sender: Sender;
  readonly #feed: Feed;
  readonly #filter: ChangeFilter | null;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #events: AsyncGenerator<ChangeEvent, undefined>;
  #position: ChangePosition | null | undefined;
  #started: Promise<void> | null = null;
  /** True if there may be something to read. */
  #isDue = true;
  /** True if the log may no longer reach back to the position. */
  #mustCheck = true;
  #failure: unknown;
  #wake = (): void => {};

  constructor(sender: Sender, feed: Feed, filter: ChangeFilter | null, { after, signal }: ChangesOptions) {
    this.#sender = sender;
    this.#feed = feed;
    this.#filter = filter;
    this.#position = after;
    this.#signal = sender.signalFor(signal, this.#ended.signal);
    this.#signal.addEventListener('abort', () => this.#wake());
    this.#events = this.#follow();
  }

  /** Has it read the log. @param mustCheck if the log may have lost its start since the last read */
  wake(mustCheck: boolean): void {
    this.#isDue = true;
    this.#mustCheck ||= mustCheck;
    this.#wake();
  }

  /** Ends the iteration with an error. */
  fail(error: unknown): void {
    this.#failure = error;
    this.wake(false);
  }

  async position(): Promise<ChangePosition | null> {
    await this.#start();
    return this.#position ?? null;
  }

  async next(): Promise<IteratorResult<ChangeEvent, undefined>> {
    return this.#events.next();
  }

  async return(): Promise<IteratorResult<ChangeEvent, undefined>> {
    this.#ended.abort();
    return this.#events.return(undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #start(): Promise<void> {
    this.#started ??= this.#begin();
    return this.#started;
  }

  async #begin(): Promise<void> {
    if (this.#position !== undefined) return;
    const { changes } = await this.#query(lastChange, {});
    this.#position = placeIn(changes.edges);
  }

  async *#follow(): AsyncGenerator<ChangeEvent, undefined> {
    const { timing } = this.#sender;
    try {
      await this.#start();
      this.#feed.add(this);
      for (let failures = 0; ; ) {
        await this.#due();
        try {
          yield* this.#read();
          failures = 0;
          await timing.wait(MIN_INTERVAL, this.#signal);
        } catch (error) {
          if (!isPassing(error)) throw error;
          this.#isDue = true;
          const pause = growingPause(timing, failures++, 2, LONGEST_PAUSE);
          await timing.wait(Math.max(pause, (error.retryAfter ?? 0) * 1_000), this.#signal);
        }
      }
    } catch (error) {
      if (this.#ended.signal.aborted || this.#sender.isClosed) return undefined;
      throw error;
    } finally {
      this.#feed.remove(this);
    }
  }

  /** Waits until there may be something to read. */
  async #due(): Promise<void> {
    const signal = this.#signal;
    while (!this.#isDue) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    this.#isDue = false;
  }

  async *#read(): AsyncGenerator<ChangeEvent, undefined> {
    let end: ChangePosition | null = null;
    if (this.#mustCheck && this.#position) {
      const { node, changes } = await this.#query(findChange, { nodeId: this.#position.nodeId });
      // Changes are deleted in order: if this one is there, all later ones are.
      if (node === null) return yield* this.#reset(placeIn(changes.edges));
      end = placeIn(changes.edges);
    }
    this.#mustCheck = false;
    for (let count = 0; ; ) {
      const { edges, pageInfo } = await this.#readPage();
      if (edges === null) {
        const { changes } = await this.#query(lastChange, {});
        return yield* this.#reset(placeIn(changes.edges));
      }
      count += edges.length;
      for (const { cursor, node } of edges) {
        this.#position = { cursor, nodeId: node.nodeId };
        yield { ...node, cursor };
      }
      if (pageInfo.hasNextPage) continue;
      // Nothing that matches is between the position and what was the end before.
      if (count === 0 && end !== null) this.#position = end;
      return undefined;
    }
  }

  /** Reads the next changes; null if the service says that the log no longer reaches back. */
  async #readPage(): Promise<ReadChangesQuery['changes'] | { edges: null; pageInfo: null }> {
    const after = this.#position?.cursor ?? null;
    try {
      return (await this.#query(readChanges, { first: PAGE, after, filter: this.#filter })).changes;
    } catch (error) {
      if (error instanceof LinkspaceError && error.code === 'HISTORY_GONE')
        return { edges: null, pageInfo: null };
      throw error;
    }
  }

  async *#reset(end: ChangePosition | null): AsyncGenerator<ChangeEvent, undefined> {
    this.#position = end;
    this.#mustCheck = false;
    yield { reset: true };
    // What came since the end was read.
    this.#isDue = true;
    return undefined;
  }

  async #query<Data, Variables extends object>(
    { text }: StoredDocument<Data, Variables>,
    variables: Variables,
  ): Promise<Data> {
    const sending = { isWrite: false, key: null, signal: this.#signal };
    const { data } = await this.#sender.send({ query: text, variables }, sending);
    return data as Data; // The document asks for it.
  }
}
