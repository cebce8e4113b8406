import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import type { DefaultPrivacy } from '../../domain/link/privacy.ts';
import { DocumentChecks } from '../../domain/operation/checks.ts';
import { normalizeDomainName } from '../../domain/short-domain/host.ts';
import { WrongFile } from '../../domain/transfer/csv.ts';
import { type ImportFormat, importFormats } from '../../domain/transfer/formats.ts';
import { Import, type ImportOptions, type ImportReport } from '../../domain/transfer/import.ts';
import { inWords, type LineMessage } from '../../domain/transfer/report.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { printable } from '../../engine/tools/printable.ts';
import { readOperatorFiles } from '../operator-files.ts';
import { command, type Io, UsageError } from './command.ts';
import { accountNamed, servicesIn, withDatabase } from './database.ts';
import { openSource, type Source } from './import-file.ts';
import { counted, progressBar } from './terminal.ts';

const formats = Object.keys(importFormats);
/** The tables that imports fill. */
const FILLED = ['Link', 'LinkCounter', 'LinkTag', 'Space', 'Tag', 'Change'];

const choices = ['skip', 'suffix', 'fail'] as const;

const privacies = { public: 'PUBLIC', private: 'PRIVATE' } as const satisfies Record<string, DefaultPrivacy>;

const help = `Usage: npm run import -- --format FORMAT --file FILE --account NAME

Imports links from an export: ${formats.join(', ')}.
"csv" is this service's own export. A file may be CSV or JSON. The alias, the destination, the title, the time of creation and the
clicks are kept; folders become spaces, and tags become tags. Existing links stay as they are, so that a stopped import can be
repeated. Lines that cannot be imported are printed, and do not affect the others.

  --map-domain  FROM=TO: links of the host FROM go to the domain TO of the account; may be repeated. Links of other
                hosts go to the account's domain of that name, or else to the default domain
  --on-taken    what to do if another link has the alias: skip (default) leaves the line out, suffix adds -2, -3 …,
                fail stops there
  --privacy     who sees the statistics of new links for which the file does not say it: public (default), everybody;
                private, the account
  --dry-run     prints the same messages, and writes nothing
  --json        prints JSON instead of text`;

/** Makes Ctrl-C stop the command after the current batch. */
function stopOnInterrupt(io: Io): { isStopped(): boolean; end(): void } {
  let stopped = false;
  const end = () => void io.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  const interrupt = () => {
    stopped = true;
    // A second Ctrl-C ends the process at once: the database rolls the open batch back.
    end();
  };
  io.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return { isStopped: () => stopped, end };
}

function parseMapping(pairs: readonly string[]): Map<string, string> {
  return new Map(
    pairs.map((pair) => {
      const [from = '', to = '', ...rest] = pair
        .split('=')
        .map((host) => normalizeDomainName(host.trim()) ?? '');
      if (from === '' || to === '' || rest.length > 0)
        throw new UsageError(`--map-domain is "${pair}"; it may be FROM=TO, both hosts.`);
      return [from, to];
    }),
  );
}

function isFormat(format: string | undefined): format is ImportFormat {
  return format !== undefined && Object.hasOwn(importFormats, format);
}

function inText(message: LineMessage, unit: string): string {
  return `${unit} ${message.line}: ${inWords(message)}${message.taken ? '' : ' (not imported)'}`;
}

function summary(report: ImportReport, dryRun: boolean): string {
  const { lines, created, existing, refused, withoutLinks, movedFrom, movedTo, unusedColumns } = report;
  const made = `${counted(created, 'link')} ${dryRun ? 'would be made' : 'made'}`;
  const read = [made, `${existing} there already`, `${refused} not imported`];
  if (withoutLinks > 0)
    read.push(`${withoutLinks} only of spaces, tags, pixels, domains, saved operations or saved views`);
  const named = (['space', 'tag', 'pixel', 'domain'] as const).map((what) =>
    counted(report[`${what}s`], what),
  );
  if (report.operations > 0) named.push(counted(report.operations, 'saved operation'));
  if (report.views > 0) named.push(counted(report.views, 'saved view'));
  return [
    `${dryRun ? 'Dry run, nothing is written. ' : ''}${lines} read: ${read.join(', ')}.`,
    `New with them: ${named.join(', ')}.`,
    ...Object.entries(movedFrom).map(
      ([host, links]) =>
        `${host} is no domain of this account: ${counted(links, 'new link')} of it ${links === 1 ? 'is' : 'are'} on ${movedTo}.` +
        ` For another domain: --map-domain ${host}=HOST`,
    ),
    ...(unusedColumns.length > 0
      ? [`Columns that were left out: ${unusedColumns.map((name) => `"${name}"`).join(', ')}.`]
      : []),
    ...(report.stopped ? ['Stopped. Run the same command again to go on.'] : []),
  ].join('\n');
}

