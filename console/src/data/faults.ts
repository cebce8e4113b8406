import type { CombinedError } from 'urql';

/** Why an operation has no result. */
export type FaultKind = 'away' | 'key' | 'forbidden' | 'limited' | 'busy' | 'old' | 'broken' | 'refused';

/** An operation that failed as a whole; errors of fields are part of results instead. */
export class Fault extends Error {
  readonly kind: FaultKind;
  /** After how many seconds it may be sent again; null if that would not help. */
  readonly retryAfter: number | null;

  constructor(kind: FaultKind, message: string, retryAfter: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

const kinds: Readonly<Record<string, FaultKind>> = {
  UNAUTHENTICATED: 'key',
  FORBIDDEN: 'forbidden',
  RATE_LIMITED: 'limited',
  UNAVAILABLE: 'busy',
  IDEMPOTENCY_RUNNING: 'busy',
  GRAPHQL_VALIDATION_FAILED: 'old',
  // The console sent what this service does not know.
  BAD_REQUEST: 'old',
  INTERNAL: 'broken',
};

function secondsOf(response: Response | undefined): number {
  const seconds = Number(response?.headers?.get('Retry-After'));
  return seconds > 0 ? seconds : 1;
}

/** The fault behind an error of urql. */
export function faultOf(error: CombinedError): Fault {
  const response: Response | undefined = error.response;
  const [first] = error.graphQLErrors;
  if (first === undefined) {
    if (response === undefined || response.ok) return new Fault('away', error.message, 1);
    const isBusy = [429, 502, 503, 504].includes(response.status);
    return new Fault(isBusy ? 'busy' : 'away', error.message, secondsOf(response));
  }
  const kind = kinds[String(first.extensions.code)] ?? 'refused';
  const repeats = kind === 'limited' || kind === 'busy';
  return new Fault(kind, first.message, repeats ? secondsOf(response) : null);
}
