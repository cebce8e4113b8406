import Sqlite from 'better-sqlite3';
import type { Database } from '../../src/db/database.ts';
import { name, raw, sql } from '../../src/engine/db/sql.ts';
import { parseFilePath } from '../../src/engine/db/sqlite/file.ts';
import { Prisma } from '../../src/generated/sqlite/client.ts';

/** Numbers of rows that one transaction wrote: links, and all other tables, with those of triggers and cascades. */
export interface Written {
  readonly links: number;
  readonly others: number;
}

const TABLES = Object.values(Prisma.ModelName);
const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const;

interface Row {
  readonly tx: number;
  readonly table: string;
  readonly rows: number;
}

function perTransaction(rows: readonly Row[]): Written[] {
  const sum = (some: readonly Row[]) => some.reduce((all, one) => all + Number(one.rows), 0);
  return [...Map.groupBy(rows, ({ tx }) => tx).values()].map((ofOne) => ({
    links: sum(ofOne.filter(({ table }) => table === 'Link')),
    others: sum(ofOne.filter(({ table }) => table !== 'Link')),
  }));
}

/** Counts the rows that transactions write, by triggers on all tables. */
export interface RowsWritten {
  /** The rows of each transaction since the last call. */
  take(): Promise<Written[]>;
  close(): void;
}

/** PostgreSQL knows the number of each transaction. */
async function watchPostgresql(database: Database): Promise<RowsWritten> {
  await database.execute(sql`CREATE TABLE "RowsWritten" ("tx" BIGINT, "table" TEXT, "rows" BIGINT)`);
  await database.execute(sql`CREATE FUNCTION "count_rows"() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO "RowsWritten" SELECT txid_current(), TG_TABLE_NAME, COUNT(*) FROM "rows" HAVING COUNT(*) > 0;
      RETURN NULL;
    END $$`);
  for (const table of TABLES)
    for (const event of EVENTS)
      await database.execute(sql`CREATE TRIGGER ${name(`count_${event}`)} AFTER ${raw(event)} ON ${name(table)}
        REFERENCING ${raw(event === 'DELETE' ? 'OLD' : 'NEW')} TABLE AS "rows"
        FOR EACH STATEMENT EXECUTE FUNCTION "count_rows"()`);
  return {
    async take() {
      const rows = await database.read<Row>(sql`DELETE FROM "RowsWritten" RETURNING "tx", "table", "rows"`);
      return perTransaction(rows);
    },
    close() {},
  };
}

/** On SQLite, what is committed is read after each transaction; statements of their own between two count as one. */
async function watchSqlite(database: Database): Promise<RowsWritten> {
  await database.execute(
    sql`CREATE TABLE "RowsWritten" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "table" TEXT)`,
  );
  for (const table of TABLES)
    for (const event of EVENTS)
      await database.execute(sql`CREATE TRIGGER ${name(`count_${event}_${table}`)} AFTER ${raw(event)} ON ${name(table)}
        BEGIN INSERT INTO "RowsWritten" ("table") VALUES (${raw(`'${table}'`)}); END`);
  const beside = new Sqlite(parseFilePath(database.url), { readonly: true });
  const next = beside.prepare<[number], { id: number; table: string }>(
    'SELECT "id", "table" FROM "RowsWritten" WHERE "id" > ?',
  );
  const rows: Row[] = [];
  let [last, transactions] = [0, 0];
  const note = () => {
    transactions++;
    for (const { id, table } of next.iterate(last)) {
      rows.push({ tx: transactions, table, rows: 1 });
      last = id;
    }
  };
  const { writes } = database;
  const ask = writes.ask.bind(writes);
  writes.ask = async (question) => {
    note();
    return ask(question).finally(note);
  };
  return {
    async take() {
      note();
      return perTransaction(rows.splice(0));
    },
    close: () => void beside.close(),
  };
}

export function watchRows(database: Database): Promise<RowsWritten> {
  return database.dialect.runsInProcess ? watchSqlite(database) : watchPostgresql(database);
}
