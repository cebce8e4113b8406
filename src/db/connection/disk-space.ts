import { rm, writeFile } from 'node:fs/promises';
import type { Database } from './client.ts';
import { isForbidden } from './errors.ts';
import { pathOf } from './sqlite-file.ts';

/** The size of a few links, in bytes. */
const SIZE = 65_536;

/** A new table has only new pages, which need space on the disk of the database's tables; existing tables may have free pages. */
const WRITE_NEW_TABLE = `DO $$ BEGIN
  PERFORM set_config('temp_tablespaces', '', true);
  CREATE TEMPORARY TABLE "linkspace_space" ("number" integer) ON COMMIT DROP;
  INSERT INTO "linkspace_space" SELECT * FROM generate_series(1, ${SIZE / 32});
END $$`;

/**
 * Writes temporary data and removes it: that needs space on the disk, but waits for no other write. Without
 * the right to create temporary tables on PostgreSQL, it does nothing.
 * @throws Error if there is no space, or the disk or the server is read-only
 */
export async function trySpace({ provider, url, client }: Database): Promise<void> {
  if (provider === 'postgresql') {
    await client.$executeRawUnsafe(WRITE_NEW_TABLE).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
    });
    return;
  }
  if (pathOf(url) === ':memory:') return;
  const file = `${pathOf(url)}-space`;
  try {
    await writeFile(file, Buffer.alloc(SIZE), { mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}
