import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backups } from '../../db/backups.ts';
import { parseFilePath } from '../../engine/db/sqlite/file.ts';
import { findProvider, isUnexpanded, UNEXPANDED } from '../../engine/db/url.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { hasTerminal } from './ask.ts';
import { command, UsageError } from './command.ts';

const help = `Usage: npm run backup -- [--to FILE] [--keep N]

Writes a consistent copy of the SQLite database to a file, while the service runs. To restore it, stop the service,
replace the database with the copy, and remove the files beside it whose names end with -wal and -shm.

  --to    a file, or an existing folder; an earlier backup of the same name is replaced.
          Default: the folder "backups" beside the database.
          In a folder, the name contains the date: linkspace-20270131T120000Z.db
  --keep  deletes all but the newest N of the dated backups in that folder
  --json  prints JSON instead of text

With SIDE_EFFECTS=off, only a person at a terminal makes one: a scheduled one does nothing.

For PostgreSQL, use pg_dump.`;

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

const options = { to: { type: 'string' }, keep: { type: 'string' } } as const;

export const main = command({ help, options }, async ({ values, config, io, show }) => {
  const { databaseUrl: url } = config;
  const { to, keep } = values;
  if (keep !== undefined && !/^[1-9]\d{0,5}$/.test(keep))
    throw new UsageError(`--keep is "${keep}"; it may be a whole number from 1 to 999999.`);
  if (to !== undefined && isUnexpanded(to)) throw new UsageError(`--to is "${to}"; it may be ${UNEXPANDED}.`);
  if (to !== undefined && /(^|[/\\])$/.test(to) && !isFolder(to))
    throw new UsageError(`--to is "${to}"; it may be a file, or an existing folder.`);
  if (findProvider(url) !== 'sqlite')
    throw new OperatorError(
      'This backs up SQLite. For PostgreSQL, use pg_dump: pg_dump --format=custom --file=FILE "$DATABASE_URL"',
    );
  // A copy has the schedule of its original, whose backups it would replace.
  if (!config.sideEffects && !hasTerminal(io))
    return show({ backup: null, deleted: [] }, 'No backup is made: SIDE_EFFECTS is off.');
  const folder = to === undefined ? join(dirname(parseFilePath(url)), 'backups') : isFolder(to) ? to : null;
  if (folder === null && keep !== undefined)
    throw new UsageError('--keep is for dated backups: name a folder with --to, or leave --to out.');
  const target = folder === null ? (to ?? '') : join(folder, backups.datedName(new Date()));
  backups.backUp(url, target);
  const deleted = folder === null || keep === undefined ? [] : backups.keepNewest(folder, Number(keep), url);
  const gone = deleted.map((name) => `  ${name}`).join('\n');
  show({ backup: target, deleted }, `Backed up to ${target}.${gone && `\nDeleted:\n${gone}`}`);
});