/** Prints messages immediately, so that a hundred thousand of them need no memory. */
function printer(json: boolean, source: Source, io: Io, print: (text: string) => void) {
  let messages = 0;
  return {
    onMessage(message: LineMessage) {
      if (!json) return print(inText(message, source.unit));
      io.stdout.write(`${messages++ === 0 ? '{"told":[' : ','}\n${printable(JSON.stringify(message))}`);
    },
    end(report: ImportReport, dryRun: boolean) {
      if (!json) return print(summary(report, dryRun));
      const { length } = '{';
      print(`${messages === 0 ? '{"told":[' : ''}],${JSON.stringify({ dryRun, ...report }).slice(length)}`);
    },
  };
}

const options = {
  format: { type: 'string' },
  file: { type: 'string' },
  account: { type: 'string' },
  'map-domain': { type: 'string', multiple: true },
  'on-taken': { type: 'string', default: 'skip' },
  privacy: { type: 'string', default: 'public' },
  'dry-run': { type: 'boolean', default: false },
} as const;

export const main = command({ help, options }, async ({ values, config, io, print }) => {
  // As in npm start: the garbage of each batch would make the heap grow to several times its live size.
  if (io === process)
    for (const flag of ['--heap-growing-percent=50', '--compact-on-every-full-gc']) setFlagsFromString(flag);
  const { format, file, account, json } = values;
  if (!isFormat(format))
    throw new UsageError(
      `${format === undefined ? '--format is missing' : `--format is "${format}"`}; it may be ${formats.join(', ')}.`,
    );
  if (file === undefined) throw new UsageError('Name the file: --file FILE.');
  if (account === undefined) throw new UsageError('Name the account: --account NAME.');
  const onTaken = choices.find((one) => one === values['on-taken']);
  if (onTaken === undefined)
    throw new UsageError(`--on-taken is "${values['on-taken']}"; it may be ${choices.join(', ')}.`);
  const privacy = Object.entries(privacies).find(([name]) => name === values.privacy)?.[1];
  if (privacy === undefined)
    throw new UsageError(`--privacy is "${values.privacy}"; it may be ${Object.keys(privacies).join(', ')}.`);
  const dryRun = values['dry-run'];
  const options: ImportOptions = {
    format,
    mapDomain: parseMapping(values['map-domain'] ?? []),
    onTaken,
    privacy,
    dryRun,
    // Most files have none, and loading the schema takes a while.
    async loadChecks() {
      const { makeDocumentCheck } = await import('../document-check.ts');
      return new DocumentChecks(makeDocumentCheck(config.graphiql));
    },
  };
  const quiet = {
    info() {},
    warn: (what: object, message: string) => void io.stderr.write(printable(`${message} ${inspect(what)}\n`)),
  };
  const { lists } = await readOperatorFiles(config, quiet);
  return withDatabase(config, async (db) => {
    const writer = await accountNamed(db, account);
    const services = await servicesIn(db, config, lists);
    const source = await openSource(file, format);
    const interruption = stopOnInterrupt(io);
    const bar = progressBar(io.stderr, '{bar} {percentage}% {lines} lines');
    const { onMessage, end } = printer(json, source, io, print);
    const hooks = {
      onMessage,
      onProgress: (lines: number) => bar.update(source.read(), { lines }),
      isStopped: interruption.isStopped,
    };
    const work = new Import(db, writer, services, options, hooks, new Date());
    const missing = await work.start();
    if (missing.length > 0)
      throw new OperatorError(`The account may not use the domain ${missing.join(', ')}: add it first.`);
    bar.start(Math.max(1, source.size), 0, { lines: 0 });
    let report: ImportReport;
    try {
      report = await work.run(source.lines);
      if (!dryRun) await db.database.analyze(FILLED);
    } catch (error) {
      throw error instanceof WrongFile ? new OperatorError(error.message) : error;
    } finally {
      bar.stop();
      interruption.end();
    }
    end(report, dryRun);
    const before = dryRun ? 'nothing is written' : 'what stands before it is imported';
    if (report.failedAt !== null)
      throw new OperatorError(
        `Stopped at ${source.unit} ${report.failedAt}, whose alias is taken; ${before}.`,
      );
    if (report.error !== null) throw new OperatorError(`${report.error}; ${before}.`);
    return report.stopped ? 130 : 0;
  });
});
