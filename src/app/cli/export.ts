import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isatty } from 'node:tty';
import { asCsv, asJson, exportAccount } from '../../domain/transfer/export.ts';
import type { ImportRecord } from '../../domain/transfer/formats.ts';
import { protocolOf } from '../../engine/rules/url.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { printable } from '../../engine/tools/printable.ts';
import { getBaseUrl } from '../config.ts';
import { command, UsageError } from './command.ts';
import { accountNamed, withDatabase } from './database.ts';
import { counted } from './terminal.ts';

const writers = { csv: asCsv, json: asJson };

const help = `Usage: npm run --silent export -- --account NAME [--format csv|json] [--file FILE]

Writes everything that the account's keys can read: links with their spaces, tags, pixels, targets and clicks, its domains, saved operations and saved views.
It contains no passwords, only whether there is one. "npm run import -- --format csv" reads it, also as JSON.

  --format  csv (default) or json
  --file    the file to write; it is created when the export is complete, and replaces an earlier one. Default: standard output
  --json    prints JSON instead of text about a file that was written

The export is not a snapshot: changes during the export may be missing from it. The scheme of short URLs is that of BASE_URL.`;

/** Counts what the records contain while they pass. Spaces, tags and pixels are those of links, too. */
function counting(records: AsyncIterable<ImportRecord>) {
  const named = { spaces: new Set<string>(), tags: new Set<string>(), pixels: new Set<string>() };
  const found = { links: 0, domains: 0 };
  async function* passed(): AsyncGenerator<ImportRecord> {
    for await (const record of records) {
      const { kind, space, space_color: color } = record;
      if (kind === 'link') found.links++;
      if (kind === 'domain') found.domains++;
      if (space != null) named.spaces.add(JSON.stringify([space, color]));
      for (const list of ['tags', 'pixels'] as const)
        for (const one of Array.isArray(record[list]) ? record[list] : [])
          named[list].add(JSON.stringify(one));
      yield record;
    }
  }
  const { spaces, tags, pixels } = named;
  const counts = () => ({ ...found, spaces: spaces.size, tags: tags.size, pixels: pixels.size });
  return { records: passed(), counts };
}

/** The file that a symbolic link leads to, which may not exist yet: the link itself is kept. */
async function resolveTarget(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const target = await readlink(file).catch(() => null);
    return target === null ? file : resolve(dirname(file), target);
  }
}

/** The text as a terminal shows it. */
async function* printed(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of text) yield printable(part.replaceAll('\r\n', '\n'));
}

/** Writes to a device or a pipe. */
async function writeDevice(path: string, text: AsyncIterable<string>): Promise<void> {
  const device = await open(path, 'w');
  await pipeline(Readable.from(isatty(device.fd) ? printed(text) : text), device.createWriteStream());
}

/** Writes the file completely, or not at all; a device or a pipe directly. */
async function writeFile(file: string, text: AsyncIterable<string>): Promise<void> {
  const path = await resolveTarget(file);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) throw new OperatorError(`--file is ${file}, which is a directory.`);
  if ((await stat(dirname(path)).catch(() => null)) === null)
    throw new OperatorError(`--file is ${file}; there is no directory ${dirname(path)}.`);
  if (found && !found.isFile()) return writeDevice(path, text);
  const unfinished = `${path}.${randomUUID()}.part`;
  try {
    // Other users of the machine must not read it.
    await pipeline(Readable.from(text), createWriteStream(unfinished, { mode: 0o600, flags: 'wx' }));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

const options = {
  account: { type: 'string' },
  format: { type: 'string', default: 'csv' },
  file: { type: 'string' },
} as const;

export const main = command({ help, options }, async ({ values, config, io, show }) => {
  const { account, format, file } = values;
  if (account === undefined) throw new UsageError('Name the account: --account NAME.');
  if (format !== 'csv' && format !== 'json')
    throw new UsageError(`--format is "${format}"; it may be csv or json.`);
  if (values.json && file === undefined)
    throw new UsageError('--json is for the message about a file: add --file FILE, or choose --format json.');
  await withDatabase(config, async (db) => {
    const writer = await accountNamed(db, account);
    const { records, counts } = counting(
      exportAccount(db, writer, { scheme: protocolOf(getBaseUrl(config)) }, format === 'json'),
    );
    const text = writers[format](records);
    if (file === undefined)
      return pipeline(Readable.from(io.stdout.isTTY ? printed(text) : text), io.stdout, { end: false });
    await writeFile(file, text);
    const parts = Object.entries(counts()).map(([kinds, number]) => counted(number, kinds.replace(/s$/, '')));
    show({ file, ...counts() }, `Exported to ${file}: ${parts.join(', ')}.`);
  });
});
