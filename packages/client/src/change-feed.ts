import { type Changes, type ChangesOptions, Follower, isPassing, LONGEST_PAUSE } from './changes.ts';
import { LinkspaceError } from './errors.ts';
import { type ChangeFilter, changed } from './generated/changes.ts';
import type { Sender } from './send.ts';
import { attemptLimit, watchSilence } from './silence.ts';
import { growingPause } from './timing.ts';

/**
 * The number of comments after a connection begins at which the log is read again. On PostgreSQL, a change from just before it may
 * become visible later, once the transactions of that time have ended.
 */
const READS_AFTER_BEGIN = 5;

const READ = { isWrite: false, key: null };

/** The one connection of a client, over which the service tells that there are changes. */
export class ChangeFeed {
  readonly #sender: Sender;
  readonly #followers = new Set<Follower>();
  #running: AbortController | null = null;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  follow(filter: ChangeFilter | null, options: ChangesOptions): Changes {
    return new Follower(this.#sender, this, filter, options);
  }

  add(follower: Follower): void {
    this.#followers.add(follower);
    if (this.#running !== null) return;
    this.#running = new AbortController();
    void this.#run(this.#running.signal);
  }

  remove(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.#stop();
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = null;
  }

  #wakeAll(mayLag: boolean): void {
    for (const follower of this.#followers) follower.wake(mayLag);
  }

  async #run(running: AbortSignal): Promise<void> {
    const { timing } = this.#sender;
    const signal = this.#sender.signalFor(running);
    let failures = 0;
    const onBegin = () => {
      failures = 0;
      this.#wakeAll(true);
    };
    while (!signal.aborted) {
      const error = await this.#listen(signal, attemptLimit(failures), onBegin).catch(
        (failure: unknown) => failure,
      );
      if (signal.aborted) return;
      if (error !== undefined && !isPassing(error)) {
        for (const follower of this.#followers) follower.fail(error);
        return this.#stop();
      }
      // Without a connection, the log is read with each attempt.
      if (failures > 0) this.#wakeAll(true);
      const pause = growingPause(timing, failures++, 2, LONGEST_PAUSE);
      const asked = (isPassing(error) && error.retryAfter) || 0;
      await timing.wait(Math.max(pause, asked * 1_000), signal).catch(() => {});
    }
  }

  /** Listens until the connection ends. @param limit the longest time until it begins @throws LinkspaceError if there is none */
  async #listen(signal: AbortSignal, limit: number, onBegin: () => void): Promise<void> {
    const { timing } = this.#sender;
    const ended = new AbortController();
    const connection = AbortSignal.any([signal, ended.signal]);
    let hasAnswered = false;
    timing.timeout(limit).addEventListener('abort', () => hasAnswered || ended.abort());
    try {
      const body = await this.#open(connection);
      hasAnswered = true;
      const hear = watchSilence(timing, connection, () => {
        ended.abort();
        // Beside the new connection, which may take a while.
        this.#wakeAll(true);
      });
      // A replaced `fetch` may not end the body with the signal.
      connection.addEventListener('abort', () => void body.cancel().catch(() => {}));
      let reads = READS_AFTER_BEGIN;
      let text = '';
      let hasBegun = false;
      const decoder = new TextDecoder();
      for (;;) {
        const { done, value } = await body.read();
        if (done) return;
        hear();
        const blocks = (text + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
        text = blocks.pop() ?? '';
        if (!hasBegun) onBegin();
        else if (blocks.some((block) => block.startsWith('event: next'))) {
          // Once more with the next comment: a replica of the database may not have the change yet.
          reads = Math.max(reads, 1);
          this.#wakeAll(false);
        } else if (reads-- > 0) this.#wakeAll(false);
        hasBegun = true;
      }
    } catch (error) {
      if (error instanceof LinkspaceError) throw error;
      throw new LinkspaceError('The connection for changes was lost.', { code: 'NETWORK' }, { cause: error });
    } finally {
      ended.abort();
    }
  }

  async #open(connection: AbortSignal): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const sender = this.#sender;
    const response = await sender.fetch({ query: changed.text }, { Accept: 'text/event-stream' }, connection);
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
    if (response.ok && isStream && response.body) return response.body.getReader();
    const outcome = sender.read(response, await response.text(), READ);
    throw 'error' in outcome
      ? outcome.error
      : new LinkspaceError('The answer has no events.', { code: 'UNEXPECTED' });
  }
}
