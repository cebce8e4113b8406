import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations } from '../db/apply-migrations.ts';

// SQLite files for tests. A process migrates one file, keeps it in memory, and writes it for each server, to a folder that goes with
// the server. A killed process cannot delete its folders: the next process does, by the id in their names.

/** Beginning of the folders' names on this machine. Containers may share the folder for temporary files, but not their ids. */
const PREFIX = `linkspace-testing-${hostname().replaceAll(/[^\w.]/g, '_')}-`;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of somebody else is running, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Deletes a folder, unless it belongs to somebody else. */
function deleteFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It stays for those who may delete it.
  }
}

/** Deletes the folders of processes that were killed. */
function deleteAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = name.startsWith(PREFIX) ? (/^(\d+)-/.exec(name.slice(PREFIX.length)) ?? []) : [];
    if (pid !== undefined && !isRunning(Number(pid))) deleteFolder(join(tmpdir(), name));
  }
}

/** The folders of this process. */
const folders = new Set<string>();
process.once('exit', () => folders.forEach(deleteFolder));

/** A new folder, and a function that deletes it. */
function makeFolder(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  folders.add(folder);
  const remove = () => {
    deleteFolder(folder);
    folders.delete(folder);
  };
  return { folder, remove };
}

/** Migrates an empty file, and returns it. */
async function makeTemplate(): Promise<Buffer> {
  deleteAbandoned();
  const { folder, remove } = makeFolder();
  try {
    const file = join(folder, 'template.db');
    await applyMigrations(`file:${file}`);
    return readFileSync(file);
  } finally {
    remove();
  }
}

let template: Promise<Buffer> | undefined;

/** A new migrated SQLite file, and a function that deletes it. */
export async function temporaryDatabase(): Promise<{ readonly url: string; remove(): void }> {
  template ??= makeTemplate();
  const content = await template;
  const { folder, remove } = makeFolder();
  const file = join(folder, 'linkspace.db');
  writeFileSync(file, content);
  return { url: `file:${file}`, remove };
}
