import { isUnavailable } from '../db/connection/errors.ts';

/** Every way in which the domain refuses. Each transport owns one exhaustive table from these to its own answers. */
export const errorCodes = {
  UNAUTHENTICATED: 'The API key is missing, unknown, revoked or expired.',
  FORBIDDEN: 'The API key lacks the scope that the operation needs.',
  NOT_FOUND: 'The record does not exist, or belongs to another account.',
  IN_USE: 'The record cannot be deleted while others depend on it.',
  CONFLICT: 'The record was changed since the given moment; nothing was changed.',
  IDEMPOTENCY_MISMATCH: 'The Idempotency-Key came with another request; nothing was changed.',
  IDEMPOTENCY_RUNNING:
    'The first request with this Idempotency-Key is still running; Retry-After says when to try again.',
  VALIDATION: 'One or more fields are wrong; nothing was saved.',
  RATE_LIMITED: 'Too many requests in a minute; Retry-After says when to try again.',
  UNAVAILABLE: 'The database is not available; the same request may succeed shortly.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** How long a caller should wait before it asks an unavailable service again, in seconds. */
export const RETRY_AFTER = 1;

/** What is wrong with one field: its path in the input, and messages that read on from the field's name. */
export interface FieldError {
  path: string[];
  messages: string[];
}

/** The one error that is meant for the caller's eyes; anything else thrown is a fault of ours. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[];
  /** After how many seconds the same may succeed; null where time changes nothing. */
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

export function invalid(fields: readonly FieldError[]): DomainError {
  const [first] = fields;
  return new DomainError(
    'VALIDATION',
    first ? `${first.path.join('.')} ${first.messages[0]}.` : 'Invalid.',
    fields,
  );
}

/** The error as the caller may see it: one of the domain's own, or that the database is away; null for a fault of ours. */
export function visibleError(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  return isUnavailable(error)
    ? new DomainError('UNAVAILABLE', 'The database is not available. Try again shortly.')
    : null;
}
