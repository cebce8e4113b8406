import { setTimeout } from 'node:timers/promises';

/** Details of an error of Prisma, its adapters, a driver or Node; which of them exist depends on its origin. */
export interface ErrorDetails {
  readonly kind?: unknown;
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly path?: unknown;
}

interface Nested extends ErrorDetails {
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** An error with its causes, the outermost first. */
export function listCauses(error: unknown): ErrorDetails[] {
  if (typeof error !== 'object' || error === null) return [];
  const one: Nested = error;
  return [one, ...listCauses(one.meta?.driverAdapterError ?? one.cause)];
}

/** True if the error has one of these codes or kinds: Prisma's, its adapters', or the database's own. */
function hasCode(error: unknown, pattern: RegExp): boolean {
  return listCauses(error).some(({ code, kind, originalCode }) =>
    [code, kind, originalCode].some((one) => typeof one === 'string' && pattern.test(one)),
  );
}

/** True if a write failed because a unique value exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, /^(P2002|UniqueConstraintViolation|23505|SQLITE_CONSTRAINT_UNIQUE)$/);
}

/** True if a write failed because it refers to a missing row, or would delete a referenced one. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, /^(P2003|ForeignKeyConstraintViolation|23503|SQLITE_CONSTRAINT_FOREIGNKEY)$/);
}

/**
 * True if PostgreSQL lacks a prepared statement, or its columns have other types since a migration. The statement was
 * not executed.
 */
export function isStale(error: unknown): boolean {
  return hasCode(error, /^(26000|0A000)$/);
}

/** True if the transaction was rolled back for a temporary reason: a deadlock, a conflict, or a stale statement. */
export function isTransient(error: unknown): boolean {
  return hasCode(error, /^(P2034|TransactionWriteConflict|40001|40P01)$/) || isStale(error);
}

/** True if PostgreSQL denies this to the role. */
export function isForbidden(error: unknown): boolean {
  return hasCode(error, /^42501$/);
}

/**
 * True if the database refuses the data of a write for good: PostgreSQL's classes 22 (data) and 23 (constraints), and
 * SQLite's equivalents. Other failures may end by themselves.
 */
export function isRefused(error: unknown): boolean {
  return hasCode(error, /^(2[23][0-9A-Z]{3}|SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)(_[A-Z]+)?)$/);
}

/** Returns true for a text that PostgreSQL refuses, since the encoding of the database lacks a character. */
export function isUnstorable(error: unknown): boolean {
  return hasCode(error, /^22P05$/);
}

/** The character that the encoding lacks, by its bytes in the error; empty if the error does not tell. */
export function unstorableCharacter(error: unknown): string {
  const messages = listCauses(error).map(({ message }) => String(message));
  const [bytes = ''] = messages.flatMap((message) => /(?:0x[\da-f]{2} ?)+/i.exec(message) ?? []);
  return Buffer.from(bytes.replaceAll(/0x| /gi, ''), 'hex').toString();
}

/** True if another process has SQLite's file locked. */
export function isLocked(error: unknown): boolean {
  return hasCode(error, /^(SQLITE_BUSY|SocketTimeout)/);
}

export function isDiskFull(error: unknown): boolean {
  return hasCode(error, /^SQLITE_FULL/);
}

/**
 * - Prisma: not reachable, timed out, closed, no connection free, transaction timed out, too many connections
 * - adapters: the same
 * - PostgreSQL: connections (08), resources (53), shutdown and startup (57P), timeouts of statements, locks and idle
 *   transactions, read-only
 * - SQLite: locked by another process for too long, full disk, I/O error, no longer writable
 * - the system: connections
 */
const UNAVAILABLE = new RegExp(
  [
    /^(P1001|P1002|P1008|P1017|P2024|P2028|P2037)$/,
    /^(DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections)$/,
    /^(08...|53...|57P..|57014|55P03|25006|25P03)$/,
    /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN)/,
    /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EPIPE|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** The driver's messages for connections that break during a query; these errors have no code. */
const BROKEN = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection',
  'Client was closed',
  'Cannot use a pool after',
];

/** True if the server did not answer in time, or broke the connection. False for a statement that it cancelled. */
export function isUnanswered(error: unknown): boolean {
  return listCauses(error).some(({ message }) => BROKEN.some((start) => String(message).startsWith(start)));
}

/** Poolers' messages for a client too many; their codes stand for other errors, too. */
const NO_MORE_CLIENTS = /^(no more connections allowed|max client connections reached|too many clients)/i;

/** Returns true if the server grants no further connection to this role, to this database or at all. */
export function isRefusedConnect(error: unknown): boolean {
  return (
    hasCode(error, /^53300$/) ||
    listCauses(error).some(({ message }) => NO_MORE_CLIENTS.test(String(message)))
  );
}

/** The database does not answer in time. */
export class DatabaseAway extends Error {}

/** Returns true for a failure of TLS to the server, such as an expired certificate. */
export function isUntrusted(error: unknown): boolean {
  return hasCode(
    error,
    /^(TlsConnectionError|CERT_\w+|ERR_TLS_\w+|(DEPTH_ZERO_)?SELF_SIGNED_CERT\w*|UNABLE_TO_\w+)$/,
  );
}

export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof DatabaseAway || hasCode(error, UNAVAILABLE) || isUnanswered(error) || isUntrusted(error)
  );
}

const MAX_ATTEMPTS = 10;

/** Does a write, which must be one transaction, and repeats it after an error that a repetition may not have. */
async function retrying<T>(write: () => PromiseLike<T>, mayHelp: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !mayHelp(error)) throw error;
      // A random pause, so that the same writes do not conflict again.
      await setTimeout(Math.random() * 10 * attempt);
    }
  }
}

/** Repeats a write after a deadlock, which rolled it back. */
export function retryConflicts<T>(write: () => PromiseLike<T>): Promise<T> {
  return retrying(write, isTransient);
}

/** Repeats a write that checked records which somebody else has changed or deleted before it was done. */
export function retryOvertaken<T>(write: () => PromiseLike<T>): Promise<T> {
  return retrying(write, (error) => isForeignKeyViolation(error) || isUniqueViolation(error));
}
