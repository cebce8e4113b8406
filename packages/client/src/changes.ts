// Follows the log of changes. A client loads this file with its first iteration over changes.
import { LinkspaceError } from './errors.ts';
import { type ChangeFilter, lastChange, type ReadChangesQuery, readChanges } from './generated/changes.ts';
import type { StoredDocument } from './methods.ts';
import type { Sender } from './send.ts';
import { growingPause } from './timing.ts';

type LoggedChange = ReadChangesQuery['changes']['edges'][number]['node'];

/** A change of one record, with its place in the log. */
export type Change<Selected = unknown> = LoggedChange & {
  readonly cursor: string;
  readonly reset?: undefined;
  /** The selected fields of the record as it is now; null if it is deleted, or not yours to see. */
  readonly record?: Selected | null;
};

/** A change, or `reset` in place of changes that the service no longer has. */
export type ChangeEvent<Selected = unknown> = Change<Selected> | { readonly reset: true };

export interface ChangesOptions {
  /** Selects fields of each changed record, a `Node` of the schema: `nodeId ... on Link { title clicks }`. */
  readonly record?: string | undefined;
  /** The cursor of a change from before. The changes after it come first; null for all that the service has. */
  readonly after?: string | null | undefined;
  /** Ends the iteration; what it throws is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The changes of an account. They can be iterated once. */
export interface Changes<Selected = unknown> extends AsyncIterableIterator<ChangeEvent<Selected>, undefined> {
  /**
   * Resolves with the cursor that has been reached, once it is known. All later changes come. It is null before the first change
   * of the account.
   */
  position(): Promise<string | null>;
}

/** The number of changes in a request: the most that the service gives, and fewer with their records, which cost more. */
const PAGE = 100;
const PAGE_WITH_RECORDS = 25;
/** The time between two reads while changes come fast, in milliseconds. */
const MIN_INTERVAL = 500;
export const LONGEST_PAUSE = 30_000;
/** The codes of failures that pass. */
const PASSING = ['NETWORK', 'UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL', 'UNEXPECTED'];

export const isPassing = (error: unknown): error is LinkspaceError =>
  error instanceof LinkspaceError && PASSING.includes(error.code);

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
  readonly #document: typeof readChanges;
  readonly #page: number;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #events: AsyncGenerator<ChangeEvent, undefined>;
  #position: string | null | undefined;
  #started: Promise<void> | null = null;
  /** True if there may be something to read. */
  #isDue = true;
  /** True if its position may be far behind the end of the log, since nothing matched the filter. */
  #mayLag = true;
  #failure: unknown;
  #wake = (): void => {};

  constructor(
    sender: Sender,
    feed: Feed,
    filter: ChangeFilter | null,
    { after, record, signal }: ChangesOptions,
  ) {
    const { text } = readChanges;
    this.#document = record
      ? { text: text.replace('node{', (node) => `${node}record{${record}}`) }
      : readChanges;
    this.#page = record ? PAGE_WITH_RECORDS : PAGE;
    this.#sender = sender;
    this.#feed = feed;
    this.#filter = filter;
    this.#position = after;
    this.#signal = sender.signalFor(signal, this.#ended.signal);
    this.#signal.addEventListener('abort', () => this.#wake());
    this.#events = this.#follow();
  }

  /** Has it read the log. @param mayLag after a new connection */
  wake(mayLag: boolean): void {
    this.#isDue = true;
    this.#mayLag ||= mayLag;
    this.#wake();
  }

  /** Ends the iteration with an error. */
  fail(error: unknown): void {
    this.#failure = error;
    this.wake(false);
  }

  async position(): Promise<string | null> {
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
    this.#position = await this.#findEnd();
  }

  /** Returns the cursor of the last change; null if there is none. */
  async #findEnd(): Promise<string | null> {
    const { changes } = await this.#query(lastChange, {});
    return changes.edges[0]?.cursor ?? null;
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
    // Before the read, so that nothing that matches is between the position and this end if the read finds nothing.
    const end = this.#mayLag && this.#filter ? await this.#findEnd() : null;
    this.#mayLag = false;
    for (let count = 0; ; ) {
      const { edges, pageInfo } = await this.#readPage();
      if (edges === null) {
        this.#position = await this.#findEnd();
        yield { reset: true };
        // What came since the end was read.
        this.#isDue = true;
        return undefined;
      }
      count += edges.length;
      for (const { cursor, node } of edges) {
        this.#position = cursor;
        yield { ...node, cursor };
      }
      if (pageInfo.hasNextPage) continue;
      if (count === 0 && end !== null) this.#position = end;
      return undefined;
    }
  }

  /** Reads the next changes; null if the service says that the log no longer reaches back. */
  async #readPage(): Promise<ReadChangesQuery['changes'] | { edges: null; pageInfo: null }> {
    const after = this.#position ?? null;
    try {
      return (await this.#query(this.#document, { first: this.#page, after, filter: this.#filter })).changes;
    } catch (error) {
      if (error instanceof LinkspaceError && error.code === 'HISTORY_GONE')
        return { edges: null, pageInfo: null };
      throw error;
    }
  }

  async #query<Data, Variables extends object>(
    { text }: StoredDocument<Data, Variables>,
    variables: Variables,
  ): Promise<Data> {
    const sending = { isWrite: false, key: null, isWary: true, signal: this.#signal };
    const { data } = await this.#sender.send({ query: text, variables }, sending);
    return data as Data; // The document asks for it.
  }
}
