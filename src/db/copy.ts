import { OperatorError } from '../operator-error.ts';
import { analyze } from './analyze.ts';
import {
  checksumOf,
  countOf,
  insert,
  keys,
  lastIdOf,
  type Model,
  models,
  narrowColumns,
  readNumber,
  rowsOf,
  setNextId,
} from './copy-table.ts';
import type { Database, Transaction } from './database.ts';
import { name, raw, sql } from './sql.ts';

/** Practically no limit: a copy is one transaction on either side. */
const COPY_OPTIONS = { retries: false, maxWait: 10_000, timeout: 24 * 60 * 60 * 1000 };

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
    (source) => to.transaction((target) => copyAll(source, target, progress), COPY_OPTIONS),
    reading,
  );
  await analyze(to, models);
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
