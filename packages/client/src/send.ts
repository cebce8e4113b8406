import { LinkspaceError, type RefusedField } from './errors.ts';
import { attemptLimit } from './silence.ts';
import { growingPause, realTiming, type Timing } from './timing.ts';
import type { SentDocument } from './typed-document.ts';

export interface ClientOptions {
  /** The address of the service, without `/graphql`. On the service's own pages it may be empty. */
  readonly url: string;
  /** An API key. Without one, the session of the signed-in person counts, on the service's own host. */
  readonly key?: string | undefined;
  /** A replacement for the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Further headers of each request, such as `X-Account`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A replacement for time and randomness, for tests. */
  readonly timing?: Partial<Timing> | undefined;
}

export type Operation = SentDocument & {
  readonly variables?: object | undefined;
  readonly operationName?: string | undefined;
};

export interface Sending {
  readonly isWrite: boolean;
  /** The Idempotency-Key; null for none. */
  readonly key: string | null;
  /** True for a read that may meet connections that are dead: its first attempts are shorter. */
  readonly isWary?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly data: unknown;
  /** True if this is the stored answer to an earlier attempt. */
  readonly isReplayed: boolean;
  readonly requestId: string | null;
}

/** The headers and the body of a request. */
interface Prepared {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An attempt without a result. */
interface Failure {
  readonly error: LinkspaceError;
  readonly mayRepeat: boolean;
}

/** An error in an answer. */
interface AnsweredError {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly fields?: readonly RefusedField[];
    readonly requestId?: string;
  };
}

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly AnsweredError[];
  readonly message?: string;
}

const MAX_REPEATS = 3;
/** The longest time for all attempts of an operation, in milliseconds. */
const MAX_TIME = 30_000;
/**
 * The longest time for an attempt that may be repeated, in milliseconds: a connection that a computer lost while it slept never
 * answers. The service ends a mutation after 30 s.
 */
const MAX_ATTEMPT = { read: 20_000, write: 40_000 };
const REPEATED = [429, 502, 503, 504];
/** The codes of answers without one, such as those of a proxy. */
const CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  429: 'RATE_LIMITED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

/** The codes of failures before which a write without a key may have been executed in part. */
const HALFWAY = ['INTERNAL', 'UNAVAILABLE'];

/** The seconds in a Retry-After, which may be a date; null for none. */
function readRetryAfter(text: string | null, now: number): number | null {
  if (!text) return null;
  const seconds = Number.isNaN(Number(text)) ? (Date.parse(text) - now) / 1_000 : Number(text);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** True if nothing listened at the address, so that nothing was sent. Only Node tells. */
function isRefusedConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return error.errors.every(isRefusedConnection);
  if ('cause' in error && error.cause) return isRefusedConnection(error.cause);
  return 'code' in error && error.code === 'ECONNREFUSED';
}

/** True if the address or a header is wrong, so that nothing was sent and nothing would be. */
function isCallersMistake(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === 'ERR_INVALID_URL') return true;
  return 'cause' in error && isCallersMistake(error.cause);
}

function parseBody(text: string): Body | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' ? body : null;
  } catch {
    return null;
  }
}

/** Sends operations, and repeats what may be repeated. */
export class Sender {
  readonly timing: Timing;
  readonly #options: ClientOptions;
  readonly #closed = new AbortController();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.timing = { ...realTiming, ...options.timing };
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Ends what is being sent, and refuses everything from now on. */
  close(): void {
    this.#closed.abort(new LinkspaceError('The client is closed.', { code: 'CLOSED' }));
  }

