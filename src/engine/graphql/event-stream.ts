import { setTimeout } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import { STREAM_TYPE } from '../http/request/accept.ts';
import { OVER } from '../tools/event-source.ts';
import { showErrors } from './errors.ts';

/** Milliseconds between two comments that keep a quiet connection open. */
const PING_INTERVAL = 12_000;

/**
 * Milliseconds for which a stream whose client may come back stays open after its last event. graphql-sse 2.6.1 waits
 * for ever if it reads an event and the end of the stream at once.
 */
const END_PAUSE = 250;

const COMMENT = Buffer.from(':\n\n');
const COMPLETE = Buffer.from('event: complete\ndata:\n\n');

/** An event with an answer. */
function encodeEvent({ errors, ...answer }: ExecutionResult): Buffer {
  const shown = errors && showErrors(errors);
  return Buffer.from(
    `event: next\ndata: ${JSON.stringify({ ...(shown && { errors: shown }), ...answer })}\n\n`,
  );
}

/**
 * Sends the answers of a subscription as server-sent events. Yoga would end all streams with `complete`, after which clients do
 * not come back: here only those that are over end so.
 */
export function sendEvents(
  answers: AsyncIterable<ExecutionResult>,
  { Response }: FetchAPI,
  pause: (milliseconds: number) => Promise<unknown> = setTimeout,
): Response {
  const iterator: AsyncIterator<ExecutionResult, unknown> = answers[Symbol.asyncIterator]();
  /** Until when the stream stays open, by the monotonic clock. */
  let openUntil = 0;
  const body = new ReadableStream<Uint8Array>({
    // Some browsers wait for the first bytes.
    start: (controller) => controller.enqueue(COMMENT),
    async pull(controller) {
      // There is no timer while the client takes nothing, so that none is left behind when it leaves.
      const pings = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(COMMENT);
      }, PING_INTERVAL);
      const { done, value } = await iterator.next().finally(() => clearInterval(pings));
      if (!done) {
        openUntil = performance.now() + END_PAUSE;
        return controller.enqueue(encodeEvent(value));
      }
      if (value === OVER) controller.enqueue(COMPLETE);
      else await pause(Math.max(0, openUntil - performance.now()));
      controller.close();
    },
    cancel: () => iterator.return?.().then(() => {}),
  });
  return new Response(body, { headers: { 'Content-Type': STREAM_TYPE, 'Cache-Control': 'no-cache' } });
}
