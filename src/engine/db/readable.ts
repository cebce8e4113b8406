import { OperatorError } from '../tools/operator-error.ts';
import type { Database } from './database.ts';

/** The names of the migrations that the database does not have yet, oldest first. */
export async function pendingMigrations({ prisma, provider, schema, product }: Database): Promise<string[]> {
  return (await product.migrations.readState(provider, schema, prisma.$queryRawUnsafe.bind(prisma))).pending;
}

/** @throws if the database cannot be read, lacks migrations, or is not the one any more that was opened */
export async function requireReadable(db: Database): Promise<void> {
  await db.requireOpened?.();
  const { length } = await pendingMigrations(db);
  if (length > 0) throw new OperatorError(`The database lacks ${length} of this version's migrations.`);
}
