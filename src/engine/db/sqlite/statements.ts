import { LRUCache } from 'lru-cache';
import { dateText, type RawRows } from '../driver.ts';

/** The part of better-sqlite3's statements that is used. */
export interface Statement {
  readonly reader: boolean;
  bind(args: unknown[]): Statement;
  run(...args: unknown[]): { readonly changes: number };
  columns(): readonly { readonly name: string; readonly type: string | null }[];
  safeIntegers(toggle: boolean): Statement;
  raw(toggle?: boolean): Statement;
  all(...args: unknown[]): unknown[];
}

/** The part of better-sqlite3's database that is used. */
export interface Driver {
  readonly open: boolean;
  readonly inTransaction: boolean;
  pragma(setting: string, options?: { readonly simple: boolean }): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

/**
 * Maximum number of prepared raw reads of a connection, and of Prisma's statements; and their maximum length in
 * characters.
 */
const MAX_PREPARED = 500;
const MAX_LENGTH = 10_000;

const QUOTED_OR_PARAMETER = /'[^']*'|"[^"]*"|`[^`]*`|\?/g;

/**
 * Returns a statement that SQLite plans only once. SQLite plans again when a parameter of the plan gets a new value.
 * That takes many times as long as a small read. A unary plus prevents that, and changes no value.
 */
export function plannedOnce(sql: string): string {
  return sql.replaceAll(QUOTED_OR_PARAMETER, (found) => (found === '?' ? '+?' : found));
}

/** A value as Prisma writes it to SQLite. */
function written(value: unknown): unknown {
  if (value instanceof Date) return dateText(value);
  return typeof value === 'boolean' ? Number(value) : value;
}

/** Reads with cached prepared statements; immediately, even if a transaction is open. */
export function rawReader(
  driver: Pick<Driver, 'prepare'>,
  max = MAX_PREPARED,
): (sql: string, args: readonly unknown[]) => RawRows {
  const prepare = driver.prepare.bind(driver); // The adapter's statements get another one later.
  const statements = new LRUCache<string, Pick<RawRows, 'names' | 'kinds'> & { statement: Statement }>({
    max,
  });
  return (sql, args) => {
    let known = statements.get(sql);
    if (known === undefined) {
      const statement = prepare(plannedOnce(sql));
      const columns = statement.columns();
      known = {
        statement: statement.safeIntegers(false).raw(true),
        names: columns.map(({ name }) => name),
        kinds: columns.map(({ type }) =>
          type === 'DATETIME' ? 'time' : type === 'BOOLEAN' ? 'boolean' : undefined,
        ),
      };
      statements.set(sql, known);
    }
    const { names, kinds, statement } = known;
    // A raw statement's rows are lists.
    return { names, kinds, rows: statement.all(...args.map(written)) as unknown[][] };
  };
}

/** Opens the log, as the first read does. */
export function openLog(readNow: ReturnType<typeof rawReader>): void {
  readNow('SELECT COUNT(*) FROM sqlite_master', []);
}

/** A prepared statement with values, which it has only while it runs: others use it, too. */
class WithValues implements Statement {
  readonly #statement: Statement;
  readonly #values: unknown[];

  constructor(statement: Statement, values: unknown[] = []) {
    this.#statement = statement;
    this.#values = values;
  }

  get reader(): boolean {
    return this.#statement.reader;
  }

  bind(values: unknown[]): Statement {
    return new WithValues(this.#statement, values);
  }

  run(): { readonly changes: number } {
    return this.#statement.run(...this.#values);
  }

  columns(): ReturnType<Statement['columns']> {
    return this.#statement.columns();
  }

  safeIntegers(toggle: boolean): Statement {
    this.#statement.safeIntegers(toggle);
    return this;
  }

  raw(toggle = true): Statement {
    this.#statement.raw(toggle);
    return this;
  }

  all(): unknown[] {
    return this.#statement.all(...this.#values);
  }
}

/** Prepares statements, and keeps them: Prisma's adapter prepares each anew, which takes longer than a small write. */
export function keepingPrepared(prepare: Driver['prepare'], max = MAX_PREPARED): Driver['prepare'] {
  const statements = new LRUCache<string, Statement>({ max });
  return (sql) => {
    if (sql.length > MAX_LENGTH) return prepare(sql);
    const statement = statements.get(sql) ?? prepare(plannedOnce(sql));
    statements.set(sql, statement);
    return new WithValues(statement);
  };
}
