import { applyMigrations } from '../../db/apply-migrations.ts';
import { copied } from '../../db/copied.ts';
import { Database } from '../../db/database.ts';
import { migrations } from '../../db/migrations.ts';
import { copyAll, type Progress } from '../../engine/db/copy.ts';
import { withHints } from '../../engine/db/error-hints.ts';
import { isListenedTo } from '../../engine/db/postgresql/notifications.ts';
import { fileExists, isOpenElsewhere, isSameFile, parseFilePath } from '../../engine/db/sqlite/file.ts';
import {
  DATABASE_URLS,
  findProvider,
  isDatabaseUrl,
  isUnexpandedFile,
  namesOneSchema,
  ONE_SCHEMA,
  UNEXPANDED_FILE,
} from '../../engine/db/url.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { command, type Io, UsageError } from './command.ts';
import { progressBar } from './terminal.ts';

const help = `Usage: npm run copy -- --from URL --to URL

Copies everything from one database into another, empty one, in either direction between SQLite (file:PATH) and
PostgreSQL (postgresql://USER:PASSWORD@HOST:PORT/NAME): ids, hashes of secrets, times and clicks included. The source is
read consistently. The target is written completely or not at all, and compared at the end. Stop the service first:
anything it writes meanwhile is not copied.

  --json  prints JSON instead of text`;

function requireUrl(option: string, url: string | undefined): string {
  if (url === undefined) throw new UsageError(`Name the databases: --${option} URL is missing.`);
  if (!isDatabaseUrl(url)) throw new UsageError(`--${option} may be ${DATABASE_URLS}.`);
  if (isUnexpandedFile(url)) throw new UsageError(`--${option} may be ${UNEXPANDED_FILE}.`);
  if (!namesOneSchema(url)) throw new UsageError(`--${option} may be ${ONE_SCHEMA}.`);
  return url;
}

/** A progress bar for each table on a terminal; else nothing. */
function bars({ stderr }: Io): { progress: Progress; stop(): void } {
  const bar = progressBar(stderr, '{table} {bar} {value}/{total}');
  let shown = '';
  return {
    progress(table, copied, total) {
      if (table !== shown) {
        if (shown !== '') bar.stop();
        bar.start(total, copied, { table: table.padEnd(10) });
        shown = table;
      } else bar.update(copied);
    },
    stop: () => bar.stop(),
  };
}

const options = { from: { type: 'string' }, to: { type: 'string' } } as const;

export const main = command(
  { help, options, urls: ({ from, to }) => [from, to], note: () => '' },
  async ({ values, io, show }) => {
    const [from, to] = [requireUrl('from', values.from), requireUrl('to', values.to)];
    if (findProvider(from) === 'sqlite' && !fileExists(from))
      throw new UsageError(`There is no file ${parseFilePath(from)}.`);
    const areFiles = [from, to].every((url) => findProvider(url) === 'sqlite');
    if (from === to || (areFiles && isSameFile(parseFilePath(from), parseFilePath(to))))
      throw new UsageError('--from and --to are the same database.');
    if ((await withHints('--from', from, (url) => migrations.stateAt(url))).pending.length > 0)
      throw new OperatorError('The source lacks migrations: run "npm run migrate" on it first.');
    if (findProvider(from) === 'sqlite' ? isOpenElsewhere(from) : await isListenedTo(from))
      io.stderr.write(
        'The source is in use, probably by the service. Stop it first: what it writes from now on is not copied.\n',
      );
    await withHints('--to', to, applyMigrations);
    const { lacking } = await withHints('--to', to, (url) => migrations.stateAt(url));
    if (lacking !== null) io.stderr.write(`The target ${lacking}.\n`);
    const [source, target] = [
      await withHints('--from', from, (url) => Database.open(url)),
      await withHints('--to', to, (url) => Database.open(url)),
    ];
    const { progress, stop } = bars(io);
    const totals = new Map<string, number>();
    try {
      await copyAll(source, target, copied, (table, done, total) => {
        totals.set(table, total);
        progress(table, done, total);
      });
    } finally {
      stop();
      await Promise.all([source.close(), target.close()]);
    }
    const rows = [...totals].map(([table, total]) => `  ${table}: ${total}`);
    show(
      { copied: Object.fromEntries(totals) },
      `Copied, and found the same on both sides:\n${rows.join('\n')}`,
    );
  },
);
