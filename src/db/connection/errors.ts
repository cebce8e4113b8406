/** What Prisma and the drivers tell of an error; which of these are there depends on where it happened. */
interface ErrorDetails {
  code?: unknown;
  message?: unknown;
  meta?: { driverAdapterError?: { cause?: Cause } };
  /** Of an adapter's own error, which comes as it is from raw statements in a transaction. */
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

/** What the adapter tells of the driver's error. */
function causeOf(error: unknown): Cause {
  const { meta, cause } = detailsOf(error);
  return meta?.driverAdapterError?.cause ?? cause ?? {};
}

/** Whether the error has Prisma's code, its adapters' kind, or SQLite's own code, by who was asked. */
function isOneOf(error: unknown, code: string, kind: string, sqlite: string): boolean {
  return [code, sqlite].some((one) => detailsOf(error).code === one) || causeOf(error).kind === kind;
}

/** Whether a write failed because a value that must be unique is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return isOneOf(error, 'P2002', 'UniqueConstraintViolation', 'SQLITE_CONSTRAINT_UNIQUE');
}

/** Whether a write failed because what it refers to is not there, or what it would delete is still referred to. */
export function isForeignKeyViolation(error: unknown): boolean {
  return isOneOf(error, 'P2003', 'ForeignKeyConstraintViolation', 'SQLITE_CONSTRAINT_FOREIGNKEY');
}

/** Whether two writes waited for each other, and this one gave way: nothing of it was done. */
export function isWriteConflict(error: unknown): boolean {
  return detailsOf(error).code === 'P2034' || causeOf(error).kind === 'TransactionWriteConflict';
}

/** Prisma's codes for: not reachable, timed out, closed, no connection free, a transaction that was, too many connections. */
const UNREACHABLE = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037']);
/** The adapters' kinds of the same, for statements of our own. */
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
/** PostgreSQL: connections (08), resources (53), shut down and starting up (57P), a statement's time is over, read-only. */
const POSTGRES = /^(08...|53...|57P..|57014|25006)$/;
/** SQLite: locked by another process for too long, full disk, failing disk, no longer writable. */
const SQLITE = /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN)/;
/** What the driver says of connections that break under a query, without any code. */
const BROKEN =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection)/;

/** The database does not answer, and nobody waits for it any longer. */
export class DatabaseAway extends Error {}

/** Whether the database could not be asked just now, for no fault of the request. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true;
  const { code, message } = detailsOf(error);
  const { kind, originalCode, code: driverCode } = causeOf(error);
  return (
    UNREACHABLE.has(String(code)) ||
    KINDS.has(String(kind)) ||
    [code, originalCode, driverCode].some((one) => POSTGRES.test(String(one)) || SQLITE.test(String(one))) ||
    BROKEN.test(String(message))
  );
}
