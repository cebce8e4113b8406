import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Context } from '../schema/context.ts';
import { exchangeOf } from './exchange.ts';

/** How much is kept in all, and of one answer, in bytes, and of how many questions. */
const KEPT = 8_000_000;
const LONGEST = 500_000;
const QUESTIONS = 5_000;

/** An answer of status 200. */
interface Answer {
  readonly contentType: string;
  readonly body: Buffer;
  /** What was executed, as the log names it. */
  readonly operation: string;
}

/** Keeps what `res` answers with status 200, where it lasts. */
export type Keep = (contentType: string, text: string) => void;

/**
 * Keeps answers while nothing in the database changes, and never longer: each time it is asked anew what the database
 * holds. Only what is asked more than once is kept.
 */
export class AnswerCache {
  readonly #state: () => Promise<string | null>;
  readonly #kept = new LRUCache<string, { state: string | null; answer?: Answer }>({
    max: QUESTIONS,
    maxSize: KEPT,
    maxEntrySize: LONGEST,
    sizeCalculation: ({ answer }) => (answer?.body.length ?? 0) + 1,
  });

  /** @param state names what the database holds; null where that cannot be told */
  constructor(state: () => Promise<string | null>) {
    this.#state = shared(state);
  }

  /**
   * Answers at once where the answer is known; else tells how to keep it once it is made, or null where it is not to be
   * kept.
   * @param parts all that the answer depends on beside the database, the key and its scopes
   */
  async answer(
    res: ServerResponse,
    context: Context,
    parts: readonly string[],
  ): Promise<'answered' | Keep | null> {
    const { keyId, scopes } = context.actor;
    // By its hash: what is asked may be long, and hold passwords.
    const question = hash('sha256', [keyId, ...scopes, ...parts].join('\n'));
    const known = this.#kept.get(question);
    if (known === undefined) {
      this.#kept.set(question, { state: null });
      return null;
    }
    // Where the database does not answer, the request is to say so.
    const state = await this.#state().catch(() => null);
    if (state === null) return null;
    if (known.answer && known.state === state) {
      const { contentType, body, operation } = known.answer;
      context.named(operation);
      res.writeHead(200, { 'Content-Type': contentType, 'Content-Length': body.length });
      res.end(body);
      return 'answered';
    }
    return (contentType, text) => {
      const { lasts, operation = '' } = exchangeOf(res);
      const answer = { contentType, body: Buffer.from(text), operation };
      if (lasts) this.#kept.set(question, { state, answer });
      else this.#kept.delete(question);
    };
  }
}

/** Asks once for all who wait for their turn; whoever comes later than a question gets the answer to the next one. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      const answer = ask();
      last = answer.catch(() => {});
      return answer;
    });
    return next;
  };
}
