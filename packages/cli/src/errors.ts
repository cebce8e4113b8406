import { ConflictError, LinkspaceError } from '@linkspace/client';
import { plain } from './io.ts';

/** The exit codes, which the README documents. */
export const EXIT = {
  failed: 1,
  wouldChange: 2,
  refused: 3,
  notFound: 4,
  notAllowed: 5,
  conflict: 6,
  usage: 64,
  interrupted: 130,
} as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error for people, with its exit code. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the error of a wrong command line. */
export function usageError(message: string): CliError {
  return new CliError(message, EXIT.usage);
}

const CODES: Readonly<Record<string, ExitCode>> = {
  VALIDATION: EXIT.refused,
  IN_USE: EXIT.refused,
  BAD_REQUEST: EXIT.refused,
  BAD_USER_INPUT: EXIT.refused,
  TOO_COSTLY: EXIT.refused,
  OPERATION_RESOLUTION_FAILURE: EXIT.refused,
  UNTRUSTED_DOCUMENT: EXIT.refused,
  IDEMPOTENCY_MISMATCH: EXIT.refused,
  GRAPHQL_PARSE_FAILED: EXIT.refused,
  GRAPHQL_VALIDATION_FAILED: EXIT.refused,
  NOT_FOUND: EXIT.notFound,
  GONE: EXIT.notFound,
  UNAUTHENTICATED: EXIT.notAllowed,
  FORBIDDEN: EXIT.notAllowed,
  CONFLICT: EXIT.conflict,
  OPERATION_BROKEN: EXIT.refused,
};

/** Returns the exit code for an error of the service. */
export function codeFor(code: string): ExitCode {
  return CODES[code] ?? EXIT.failed;
}

export interface Refusal {
  readonly message: string;
  readonly fields?: readonly { readonly path: readonly string[]; readonly messages: readonly string[] }[];
}

/** Returns a refusal in one line, which names the wrong fields. */
export function describeRefusal({ message, fields = [] }: Refusal): string {
  if (fields.length === 0) return message;
  return `${fields.map(({ path, messages }) => `${path.join('.')} ${messages.join(', ')}`).join('; ')}.`;
}

/** Returns an error as one line for people, or a line for each error of a file, and its exit code. */
export function describeError(error: unknown): { readonly message: string; readonly exitCode: number } {
  const { message, exitCode } = classify(error);
  // A refusal of the service is one line, whatever it repeats.
  const lines = error instanceof CliError ? message.split('\n') : [message];
  return { message: lines.map(plain).join('\n'), exitCode };
}

function classify(error: unknown): { readonly message: string; readonly exitCode: number } {
  if (error instanceof CliError) return error;
  if (error instanceof ConflictError)
    return { message: `The record has changed since ${error.current.updatedAt}.`, exitCode: EXIT.conflict };
  if (error instanceof LinkspaceError) {
    const isUnknown = error.isUnknown ? ' It is unknown if the change was made.' : '';
    const exitCode = codeFor(error.code);
    const request =
      exitCode === EXIT.failed && error.requestId !== null ? ` (request ${error.requestId})` : '';
    return { message: `${describeRefusal(error)}${isUnknown}${request}`, exitCode };
  }
  return { message: error instanceof Error ? error.message : String(error), exitCode: EXIT.failed };
}
