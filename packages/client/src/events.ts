import { createClient, type ExecutionResult, type RequestParams, type Sink } from 'graphql-sse';

export interface Endpoint {
  /** Your own proxy, or `https://s.example/graphql`. */
  readonly url: string;
  readonly headers?: Record<string, string>;
  /** The wait before another try, in milliseconds. */
  readonly pause?: (tries: number) => number;
  /** Called for each connection and each event. What you show may be outdated then: read it again. */
  readonly heard?: () => void;
}

/** Longer each time, up to half a minute, and not the same for all clients. */
export const growing = (tries: number) => Math.min(1_000 * 2 ** tries, 30_000) * (0.5 + Math.random() / 2);

/** Returns true if another try gets the same answer. */
const isFinal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429;

/**
 * Subscribes over server-sent events. A lost connection is made again, however long the server is away: it may be restarting. A
 * subscription ends when its key is revoked, or with an error if the server refuses it.
 * @returns ends the subscription
 */
export function subscribe<Data = Record<string, unknown>>(
  { url, headers = {}, pause = growing, heard = () => {} }: Endpoint,
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
      const answer = await fetch(...sent);
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
