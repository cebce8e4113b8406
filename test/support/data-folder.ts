import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** All databases of a run take less than half of it. */
const NEEDED = 4_000_000_000;

/**
 * Makes a temporary folder for databases, in memory where there is much: a disk may take longer for a new database's hundreds of files
 * than its test does for all else.
 */
export function makeDataFolder(prefix: string): string {
  const memory = existsSync(MEMORY) ? statfsSync(MEMORY) : null;
  const isEnough = memory !== null && memory.bavail * memory.bsize > NEEDED;
  return mkdtempSync(join(isEnough ? MEMORY : tmpdir(), prefix));
}
