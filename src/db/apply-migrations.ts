import { applyAll, type MigrationOptions } from '../engine/db/migrate.ts';
import { migrations } from './migrations.ts';

/**
 * Applies the pending migrations to the database at `url`, and returns their names.
 * @throws PoolerBetween, before anything is changed
 */
export function applyMigrations(url: string, options?: MigrationOptions): Promise<string[]> {
  return applyAll(migrations, url, options);
}
