import { createHash } from 'node:crypto';
import { Prisma } from '../generated/sqlite/client.ts';
import { OperatorError } from '../operator-error.ts';
import { oneLine } from '../shared/one-line.ts';
import type { Transaction } from './database.ts';
import { readNumbers } from './reading/list.ts';
import { empty, join, name, type Sql, sql } from './sql.ts';

const BATCH_SIZE = 500;

/** In the order of the models, in which each model refers only to earlier ones. */
export type Model = Exclude<Prisma.ModelName, 'Revision' | 'DaySalt' | 'DayVisitor'>;

/**
 * Not copied. Revisions tell running processes about changes in their own database; they are not user data. Salts and
 * visitors exist for the current day only.
 */
const notCopied: readonly string[] = ['Revision', 'DaySalt', 'DayVisitor'];

export const models = Object.values(Prisma.ModelName).filter(
  (name): name is Model => !notCopied.includes(name),
);

/** The primary keys of models without an `id`. */
export const keys: Partial<Record<Model, readonly string[]>> = {
  LinkPixel: ['linkId', 'pixelId'],
  LinkCounter: ['linkId'],
  AccountTally: ['accountId', 'slot'],
  LinkHour: ['linkId', 'hour'],
  LinkDay: ['linkId', 'day'],
  LinkDayValue: ['linkId', 'kind', 'day', 'valueId'],
  LinkMonthValue: ['linkId', 'kind', 'month', 'valueId'],
  AccountHour: ['accountId', 'hour'],
  AccountDay: ['accountId', 'day'],
  AccountDayValue: ['accountId', 'kind', 'day', 'valueId'],
  AccountMonthValue: ['accountId', 'kind', 'month', 'valueId'],
  WebhookQueue: ['webhookId'],
  LogReader: ['name'],
  RetentionClock: ['name'],
};

type Row = Record<string, unknown>;

export async function readNumber(db: Transaction, expression: Sql): Promise<number> {
  const [number = 0] = await readNumbers(db, [expression]);
  return number;
}

export async function countOf(db: Transaction, model: Model): Promise<number> {
  return readNumber(db, sql`(SELECT COUNT(*) FROM ${name(model)})`);
}

/** All rows of a table in the order of its key, in batches. */
export async function* rowsOf(db: Transaction, model: Model): AsyncGenerator<Row[]> {
  const columns = keys[model] ?? ['id'];
  const key = join(columns.map(name));
  let after: Sql = empty;
  for (;;) {
    const rows = await db.prisma.$queryRaw<Row[]>(
      sql`SELECT * FROM ${name(model)} ${after} ORDER BY ${key} LIMIT ${BATCH_SIZE}`,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = sql`WHERE (${key}) > (${join(columns.map((column) => last[column]))})`;
  }
}

/** Equal for tables with equal contents, on either database. */
export async function checksumOf(db: Transaction, model: Model): Promise<string> {
  const hash = createHash('sha256');
  for await (const rows of rowsOf(db, model))
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

/** The largest id that a table ever assigned, also if the row was deleted; 0 if none. */
export async function lastIdOf(db: Transaction, model: Model): Promise<number> {
  return readNumber(
    db,
    db.database.provider === 'sqlite'
      ? sql`(SELECT seq FROM sqlite_sequence WHERE name = ${model})`
      : sql`pg_sequence_last_value(pg_get_serial_sequence(${`"${model}"`}, 'id')::regclass)`,
  );
}

export async function setNextId(db: Transaction, model: Model, id: number): Promise<void> {
  if (id === 0) return;
  if (db.database.provider === 'postgresql') {
    await db.prisma.$queryRaw(sql`SELECT setval(pg_get_serial_sequence(${`"${model}"`}, 'id'), ${id})::text`);
    return;
  }
  await db.prisma.$executeRaw(sql`DELETE FROM sqlite_sequence WHERE name = ${model}`);
  await db.prisma.$executeRaw(sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${model}, ${id})`);
}

/** The part of Prisma's delegates that a copy needs. */
interface Table {
  createMany(args: { data: Row[] }): Promise<unknown>;
}

function tableOf(db: Transaction, model: Model): Table {
  // The client has a property for each model; TypeScript cannot follow that through the name.
  return (db.prisma as unknown as Record<string, Table>)[
    model.charAt(0).toLowerCase() + model.slice(1)
  ] as Table;
}

/** The largest value of PostgreSQL's integer columns, except bigint ones. */
const MAX_INTEGER = 2_147_483_647;

/** The columns of a table that hold no larger value: none on SQLite. */
export async function narrowColumns(db: Transaction, model: Model): Promise<ReadonlySet<string>> {
  if (db.database.provider === 'sqlite') return new Set();
  const columns = await db.prisma.$queryRaw<{ name: string }[]>(
    sql`SELECT "attname"::text AS "name" FROM pg_attribute WHERE "attrelid" = ${`"${model}"`}::regclass AND "atttypid" = 'integer'::regtype`,
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
  const numberOf = (value: unknown) =>
    typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, numberOf(value)]));
}

/** @throws OperatorError that names a row that the target cannot hold */
export async function insert(
  target: Transaction,
  model: Model,
  rows: Row[],
  narrow: ReadonlySet<string>,
): Promise<void> {
  const named = (row: Row) => (keys[model] ?? ['id']).map((column) => `${column} ${row[column]}`).join(', ');
  for (const row of rows) {
    const unfit = unfitColumn(row, narrow);
    if (unfit !== null)
      throw new OperatorError(
        `The table ${model} has a row that cannot be copied (${named(row)}): ${unfit}.`,
      );
  }
  const table = tableOf(target, model);
  await table.createMany({ data: rows.map(withNumbers) }).catch((error: unknown) => {
    const [first, last] = [rows.at(0), rows.at(-1)];
    const which = first && last ? `from ${named(first)} to ${named(last)}` : 'none';
    throw new Error(`rows of the table ${model} (${which}) cannot be copied: ${oneLine(error)}`);
  });
}
