const TRIES = 4;

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Returns true if a retry may succeed: the first request is still running, there were too many requests, or the server is unavailable. */
function isWorthAnotherTry({ status }: Response): boolean {
  return status === 409 || status === 429 || status === 503;
}

/**
 * A fetch that retries requests without an answer. Each request has an idempotency key, so that the server does a mutation
 * only once; queries ignore it.
 */
export function sentOnce(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('Idempotency-Key', crypto.randomUUID());
    for (let tried = 1; ; tried++) {
      try {
        const response = await send(input, { ...init, headers });
        if (tried === TRIES || !isWorthAnotherTry(response)) return response;
        await wait(Number(response.headers.get('Retry-After') ?? 1) * 1000);
      } catch (error) {
        if (tried === TRIES || init?.signal?.aborted) throw error;
        await wait(100 * 2 ** tried);
      }
    }
  };
}
