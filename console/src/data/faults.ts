import type { CombinedError } from 'urql';

/** The reason why an operation has no result. */
export type FaultKind =
  | 'away'
  | 'session'
  | 'forbidden'
  | 'limited'
  | 'busy'
  | 'old'
  | 'missing'
  | 'broken'
  | 'refused'
  /** The sign-in is too long ago for this operation. */
  | 'stale';
/** A refused field. */
export interface RefusedField extends Told {
  readonly path: readonly string[];
  readonly messages: readonly string[];
}
/** The rule behind a refusal, and the values in its words. */
export interface Told {
  readonly rule?: string | undefined;
  readonly values?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

/** True if the service, or what it needs, may be away. */
export const mayBeOutage = ({ kind }: Fault): boolean => kind === 'away' || kind === 'busy';

/** An operation that failed as a whole; errors of fields are part of results instead. */
export class Fault extends Error {
  readonly kind: FaultKind;
  /** The seconds after which it may be sent again; null if that would not help. */
  readonly retryAfter: number | null;
  /** The error's code, if it has one. */
  readonly code: string;
  readonly told: Told & { readonly fields?: readonly RefusedField[] | undefined };

  constructor(
    kind: FaultKind,
    message: string,
    retryAfter: number | null = null,
    code = '',
    told: Fault['told'] = {},
  ) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.told = told;
    this.retryAfter = retryAfter;
  }
}

const kinds: Readonly<Record<string, FaultKind>> = {
  UNAUTHENTICATED: 'session',
  FORBIDDEN: 'forbidden',
  RATE_LIMITED: 'limited',
  UNAVAILABLE: 'busy',
  IDEMPOTENCY_RUNNING: 'busy',
  GRAPHQL_VALIDATION_FAILED: 'old',
  // The console sent something that this service does not know.
  BAD_REQUEST: 'old',
  INTERNAL: 'broken',
};

function readRetryAfter(response: Response | undefined): number {
  const seconds = Number(response?.headers?.get('Retry-After'));
  return seconds > 0 ? seconds : 1;
}

/** The fault of an unexpected answer. */
export function faultOfResponse(response: Response | undefined, message: string): Fault {
  if (response === undefined || response.ok) return new Fault('away', message, 1);
  const isBusy = [429, 502, 503, 504].includes(response.status);
  return new Fault(isBusy ? 'busy' : 'away', message, readRetryAfter(response));
}

/** The fault behind an error with a code, which both GraphQL and `/auth` have. */
export function faultOfCode(
  { code: given, ...told }: Fault['told'] & { readonly code?: unknown },
  message: string,
  response: Response | undefined,
): Fault {
  const code = String(given);
  const kind = told.rule === 'SIGN_IN_AGAIN' ? 'stale' : (kinds[code] ?? 'refused');
  const repeats = kind === 'limited' || kind === 'busy';
  return new Fault(kind, message, repeats ? readRetryAfter(response) : null, code, told);
}

/** The fault behind an error of urql. */
export function toFault(error: CombinedError): Fault {
  const response: Response | undefined = error.response;
  const [first] = error.graphQLErrors;
  // Further timeouts would take too long.
  if (error.networkError?.name === 'TimeoutError') return new Fault('away', error.message);
  if (first === undefined) return faultOfResponse(response, error.message);
  return faultOfCode(first.extensions, first.message, response);
}
