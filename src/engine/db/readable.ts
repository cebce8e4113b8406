import { OperatorError } from '../tools/operator-error.ts';
import type { Database } from './database.ts';
import { sql } from './sql.ts';

/** The names of the migrations that the database does not have yet, oldest first. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const { provider, schema, product } = database;
  const ask = (statement: string, ...values: string[]) =>
    database.read<{ name: string }>(sql(statement.split('$1'), ...values));
  return (await product.migrations.readState(provider, schema, ask)).pending;
}

/** @throws if the database cannot be read, lacks migrations, or is not the one any more that was opened */
export async function requireReadable(db: Database): Promise<void> {
  await db.requireOpened?.();
  const { length } = await pendingMigrations(db);
  if (length > 0) throw new OperatorError(`The database lacks ${length} of this version's migrations.`);
}
