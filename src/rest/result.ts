import { DomainError, type ErrorCode, type FieldError } from '../domain/errors.ts';

interface ErrorResult {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields?: readonly FieldError[];
}

/**
 * The record of a mutation's result.
 * @throws DomainError the error that came instead of the record
 */
export function recordOf<Result extends object>(result: Result): Exclude<Result, { code: ErrorCode }> {
  if (!('code' in result)) return result as Exclude<Result, { code: ErrorCode }>; // Just made sure of.
  const { code, message, fields } = result as Result & ErrorResult; // Only the schema's error types have a code.
  throw new DomainError(code, message, fields);
}
