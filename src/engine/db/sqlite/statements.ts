// Prepared statements of a connection to a SQLite file. Preparing one takes longer than a small read or write, so each
// connection keeps those that it used last. Their text is changed so that SQLite keeps their plans, too.
import type { Database, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { RawRows } from '../driver.ts';
import { toSqlite } from './prisma-values.ts';

/** The maximum number of prepared statements that a connection keeps for each use. */
const MAX_PREPARED = 500;

const QUOTED_OR_PARAMETER = /'[^']*'|"[^"]*"|`[^`]*`|\?/g;

/**
 * Returns a statement that SQLite plans only once. SQLite plans again when a parameter of the plan gets a new value.
 * That takes many times as long as a small read. A unary plus prevents that, and changes no value.
 */
export function plannedOnce(sql: string): string {
  return sql.replaceAll(QUOTED_OR_PARAMETER, (found) => (found === '?' ? '+?' : found));
}

/** Limits of kept statements: their number, and the length of their texts in characters. */
export interface KeptStatements {
  readonly max?: number;
  readonly maxLength?: number;
}

/**
 * Returns a function that prepares a statement, or finds the one that it has kept.
 * @param describe makes what its caller needs of a new statement
 */
export function keepPrepared<Known extends object>(
  file: Pick<Database, 'prepare'>,
  describe: (statement: Statement) => Known,
  { max = MAX_PREPARED, maxLength = Number.POSITIVE_INFINITY }: KeptStatements = {},
): (sql: string) => Known {
  const kept = new LRUCache<string, Known>({ max });
  return (sql) => {
    if (sql.length > maxLength) return describe(file.prepare(sql));
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const prepared = describe(file.prepare(plannedOnce(sql)));
    kept.set(sql, prepared);
    return prepared;
  };
}

/** Reads at once, also if a transaction is open. */
export type ReadNow = (sql: string, args: readonly unknown[]) => RawRows;

function parseKind(type: string | null): RawRows['kinds'][number] {
  return type === 'DATETIME' ? 'time' : type === 'BOOLEAN' ? 'boolean' : undefined;
}

/** Reads with statements that stay prepared. */
export function rawReader(file: Pick<Database, 'prepare'>, max = MAX_PREPARED): ReadNow {
  const prepare = keepPrepared(
    file,
    (statement) => {
      const columns = statement.columns();
      return {
        // A raw statement's rows are lists.
        statement: statement.raw(true) as Statement<unknown[], unknown[]>,
        names: columns.map(({ name }) => name),
        kinds: columns.map(({ type }) => parseKind(type)),
      };
    },
    { max },
  );
  return (sql, args) => {
    const { statement, names, kinds } = prepare(sql);
    return { names, kinds, rows: statement.all(...args.map((value) => toSqlite(value))), keepsNames: true };
  };
}

/** Runs statements that have no rows, and keeps them prepared. Returns the number of changed rows. */
export function writer(file: Pick<Database, 'prepare'>): (sql: string, args: readonly unknown[]) => number {
  const prepare = keepPrepared(file, (statement) => statement);
  return (sql, args) => prepare(sql).run(...args).changes;
}

/** Opens the log, as the first read does. */
export function openLog(readNow: ReadNow): void {
  readNow('SELECT COUNT(*) FROM sqlite_master', []);
}
