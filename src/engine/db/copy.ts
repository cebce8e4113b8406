import { createHash } from 'node:crypto';
import { readNumbers } from '../lists/list-statements.ts';
import { oneLine } from '../tools/one-line.ts';
import { OperatorError } from '../tools/operator-error.ts';
import type { Database, Transaction } from './database.ts';
import { qualified, quoted } from './postgresql/schema.ts';
import { empty, join, name, raw, type Sql, sql } from './sql.ts';
import { beginTimeline } from './timeline.ts';

const BATCH_SIZE = 500;

/** A table that is copied. */
export interface CopiedTable {
  readonly name: string;
  /** The columns of its primary key, if that is not an `id` which the database assigns. */
  readonly key?: readonly string[] | undefined;
}

/** Parts of a product's data that a copy has. */
export interface Copied {
  /** In an order in which each table refers only to earlier ones. */
  readonly tables: readonly CopiedTable[];
  /** The triggers that fill indexes on SQLite, as a pattern of LIKE. Rows that are copied need these, too. */
  readonly indexing: string;
}

const ID: readonly string[] = ['id'];

type Row = Record<string, unknown>;

async function readNumber(db: Transaction, expression: Sql): Promise<number> {
  const [number = 0] = await readNumbers(db, [expression]);
  return number;
}

async function countTableRows(db: Transaction, table: string): Promise<number> {
  return readNumber(db, sql`(SELECT COUNT(*) FROM ${name(table)})`);
}

/** All rows of a table in the order of its key, in batches. */
async function* readTable(db: Transaction, table: CopiedTable): AsyncGenerator<Row[]> {
  const columns = table.key ?? ID;
  const key = join(columns.map(name));
  let after: Sql = empty;
  for (;;) {
    const rows = await db.prisma.$queryRaw<Row[]>(
      sql`SELECT * FROM ${name(table.name)} ${after} ORDER BY ${key} LIMIT ${BATCH_SIZE}`,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = sql`WHERE (${key}) > (${join(columns.map((column) => last[column]))})`;
  }
}

/** Equal for tables with equal contents, on either database. */
async function computeChecksum(db: Transaction, table: CopiedTable): Promise<string> {
  const hash = createHash('sha256');
  for await (const rows of readTable(db, table))
    for (const row of rows)
      hash.update(
        JSON.stringify(
          Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)),
          // Whether a driver gives a number as a bigint depends on the column's type.
          (_key, value) => (typeof value === 'number' || typeof value === 'bigint' ? String(value) : value),
        ),
      );
  return hash.digest('hex');
}

/** The name of a table in a text that PostgreSQL reads. */
function tableName({ database }: Transaction, table: string): string {
  return qualified(quoted(table), database.schema);
}

/** The largest id that a table ever assigned, also if the row was deleted; 0 if none. */
async function readLastId(db: Transaction, table: string): Promise<number> {
  return readNumber(
    db,
    db.database.provider === 'sqlite'
      ? sql`(SELECT seq FROM sqlite_sequence WHERE name = ${table})`
      : sql`pg_sequence_last_value(pg_get_serial_sequence(${tableName(db, table)}, 'id')::regclass)`,
  );
}

