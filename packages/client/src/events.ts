import { createClient, type ExecutionResult, type RequestParams, type Sink } from 'graphql-sse';
import { attemptLimit, watchSilence } from './silence.ts';
import { realTiming, type Timing } from './timing.ts';

export interface Endpoint {
  /** Your own proxy, or `https://s.example/graphql`. */
  readonly url: string;
  readonly headers?: Record<string, string> | undefined;
  /** The wait before another try, in milliseconds. */
  readonly pause?: ((tries: number) => number) | undefined;
  /** Called for each connection and each event. What you show may be outdated then: read it again. */
  readonly heard?: (() => void) | undefined;
  /** A replacement for time, for tests. */
  readonly timing?: Partial<Timing> | undefined;
}

/** Longer each time, up to half a minute, and not the same for all clients. */
export const growing = (tries: number) => Math.min(1_000 * 2 ** tries, 30_000) * (0.5 + Math.random() / 2);

/** Returns true if another try gets the same answer. */
const isFinal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Fetches a stream. It fails if its beginning takes longer than `limit`, and if it is silent for long. */
async function fetchStream(
  timing: Timing,
  limit: number,
  [input, init]: Parameters<typeof fetch>,
): Promise<Response> {
  const ended = new AbortController();
  const lose = () => ended.abort(new TypeError('The connection was silent.'));
  const signal = AbortSignal.any([ended.signal, ...(init?.signal ? [init.signal] : [])]);
  let hasBegun = false;
  timing.timeout(limit).addEventListener('abort', () => hasBegun || lose());
  const answer = await fetch(input, { ...init, signal });
  hasBegun = true;
  if (!answer.body) return answer;
  const hear = watchSilence(timing, signal, lose);
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      hear();
      controller.enqueue(bytes);
    },
    flush: () => ended.abort(),
  });
  return new Response(answer.body.pipeThrough(watched), answer);
}

/**
 * Subscribes over server-sent events. A lost connection is made again, however long the server is away: it may be restarting. A
 * subscription ends when its key is revoked, or with an error if the server refuses it.
 * @returns ends the subscription
 */
export function subscribe<Data = Record<string, unknown>>(
  { url, headers = {}, pause = growing, heard = () => {}, timing }: Endpoint,
  request: RequestParams,
  sink: Sink<ExecutionResult<Data>>,
): () => void {
  let refusal: string | null = null;
  let tries = 0;
  const events = createClient({
    url,
    headers,
    retryAttempts: Number.POSITIVE_INFINITY,
    async fetchFn(...sent: Parameters<typeof fetch>) {
      const answer = await fetchStream({ ...realTiming, ...timing }, attemptLimit(tries), sent);
      refusal = isFinal(answer.status) ? await answer.clone().text() : null;
      return answer;
    },
    async retry() {
      // graphql-sse tells only the status.
      if (refusal !== null) throw new Error(refusal);
      await new Promise((resolve) => setTimeout(resolve, pause(tries++)));
    },
    on: {
      connected() {
        tries = 0;
        heard();
      },
    },
  });
  return events.subscribe(request, {
    ...sink,
    next(event) {
      sink.next(event as ExecutionResult<Data>);
      heard();
    },
  });
}