  /** Returns a signal that is aborted with any of these, and when the client is closed. */
  signalFor(...signals: (AbortSignal | undefined)[]): AbortSignal {
    return AbortSignal.any([this.#closed.signal, ...signals.filter((one) => one !== undefined)]);
  }

  /** Sends an operation, and returns its data. @throws LinkspaceError; the reason of an aborted signal */
  async send(operation: Operation, sending: Sending): Promise<Answer> {
    const { now, wait } = this.timing;
    const signal = this.signalFor(sending.signal);
    const began = now();
    let isUnknown = false;
    for (let repeats = 0; ; repeats++) {
      const outcome = await this.#attempt(operation, sending, signal, repeats);
      if ('data' in outcome) return outcome;
      const { error, mayRepeat } = outcome;
      isUnknown ||= error.isUnknown;
      const pause =
        error.retryAfter === null
          ? growingPause(this.timing, repeats, 3, MAX_TIME)
          : error.retryAfter * 1_000 * (1 + this.timing.random() / 10);
      if (!mayRepeat || repeats === MAX_REPEATS || now() - began + pause > MAX_TIME)
        throw error.isUnknown === isUnknown
          ? error
          : new LinkspaceError(error.message, { ...error, isUnknown }, { cause: error.cause });
      await wait(pause, signal);
    }
  }

  /** Sends an operation once, as it is, and returns the response. */
  fetch(
    operation: Operation,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    return this.#fetch(this.#prepare(operation, headers), signal);
  }

  #fetch(prepared: Prepared, signal: AbortSignal): Promise<Response> {
    const { url, fetch: send = globalThis.fetch } = this.#options;
    signal.throwIfAborted();
    return send(`${url.replace(/\/+$/, '')}/graphql`, {
      method: 'POST',
      ...prepared,
      // A redirect would turn the POST into a GET, or send a write twice.
      redirect: 'error',
      signal,
    });
  }

  /** Returns what is sent. @throws TypeError for a header or a variable that cannot be sent */
  #prepare(operation: Operation, headers: Readonly<Record<string, string>>): Prepared {
    const { key, headers: own } = this.#options;
    const all = {
      'Content-Type': 'application/json',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...own,
      ...headers,
    };
    new Headers(all); // Throws for a value that no header can have.
    return { headers: all, body: JSON.stringify(operation) };
  }

  async #attempt(
    operation: Operation,
    sending: Sending,
    signal: AbortSignal,
    repeats: number,
  ): Promise<Answer | Failure> {
    const { isWrite, key, isWary } = sending;
    const maySendAgain = !isWrite || key !== null;
    const headers = {
      Accept: 'application/graphql-response+json, application/json',
      ...(key !== null && { 'Idempotency-Key': key }),
    };
    // Before the attempt, so that a mistake of the caller does not look like a lost network.
    const prepared = this.#prepare(operation, headers);
    const longest = isWary ? attemptLimit(repeats) : isWrite ? MAX_ATTEMPT.write : MAX_ATTEMPT.read;
    const limit = this.timing.timeout(longest);
    const bounded = maySendAgain ? AbortSignal.any([signal, limit]) : signal;
    try {
      const response = await this.#fetch(prepared, bounded);
      const text = await response.text();
      return this.read(response, text, sending);
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      if (isCallersMistake(cause)) throw cause;
      const isRefused = isRefusedConnection(cause);
      const message = isRefused ? 'The service cannot be reached.' : 'No answer came from the service.';
      const details = { code: 'NETWORK', isUnknown: isWrite && !isRefused };
      return {
        error: new LinkspaceError(message, details, { cause }),
        mayRepeat: maySendAgain || isRefused,
      };
    }
  }

  /** Returns the data of a response, or why it has none. */
  read(response: Response, text: string, { isWrite, key }: Sending): Answer | Failure {
    const { status, headers } = response;
    const body = parseBody(text);
    const requestId = headers.get('X-Request-Id');
    const errors = body?.errors ?? [];
    if (response.ok && errors.length === 0 && body?.data != null)
      return { data: body.data, isReplayed: headers.get('Idempotency-Replayed') === 'true', requestId };
    const [{ message, extensions = {} } = { message: body?.message ?? `HTTP status ${status}` }] = errors;
    const code = extensions.code ?? CODES[status] ?? 'UNEXPECTED';
    const isRunning = code === 'IDEMPOTENCY_RUNNING';
    const isBusy = code === 'RATE_LIMITED' || code === 'UNAVAILABLE';
    const isSafe = !isWrite || key !== null;
    const mayRepeat = isSafe
      ? REPEATED.includes(status) || isRunning || isBusy
      : status === 429 && body?.data == null;
    // Only the service itself tells that it did nothing. With a key, a failed write is undone as a whole.
    const isUndone = errors.length > 0 ? isSafe || !HALFWAY.includes(code) : status >= 400 && status < 500;
    return {
      error: new LinkspaceError(message, {
        code,
        fields: extensions.fields ?? [],
        retryAfter: readRetryAfter(headers.get('Retry-After'), this.timing.now()),
        requestId: extensions.requestId ?? requestId,
        isUnknown: isWrite && (isRunning || !isUndone),
      }),
      mayRepeat,
    };
  }
}
