import { DomainError, type ErrorCode, type FieldError } from '../domain/errors.ts';

interface ErrorResult {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields?: readonly FieldError[];
}

/**
 * The record in a mutation's result.
 * @throws DomainError if the result is an error
 */
export function recordOf<Result extends object>(result: Result): Exclude<Result, { code: ErrorCode }> {
  if (!('code' in result)) return result as Exclude<Result, { code: ErrorCode }>; // Checked in the condition.
  const { code, message, fields } = result as Result & ErrorResult; // Only the schema's error types have a code.
  throw new DomainError(code, message, fields);
}
