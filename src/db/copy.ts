import { createHash } from 'node:crypto';
import { Prisma } from '../generated/sqlite/client.ts';
import { OperatorError } from '../operator-error.ts';
import { oneLine } from '../shared/one-line.ts';
import type { Database, Transaction } from './database.ts';
import { qualified, quoted } from './postgresql/schema.ts';
import { readNumbers } from './reading/keyset.ts';
import { empty, join, name, raw, type Sql, sql } from './sql.ts';

const BATCH_SIZE = 500;

/** In the order of the models, in which each model refers only to earlier ones. */
type Model = Exclude<Prisma.ModelName, (typeof notCopied)[number]>;

/**
 * Not copied. Revisions tell running processes about changes in their own database; they are not user data. Salts and
 * visitors exist for the current day only. People sign in again.
 */
const notCopied = [
  ...(['Revision', 'AccessChange', 'DaySalt', 'DayVisitor'] as const),
  ...(['Session', 'OneTimeToken', 'SignInGuesses'] as const),
] as const;

export const models = Object.values(Prisma.ModelName).filter(
  (name): name is Model => !notCopied.some((one) => one === name),
);

/** The primary keys of models without an `id`. */
const keys: Partial<Record<Model, readonly string[]>> = {
  LinkPixel: ['linkId', 'pixelId'],
  LinkTag: ['linkId', 'tagId'],
  LinkCounter: ['linkId'],
  AccountTally: ['accountId', 'slot'],
  AccountSecret: ['accountId'],
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

async function readNumber(db: Transaction, expression: Sql): Promise<number> {
  const [number = 0] = await readNumbers(db, [expression]);
  return number;
}

async function countOf(db: Transaction, model: Model): Promise<number> {
  return readNumber(db, sql`(SELECT COUNT(*) FROM ${name(model)})`);
}

/** All rows of a table in the order of its key, in batches. */
async function* rowsOf(db: Transaction, model: Model): AsyncGenerator<Row[]> {
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
async function checksumOf(db: Transaction, model: Model): Promise<string> {
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

/** The name of a table in a text that PostgreSQL reads. */
function tableName({ database }: Transaction, model: Model): string {
  return qualified(quoted(model), database.schema);
}

/** The largest id that a table ever assigned, also if the row was deleted; 0 if none. */
async function lastIdOf(db: Transaction, model: Model): Promise<number> {
  return readNumber(
    db,
    db.database.provider === 'sqlite'
      ? sql`(SELECT seq FROM sqlite_sequence WHERE name = ${model})`
      : sql`pg_sequence_last_value(pg_get_serial_sequence(${tableName(db, model)}, 'id')::regclass)`,
  );
}

async function setNextId(db: Transaction, model: Model, id: number): Promise<void> {
  if (id === 0) return;
  if (db.database.provider === 'postgresql') {
    await db.prisma.$queryRaw(
      sql`SELECT setval(pg_get_serial_sequence(${tableName(db, model)}, 'id'), ${id})::text`,
    );
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
async function narrowColumns(db: Transaction, model: Model): Promise<ReadonlySet<string>> {
  if (db.database.provider === 'sqlite') return new Set();
  const columns = await db.prisma.$queryRaw<{ name: string }[]>(
    sql`SELECT "attname"::text AS "name" FROM pg_attribute WHERE "attrelid" = ${tableName(db, model)}::regclass AND "atttypid" = 'integer'::regtype`,
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
async function insert(
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
 * Runs `work` with our triggers disabled, except those that fill SQLite's search index: triggers would count rows whose
 * totals are copied too, and refuse rows that an earlier version allowed.
 */
async function withoutTriggers(db: Transaction, work: () => Promise<void>): Promise<void> {
  if (db.database.provider === 'postgresql') {
    const set = (model: Model, how: 'ENABLE' | 'DISABLE') =>
      db.prisma.$executeRaw(sql`ALTER TABLE ${name(model)} ${raw(how)} TRIGGER USER`);
    for (const model of models) await set(model, 'DISABLE');
    await work();
    for (const model of models) await set(model, 'ENABLE');
    return;
  }
  // SQLite cannot disable triggers: they are dropped, and created again.
  const triggers = await db.prisma.$queryRaw<{ name: string; sql: string }[]>`
    SELECT "name", "sql" FROM sqlite_master WHERE "type" = 'trigger' AND "name" NOT LIKE 'Link_text_%'`;
  for (const trigger of triggers) await db.prisma.$executeRaw(sql`DROP TRIGGER ${name(trigger.name)}`);
  await work();
  for (const trigger of triggers) await db.prisma.$executeRaw(raw(trigger.sql));
}

/**
 * Copies everything into an empty database with the same migrations, ids, hashes and times included, and compares
 * counts and checksums. It reads from one snapshot, and writes in one transaction.
 * @throws OperatorError
 */
export async function copyDatabase(from: Database, to: Database, progress: Progress): Promise<void> {
  // SQLite has only this level.
  const isolationLevel = from.provider === 'sqlite' ? 'Serializable' : 'RepeatableRead';
  // The two clients take the same levels, but SQLite's type knows only its own.
  const reading = { ...COPY_OPTIONS, isolationLevel: isolationLevel as 'Serializable' };
  await from.transaction(
    (source) =>
      to.transaction(async (target) => {
        const awake = setInterval(() => stayAwake([source, target]), AWAKE_INTERVAL);
        await copyAll(source, target, progress).finally(() => clearInterval(awake));
      }, COPY_OPTIONS),
    reading,
  );
  await to.analyze(models);
}

async function copyAll(source: Transaction, target: Transaction, progress: Progress): Promise<void> {
  for (const model of models)
    if ((await countOf(target, model)) > 0)
      throw new OperatorError(
        `The target is not empty: its table ${model} has rows. Empty it, or name another.`,
      );
  await withoutTriggers(target, async () => {
    for (const model of models) {
      const total = await countOf(source, model);
      let copied = 0;
      const narrow = await narrowColumns(target, model);
      progress(model, copied, total);
      for await (const rows of rowsOf(source, model)) {
        await insert(target, model, rows, narrow);
        copied += rows.length;
        progress(model, copied, total);
      }
      if (!(model in keys)) await setNextId(target, model, await lastIdOf(source, model));
    }
  });
  // The log continues in a new epoch, which comes after all changes of the source.
  const epoch = await readNumber(source, sql`(SELECT "number" FROM "Revision" WHERE "topic" = 'changes')`);
  await target.prisma.$executeRaw`UPDATE "Revision" SET "number" = ${epoch + 1} WHERE "topic" = 'changes'`;
  for (const model of models) {
    const [there, here] = [await countOf(source, model), await countOf(target, model)];
    const same = there === here && (await checksumOf(source, model)) === (await checksumOf(target, model));
    if (!same)
      throw new OperatorError(
        `The table ${model} did not come out the same (${there} rows, ${here} copied).`,
      );
  }
}
