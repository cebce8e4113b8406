import { isUnavailable } from '../db/errors.ts';
import { TooMuchWaiting } from '../shared/turns.ts';

/** All error codes of the domain. Each transport has an exhaustive table from these to its own answers. */
export const errorCodes = {
  UNAUTHENTICATED: 'The API key or the session is missing, unknown, revoked or expired.',
  FORBIDDEN: 'The key lacks the scope, or the caller the role, that the operation needs.',
  GONE: 'The link with its token is unknown, too old, or was used already.',
  NOT_FOUND: 'The record does not exist, or belongs to another account.',
  IN_USE: 'The record cannot be deleted while others depend on it.',
  CONFLICT: 'The record was changed after the given time; nothing was changed now.',
  IDEMPOTENCY_MISMATCH: 'The Idempotency-Key was used with another request; nothing was changed.',
  IDEMPOTENCY_RUNNING:
    'The first request with this Idempotency-Key is still running; Retry-After says when to try again.',
  VALIDATION: 'One or more fields are wrong; nothing was saved.',
  RATE_LIMITED:
    'Too many requests in a minute, or too many passwords or subscriptions at once; Retry-After says when to try again.',
  UNAVAILABLE: 'The database is not available; the same request may succeed shortly.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** When to try again after UNAVAILABLE, in seconds. */
export const RETRY_AFTER = 1;

/** The errors of one field: its path in the input, and messages that continue a sentence starting with the field's name. */
export interface FieldError {
  path: string[];
  messages: string[];
}

/** The only error that is shown to callers; any other one is an internal error. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[];
  /** After how many seconds a retry may succeed; null if it would not help. */
  readonly retryAfter: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    fields: readonly FieldError[] = [],
    retryAfter = code === 'UNAVAILABLE' ? RETRY_AFTER : null,
  ) {
    super(message);
    this.name = 'DomainError';
    this.code = code;
    this.fields = fields;
    this.retryAfter = retryAfter;
  }
}

export function notFound(what: string): DomainError {
  return new DomainError('NOT_FOUND', `No such ${what}.`);
}

/** @param message for people; by default the first message of the first field */
export function invalid(fields: readonly FieldError[], message?: string): DomainError {
  const [first] = fields;
  const told = first ? `${first.path.join('.')} ${first.messages[0]}.` : 'Invalid.';
  return new DomainError('VALIDATION', message ?? told, fields);
}

/** The error for the caller: the domain's own, or one for the database; null for an internal error. */
export function visibleError(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  if (error instanceof TooMuchWaiting)
    return new DomainError(
      'RATE_LIMITED',
      'Too many long reads at once. Try again shortly.',
      [],
      RETRY_AFTER,
    );
  return isUnavailable(error)
    ? new DomainError('UNAVAILABLE', 'The database is not available. Try again shortly.')
    : null;
}