async function setNextId(db: Transaction, table: string, id: number): Promise<void> {
  if (id === 0) return;
  if (db.database.provider === 'postgresql') {
    await db.prisma.$queryRaw(
      sql`SELECT setval(pg_get_serial_sequence(${tableName(db, table)}, 'id'), ${id})::text`,
    );
    return;
  }
  await db.prisma.$executeRaw(sql`DELETE FROM sqlite_sequence WHERE name = ${table}`);
  await db.prisma.$executeRaw(sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${table}, ${id})`);
}

/** The part of Prisma's delegates that a copy needs. */
interface Delegate {
  createMany(args: { data: Row[] }): Promise<unknown>;
}

function getDelegate(db: Transaction, table: string): Delegate {
  // The client has a property for each table; TypeScript cannot follow that through the name.
  return (db.prisma as unknown as Record<string, Delegate>)[
    table.charAt(0).toLowerCase() + table.slice(1)
  ] as Delegate;
}

/** The largest value of PostgreSQL's integer columns, except bigint ones. */
const MAX_INTEGER = 2_147_483_647;

/** The columns of a table that hold no larger value: none on SQLite. */
async function narrowColumns(db: Transaction, table: string): Promise<ReadonlySet<string>> {
  if (db.database.provider === 'sqlite') return new Set();
  const columns = await db.prisma.$queryRaw<{ name: string }[]>(
    sql`SELECT "attname"::text AS "name" FROM pg_attribute WHERE "attrelid" = ${tableName(db, table)}::regclass AND "atttypid" = 'integer'::regtype`,
  );
  return new Set(columns.map(({ name }) => name));
}

/** The first column whose value the target cannot hold; null if there is none. */
function unfitColumn(row: Row, narrow: ReadonlySet<string>): string | null {
  const unfit = Object.entries(row).find(
    ([column, value]) =>
      narrow.has(column) &&
      (typeof value === 'number' || typeof value === 'bigint') &&
      (value > MAX_INTEGER || value < -MAX_INTEGER),
  );
  return unfit ? `${unfit[0]} is ${unfit[1]}, and the most is ${MAX_INTEGER}` : null;
}

/** The clients accept a bigint only for columns that are larger than JavaScript's numbers. */
function withNumbers(row: Row): Row {
  const toNumber = (value: unknown) =>
    typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, toNumber(value)]));
}

/** @throws OperatorError that names a row that the target cannot hold */
async function insert(
  target: Transaction,
  { name: table, key = ID }: CopiedTable,
  rows: Row[],
  narrow: ReadonlySet<string>,
): Promise<void> {
  const named = (row: Row) => key.map((column) => `${column} ${row[column]}`).join(', ');
  for (const row of rows) {
    const unfit = unfitColumn(row, narrow);
    if (unfit !== null)
      throw new OperatorError(
        `The table ${table} has a row that cannot be copied (${named(row)}): ${unfit}.`,
      );
  }
  await getDelegate(target, table)
    .createMany({ data: rows.map(withNumbers) })
    .catch((error: unknown) => {
      const [first, last] = [rows.at(0), rows.at(-1)];
      const which = first && last ? `from ${named(first)} to ${named(last)}` : 'none';
      throw new Error(`rows of the table ${table} (${which}) cannot be copied: ${oneLine(error)}`);
    });
}

/** Practically no limit: a copy is one transaction on either side. */
const COPY_OPTIONS = { retries: false, maxWait: 10_000, timeout: 24 * 60 * 60 * 1000 };

/** The pause between two statements to both sides, in milliseconds: PostgreSQL ends transactions that are idle for 15 s. */
const AWAKE_INTERVAL = 5_000;

function stayAwake(transactions: readonly Transaction[]): void {
  // If a transaction has ended, the copy itself fails.
  for (const one of transactions) one.read(sql`SELECT 1`).catch(() => {});
}

/** Called with the number of rows of a table that are copied, and their total. */
export type Progress = (table: string, copied: number, total: number) => void;

/**
 * Runs `work` with our triggers disabled, except those that fill SQLite's indexes: triggers would count rows whose
 * totals are copied too, and refuse rows that an earlier version allowed.
 */
async function withoutTriggers(
  db: Transaction,
  { tables, indexing }: Copied,
  work: () => Promise<void>,
): Promise<void> {
  if (db.database.provider === 'postgresql') {
    const set = (table: CopiedTable, how: 'ENABLE' | 'DISABLE') =>
      db.prisma.$executeRaw(sql`ALTER TABLE ${name(table.name)} ${raw(how)} TRIGGER USER`);
    for (const table of tables) await set(table, 'DISABLE');
    await work();
    for (const table of tables) await set(table, 'ENABLE');
    return;
  }
  // SQLite cannot disable triggers: they are dropped, and created again.
  const triggers = await db.prisma.$queryRaw<{ name: string; sql: string }[]>`
    SELECT "name", "sql" FROM sqlite_master WHERE "type" = 'trigger' AND "name" NOT LIKE ${indexing}`;
  for (const trigger of triggers) await db.prisma.$executeRaw(sql`DROP TRIGGER ${name(trigger.name)}`);
  await work();
  for (const trigger of triggers) await db.prisma.$executeRaw(raw(trigger.sql));
}

/**
 * Copies everything into an empty database with the same migrations, ids, hashes and times included, and compares
 * counts and checksums. It reads from one snapshot, and writes in one transaction.
 * @throws OperatorError
 */
export async function copyAll(
  from: Database,
  to: Database,
  copied: Copied,
  progress: Progress,
): Promise<void> {
  // SQLite has only this level.
  const isolationLevel = from.provider === 'sqlite' ? 'Serializable' : 'RepeatableRead';
  await from.transaction(
    (source) =>
      to.transaction(async (target) => {
        const awake = setInterval(() => stayAwake([source, target]), AWAKE_INTERVAL);
        await copyTables(source, target, copied, progress).finally(() => clearInterval(awake));
      }, COPY_OPTIONS),
    { ...COPY_OPTIONS, isolationLevel },
  );
  await to.analyze(copied.tables.map((table) => table.name));
}

async function copyTables(
  source: Transaction,
  target: Transaction,
  copied: Copied,
  progress: Progress,
): Promise<void> {
  const { tables } = copied;
  for (const { name } of tables)
    if ((await countTableRows(target, name)) > 0)
      throw new OperatorError(
        `The target is not empty: its table ${name} has rows. Empty it, or name another.`,
      );
  await withoutTriggers(target, copied, async () => {
    for (const table of tables) {
      const { name, key } = table;
      const total = await countTableRows(source, name);
      let done = 0;
      const narrow = await narrowColumns(target, name);
      progress(name, done, total);
      for await (const rows of readTable(source, table)) {
        await insert(target, table, rows, narrow);
        done += rows.length;
        progress(name, done, total);
      }
      if (key === undefined) await setNextId(target, name, await readLastId(source, name));
    }
  });
  // The log continues in a new epoch, which comes after all changes of the source.
  const epoch = await readNumber(source, sql`(SELECT "number" FROM "Revision" WHERE "topic" = 'changes')`);
  await target.prisma.$executeRaw`UPDATE "Revision" SET "number" = ${epoch + 1} WHERE "topic" = 'changes'`;
  if (!target.dialect.hasConcurrentWriters) await target.execute(sql`${raw(beginTimeline('REPLACE'))}`);
  for (const table of tables) {
    const { name } = table;
    const [there, here] = [await countTableRows(source, name), await countTableRows(target, name)];
    const same =
      there === here && (await computeChecksum(source, table)) === (await computeChecksum(target, table));
    if (!same)
      throw new OperatorError(`The table ${name} did not come out the same (${there} rows, ${here} copied).`);
  }
}
