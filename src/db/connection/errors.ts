/** Details of an error from Prisma and the drivers; which of them exist depends on its origin. */
interface ErrorDetails {
  code?: unknown;
  message?: unknown;
  meta?: { driverAdapterError?: { cause?: Cause } };
  /** Of an adapter's own error, which raw statements in a transaction throw unchanged. */
  cause?: Cause;
}

interface Cause {
  kind?: unknown;
  originalCode?: unknown;
  code?: unknown;
}

function detailsOf(error: unknown): ErrorDetails {
  return error instanceof Error ? (error as ErrorDetails) : {};
}

/** The adapter's description of the driver's error. */
function causeOf(error: unknown): Cause {
  const { meta, cause } = detailsOf(error);
  return meta?.driverAdapterError?.cause ?? cause ?? {};
}

/** Whether the error has Prisma's code, its adapters' kind, or SQLite's own code. */
function isOneOf(error: unknown, code: string, kind: string, sqlite: string): boolean {
  return [code, sqlite].some((one) => detailsOf(error).code === one) || causeOf(error).kind === kind;
}

/** Whether a write failed because a unique value exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return isOneOf(error, 'P2002', 'UniqueConstraintViolation', 'SQLITE_CONSTRAINT_UNIQUE');
}

/** Whether a write failed because it refers to a missing row, or would delete a row that others refer to. */
export function isForeignKeyViolation(error: unknown): boolean {
  return isOneOf(error, 'P2003', 'ForeignKeyConstraintViolation', 'SQLITE_CONSTRAINT_FOREIGNKEY');
}

/**
 * PostgreSQL's errors for a prepared statement that it does not have, and for one whose columns have other types since a
 * migration. It was not executed.
 */
const STALE = new Set<unknown>(['26000', '0A000']);

/** Whether the connection's prepared statements are not those that the driver knows. */
export function isStale(error: unknown): boolean {
  return STALE.has(detailsOf(error).code) || STALE.has(causeOf(error).originalCode);
}

/** Whether the transaction was rolled back for a reason that passes: a deadlock, a conflict, or a stale statement. */
export function mayPass(error: unknown): boolean {
  const conflicts = detailsOf(error).code === 'P2034' || causeOf(error).kind === 'TransactionWriteConflict';
  return conflicts || isStale(error);
}

/** Whether the role of PostgreSQL may not do this. */
export function isForbidden(error: unknown): boolean {
  return causeOf(error).originalCode === '42501';
}

/** Prisma's codes for: not reachable, timed out, closed, no connection free, transaction timed out, too many connections. */
const UNREACHABLE = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037']);
/** The adapters' kinds for the same errors, for our own statements. */
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
/** PostgreSQL: connections (08), resources (53), shutdown and startup (57P), statement timeout, read-only. */
const POSTGRES = /^(08...|53...|57P..|57014|25006)$/;
/** SQLite: locked by another process for too long, full disk, I/O error, no longer writable. */
const SQLITE = /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN)/;
/** The driver's messages for connections that break during a query; these errors have no code. */
const BROKEN =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection|Client was closed|Cannot use a pool after)/;
/** Whether the server did not answer in time, or broke the connection; a statement that it has cancelled is no such error. */
export function isUnanswered(error: unknown): boolean {
  return BROKEN.test(String(detailsOf(error).message));
}

/** The system's errors for connections that the adapter does not know. */
const NETWORK = /^(EPIPE|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;

/** The database does not answer in time. */
export class DatabaseAway extends Error {}

/** Whether the error means that the database is unavailable. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true;
  const { code, message } = detailsOf(error);
  const { kind, originalCode, code: driverCode } = causeOf(error);
  return (
    UNREACHABLE.has(String(code)) ||
    KINDS.has(String(kind)) ||
    [code, originalCode, driverCode].some((one) => POSTGRES.test(String(one)) || SQLITE.test(String(one))) ||
    NETWORK.test(String(code)) ||
    BROKEN.test(String(message))
  );
}
