import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { makeFolder } from '../tools/make-folder.ts';
import { OperatorError } from '../tools/operator-error.ts';
import { withoutSecrets } from '../tools/secrets.ts';
import { A_MINUTE, BACKUP } from './backup-time.ts';
import { fileExists, isSameFile, LOCK_TIMEOUT, openFile, parseFilePath } from './sqlite/file.ts';
import { beginTimeline } from './timeline.ts';

/** The SQLite application id of our backups. */
const MARK = 0x4c73426b;

/** True if the file is one of our backups, which may be replaced. */
function isBackup(path: string): boolean {
  try {
    const file = new Sqlite(path, { readonly: true });
    const mark = file.pragma('application_id', { simple: true });
    file.close();
    return mark === MARK;
  } catch {
    return false;
  }
}

/**
 * Makes a restored backup a database like any other, which no backup may replace. Its log begins a new epoch and a new timeline,
 * so that positions from after the backup, or from another restore of it, are none of its own. Call it before the file is served.
 */
export function unmark(url: string): void {
  if (!isBackup(parseFilePath(url))) return;
  const file = openFile(url);
  const makeUsual = file.transaction(() => {
    const hasLog = file.prepare(`SELECT 1 FROM sqlite_master WHERE "name" = 'Revision'`).get();
    if (hasLog) {
      file.exec(`UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'changes'`);
      file.exec(beginTimeline('REPLACE'));
    }
    file.pragma('application_id = 0');
  });
  makeUsual.immediate();
  file.close();
}

/** Returns the start time of a process, in ticks since the machine booted; '' if the system does not tell. */
function readStartTime(pid: number): string {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may have any characters.
    return state.slice(state.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Returns true if another process of this host has the id, and the start time, if one is given. */
function runs(pid: number, startTime: string): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user may not be signalled.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startTime === '' || startTime === readStartTime(pid);
}

const host = encodeURIComponent(hostname());

/** The name of a copy that this process writes. */
function partialName(target: string): string {
  return `.${target}.partial.${host}.${process.pid}.${readStartTime(process.pid)}`;
}

/** Notes the time of a backup in the database, for the metrics. A database that cannot be written is backed up, too. */
function noteBackup(source: Sqlite.Database, now: Date): void {
  try {
    source
      .prepare('INSERT OR REPLACE INTO "Revision" ("topic", "number") VALUES (?, ?)')
      .run(BACKUP, Math.floor(now.getTime() / A_MINUTE));
  } catch {
    // It is older then, as the metrics say.
  }
}

/** The backups of a program, by whose name the dated ones are known. */
export class Backups {
  readonly #program: string;
  readonly #dated: RegExp;

  constructor(program: string) {
    this.#program = program;
    this.#dated = new RegExp(`^${program.toLowerCase()}-\\d{8}T\\d{6}Z\\.db$`);
  }

  /** The file name of a backup made at `now`; names sort by time. */
  datedName(now: Date): string {
    return `${this.#program.toLowerCase()}-${now.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z.db`;
  }

  /** Returns true for an incomplete copy whose process ran on this host and has ended. */
  #isAbandoned(name: string, target: string): boolean {
    const [, by, pid, startTime = ''] = /^\..+\.partial\.(.+)\.(\d+)\.(\d*)(?:-journal)?$/.exec(name) ?? [];
    if (pid !== undefined) return by === host && !runs(Number(pid), startTime);
    // As earlier versions name them.
    const [, of = '', old] = /^\.(.+)\.(\d+)(?:-journal)?$/.exec(name) ?? [];
    return old !== undefined && (of === target || this.#dated.test(of)) && !runs(Number(old), '');
  }

  /**
   * Writes a consistent copy of the SQLite database at `url` to a file, without blocking other readers and writers. An
   * earlier backup in that file is replaced when the new one is complete; any other file is refused. Before, copies in the
   * folder that killed processes of this host have left are removed.
   * @throws OperatorError
   */
  backUp(url: string, target: string): void {
    if (!fileExists(url)) throw new OperatorError(`There is no file ${withoutSecrets(parseFilePath(url))}.`);
    if (existsSync(target)) {
      if (isSameFile(target, parseFilePath(url)))
        throw new OperatorError(`${target} is the database itself.`);
      if (!isBackup(target))
        throw new OperatorError(`${target} already exists, and is not a backup of ${this.#program}.`);
    }
    const folder = dirname(target);
    makeFolder(folder);
    for (const name of readdirSync(folder))
      if (this.#isAbandoned(name, basename(target))) rmSync(join(folder, name), { force: true });
    const partial = join(folder, partialName(basename(target)));
    const source = new Sqlite(parseFilePath(url), { timeout: LOCK_TIMEOUT });
    try {
      // SQLite writes into an empty file, and keeps its mode: nobody else may read the copy, not even a part of it.
      closeSync(openSync(partial, 'wx', 0o600));
      source.prepare('VACUUM INTO ?').run(partial);
      const copy = new Sqlite(partial);
      copy.pragma(`application_id = ${MARK}`);
      copy.close();
      renameSync(partial, target);
      noteBackup(source, new Date());
    } finally {
      source.close();
      rmSync(partial, { force: true });
    }
  }

  /**
   * Deletes all but the newest `count` dated backups in a folder; returns the names of the deleted files.
   * @param url the database, which is never deleted
   */
  keepNewest(folder: string, count: number, url: string): string[] {
    const isDeletable = (path: string) => isBackup(path) && !isSameFile(path, parseFilePath(url));
    const dated = readdirSync(folder)
      .filter((name) => this.#dated.test(name) && isDeletable(join(folder, name)))
      .sort();
    const old = dated.slice(0, Math.max(0, dated.length - count));
    for (const name of old) rmSync(join(folder, name));
    return old;
  }
}
