import type { DomainError, ErrorCode } from '../../domain/errors.ts';

/** The HTTP status of an answer with errors outside the data; null leaves it to GraphQL over HTTP. */
export const statusOf: Record<ErrorCode, number | null> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: null,
  IN_USE: null,
  CONFLICT: null,
  IDEMPOTENCY_MISMATCH: 422,
  IDEMPOTENCY_RUNNING: 409,
  VALIDATION: null,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
};

/** The HTTP headers for an error outside the data. */
export function headersOf({ code, retryAfter }: DomainError): Record<string, string> {
  if (code === 'UNAUTHENTICATED') return { 'WWW-Authenticate': 'Bearer' };
  return retryAfter === null ? {} : { 'Retry-After': String(retryAfter) };
}

/** The extensions of an error: the code, the wrong fields, and the HTTP status and headers. */
export function extensionsOf(error: DomainError) {
  const status = statusOf[error.code];
  return {
    code: error.code,
    ...(error.fields.length > 0 && { fields: error.fields }),
    ...(status !== null && { http: { status, headers: headersOf(error) } }),
  };
}
