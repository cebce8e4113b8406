import { isUnavailable, isUnstorable, unstorableCharacter } from '../db/errors.ts';
import { TooMuchWaiting } from '../tools/turns.ts';
import { because, type Refusal, refusalIn, type Why } from './refusal.ts';

/** All error codes of the domain. Each transport has an exhaustive table from these to its own answers. */
export const errorCodes = {
  UNAUTHENTICATED: 'The API key or the session is missing, unknown, revoked or expired.',
  FORBIDDEN: 'The key lacks the scope, or the caller the role, that the operation needs.',
  GONE: 'The link with its token is unknown, too old, or was used already.',
  HISTORY_GONE:
    'The log of changes does not reach back to the cursor: changes after it are deleted, or another database gave it.',
  NOT_FOUND: 'The record does not exist, or belongs to another account.',
  IN_USE: 'The record cannot be deleted while others depend on it.',
  CONFLICT: 'The record was changed after the given time; nothing was changed now.',
  IDEMPOTENCY_MISMATCH: 'The Idempotency-Key was used with another request; nothing was changed.',
  IDEMPOTENCY_RUNNING:
    'The first request with this Idempotency-Key is still running; Retry-After says when to try again.',
  VALIDATION: 'One or more fields are wrong; nothing was saved.',
  RATE_LIMITED:
    'Too many requests in a minute, too many passwords or subscriptions at once, or too many Idempotency-Keys in a day; Retry-After says when to try again.',
  UNAVAILABLE:
    'The service is too busy, or its database is not available; the same request may succeed shortly.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Seconds after which to retry after UNAVAILABLE. */
export const RETRY_AFTER = 1;

/**
 * The errors of one field: its path in the input, messages that continue a sentence starting with the field's name, and the rule,
 * the reason and the values of the first message.
 */
export interface FieldError extends Omit<Why, 'message'> {
  path: string[];
  messages: string[];
}

/** Maximum number of wrong fields in one error. */
export const MAX_FIELD_ERRORS = 100;

/** @param refused by which rule, an issue of zod that may have one, or a message */
export function fieldError(
  path: readonly string[],
  refused: Refusal | string | { readonly message: string },
): FieldError {
  const { message, ...why } = refusalIn(refused);
  return { path: [...path], messages: [message], ...why };
}

/** The only error that is shown to callers; any other one is an internal error. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  /** The rule that refuses it; the code if there is no narrower one. */
  readonly rule: string;
  readonly values: Why['values'];
  /** Why it is refused; the code if there is no narrower reason. */
  readonly reason: string;
  readonly reasonValues: Why['reasonValues'];
  readonly fields: readonly FieldError[];
  /** After how many seconds a retry may succeed; null if it would not help. */
  readonly retryAfter: number | null;

  /** @param told by which rule, or a message */
  constructor(
    code: ErrorCode,
    told: Refusal | string,
    fields: readonly FieldError[] = [],
    retryAfter = code === 'UNAVAILABLE' ? RETRY_AFTER : null,
  ) {
    const { rule, values, reason, reasonValues, message } = refusalIn(told);
    super(message);
    this.name = 'DomainError';
    this.code = code;
    this.rule = rule === 'INVALID' ? code : rule;
    this.values = values;
    this.reason = reason === 'INVALID' ? code : reason;
    this.reasonValues = reasonValues;
    this.fields = fields;
    this.retryAfter = retryAfter;
  }
}

export function notFound(what: string): DomainError {
  return new DomainError('NOT_FOUND', `No such ${what}.`);
}

/** The error of one wrong field. @param refused by which rule, or a message */
export function invalidField(name: string, refused: Refusal | string): DomainError {
  return invalid([fieldError([name], refused)]);
}

/** @param message for people; by default the first message of the first field */
export function invalid(fields: readonly FieldError[], message?: string): DomainError {
  const [first] = fields;
  const told = first ? `${first.path.join('.')} ${first.messages[0]}.` : 'Invalid.';
  return new DomainError('VALIDATION', message ?? told, fields);
}

/** The paths of texts in the input that have the character, in any of the forms that are stored. */
function findPaths(character: string, input: unknown, path: readonly string[] = []): string[][] {
  if (typeof input === 'string') {
    const forms = [input, input.normalize('NFC'), input.toLowerCase(), input.toUpperCase().toLowerCase()];
    return forms.some((form) => form.includes(character)) ? [[...path]] : [];
  }
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) => findPaths(character, value, [...path, name]));
}

/** The error for a text that the database cannot store; null for any other one. @param input in which the text is */
export function unstorable(error: unknown, input: unknown): DomainError | null {
  if (!isUnstorable(error)) return null;
  const character = unstorableCharacter(error);
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const paths = character === '' ? [] : findPaths(character, input);
  const what = code === undefined ? 'a character' : `the character U+${code}`;
  const refused = `has ${what}, which the database cannot store`;
  const why =
    code === undefined ? refused : because(refused, 'UNSTORABLE_CHARACTER', { character: `U+${code}` });
  return invalid(paths.map((path) => fieldError(path, why)).slice(0, MAX_FIELD_ERRORS), `A text ${refused}.`);
}

/**
 * The error for the caller: the domain's own, or one for the database; null for an internal error.
 * @param input what the caller sent, if a text in it may be wrong
 */
export function visibleError(error: unknown, input?: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  if (error instanceof TooMuchWaiting)
    return new DomainError(
      'RATE_LIMITED',
      'Too many long reads at once. Try again shortly.',
      [],
      RETRY_AFTER,
    );
  if (isUnavailable(error))
    return new DomainError('UNAVAILABLE', 'The database is not available. Try again shortly.');
  return unstorable(error, input);
}
