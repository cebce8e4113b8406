import { flushCompileCache } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import type { ClickBuffer } from '../../clicks/click-buffer.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../engine/db/sql.ts';
import { openAssets } from '../../engine/http/pages/assets.ts';
import { allLoadedLater } from '../../engine/tools/loaded-later.ts';

interface Loading {
  readonly databases: readonly Database[];
  readonly clicks: Pick<ClickBuffer, 'load'>;
  isStopping(): boolean;
}

/**
 * Loads what the start leaves out, since the first requests need none of it. Later, the process needs no file of the build:
 * another one may replace it. Requests are answered between the parts.
 */
export async function loadRest({ databases, clicks, isStopping }: Loading): Promise<void> {
  const parts: (() => unknown)[] = [
    // The compiler of Prisma's client, and on SQLite the threads.
    ...databases.flatMap((one) => [() => one.prisma.$connect(), () => one.long.read(sql`SELECT 1`)]),
    () => clicks.load(),
    openAssets,
    ...allLoadedLater,
    flushCompileCache,
  ];
  for (const load of parts) {
    await setImmediate();
    if (isStopping()) return;
    await load();
  }
}
