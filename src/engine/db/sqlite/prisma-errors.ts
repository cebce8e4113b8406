// Makes Prisma's errors of those of better-sqlite3, the SQLite driver. Prisma's client knows an error by its kind, and
// tells a broken rule by columns and table. Both are in SQLite's codes and messages.
import { DriverAdapterError, type MappedError } from '@prisma/driver-adapter-utils';
import Sqlite from 'better-sqlite3';

/** An error of the driver, with SQLite's code. */
type Failure = InstanceType<Sqlite.SqliteError>;

/** SQLite's number for a locked file, and the bits of a longer number that have it. */
const BUSY = 5;
const PRIMARY = 0xff;
/** SQLite's number for an error without a number of its own. */
const GENERIC = 1;

/** Returns the number of a code that the driver has no name for. */
function findErrorNumber(code: string): number | null {
  const [, digits] = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Returns the columns of a constraint, each with its table: `UNIQUE constraint failed: Link.domainId, Link.aliasKey`. */
function columnsIn(message: string): string[] | null {
  const [, columns] = message.split('constraint failed: ');
  return columns?.split(', ') ?? null;
}

/** Returns the fields of a constraint as Prisma names them. */
function constraintIn(message: string): { fields: string[] } | undefined {
  const fields = columnsIn(message)?.map((column) => column.slice(column.lastIndexOf('.') + 1));
  return fields && { fields };
}

function tableIn(message: string): string | undefined {
  const [column = ''] = columnsIn(message) ?? [];
  return column.slice(0, Math.max(0, column.lastIndexOf('.'))) || undefined;
}

/** Returns the kind of an error without a constraint. */
function mapFailure({ code, message }: Failure): MappedError {
  const number = findErrorNumber(code);
  const isLocked = number === null ? code.startsWith('SQLITE_BUSY') : (number & PRIMARY) === BUSY;
  if (isLocked) return { kind: 'SocketTimeout' };
  const [fault, missing] = message.split(': ');
  if (fault === 'no such table') return { kind: 'TableDoesNotExist', table: missing };
  if (fault === 'no such column') return { kind: 'ColumnNotFound', column: missing };
  const [, column] = message.split('has no column named ');
  if (column !== undefined) return { kind: 'ColumnNotFound', column };
  return { kind: 'sqlite', extendedCode: number ?? GENERIC, message };
}

function mapped(error: Failure): MappedError {
  const { message } = error;
  switch (error.code) {
    case 'SQLITE_CONSTRAINT_UNIQUE':
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
      return {
        kind: 'UniqueConstraintViolation',
        constraint: constraintIn(message),
        table: tableIn(message),
      };
    case 'SQLITE_CONSTRAINT_NOTNULL':
      return { kind: 'NullConstraintViolation', constraint: constraintIn(message) };
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
    case 'SQLITE_CONSTRAINT_TRIGGER':
      return { kind: 'ForeignKeyConstraintViolation', constraint: { foreignKey: {} } };
    default:
      return mapFailure(error);
  }
}

/** Returns Prisma's error for one of the driver; other errors stay what they are. */
export function asPrismaError(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const { code, message } = error;
  return new DriverAdapterError({ originalCode: code, originalMessage: message, ...mapped(error) });
}
