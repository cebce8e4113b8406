import { type ImportLinksMutation, type LinkFragment, LinkspaceError } from '@linkspace/client';
import type { Command } from 'commander';
import { choice, enumValue, readText, repeated } from '../arguments.ts';
import { readLogin } from '../config.ts';
import type { Context } from '../context.ts';
import { EXIT, usageError } from '../errors.ts';
import { writeWhole } from '../files.ts';
import { given } from '../given.ts';
import { plain } from '../io.ts';
import { findId } from '../names.ts';
import { take } from '../pages.ts';
import { progressOn } from '../progress.ts';
import { splitImport } from '../split.ts';

const FORMATS = ['CSV', 'LINES', 'BITLY', 'DUB', 'KUTT', 'REBRANDLY', 'SHLINK', 'YOURLS'] as const;
const ON_TAKEN = ['FAIL', 'SKIP', 'SUFFIX'] as const;
const LONGEST_FILE = 200_000_000;

interface ImportOptions {
  readonly format: string;
  readonly onTaken?: string;
  readonly space?: string;
  readonly domain?: string[];
  readonly dryRun?: true;
}

function parseMapping(text: string): { from: string; to: string } {
  const [from = '', to = '', ...rest] = text.split('=');
  if (from === '' || to === '' || rest.length > 0)
    throw usageError(`--domain is ${JSON.stringify(text)}; it must be OLD=NEW, such as bit.ly=s.example.`);
  return { from, to };
}

type Result = ImportLinksMutation['importLinks']['results'][number];

function describeResult({ reason, fields }: Result): string {
  if (reason !== null) return reason;
  return fields.map(({ path, messages }) => `${path.join('.')} ${messages.join(', ')}`).join('; ');
}

async function importFile(context: Context, file: string, options: ImportOptions): Promise<void> {
  const { client, io } = context;
  const format = enumValue(FORMATS, options.format);
  const variables = {
    format,
    dryRun: options.dryRun ?? false,
    ...(options.onTaken !== undefined && { onTaken: enumValue(ON_TAKEN, options.onTaken) }),
    ...(options.space !== undefined && { spaceId: await findId(client, 'space', options.space) }),
    ...(options.domain && { domainMap: options.domain.map(parseMapping) }),
  };
  const parts = splitImport(await readText(context, file, LONGEST_FILE), format === 'LINES');
  const total = parts.reduce((sum, { records }) => sum + records, 0);
  const progress = progressOn(context, 'records', total);
  const results: Result[] = [];
  const unused = new Set<string>();
  try {
    for (const { text, offset, records } of parts) {
      const answer = await client.importLinks({ ...variables, text }, { signal: io.signal });
      for (const column of answer.unusedColumns) unused.add(column);
      for (const result of answer.results) results.push({ ...result, line: result.line + offset });
      progress.add(records);
    }
  } finally {
    progress.end();
  }
  const count = (status: Result['status']) => results.filter((one) => one.status === status).length;
  const [created, existing, refused] = [count('CREATED'), count('EXISTS'), count('REFUSED')];
  for (const result of results)
    if (result.status === 'REFUSED' || (result.status === 'EXISTS' && result.reason !== null))
      context.note(plain(`${file}:${result.line}: ${describeResult(result)}`));
  if (unused.size > 0) context.note(plain(`Columns that are not used: ${[...unused].join(', ')}.`));
  const done = options.dryRun ? 'To create' : 'Created';
  await context.show(
    { created, existing, refused, unusedColumns: [...unused], results },
    `${done} ${created}, existing ${existing}, refused ${refused}.`,
  );
  if (refused > 0) context.exitCode = EXIT.refused;
}

/** Returns a link as the record that an import of the format csv reads. */
function exportRecord(link: LinkFragment, pixels: ReadonlyMap<string, { readonly value: string }>): object {
  const { space, expiration, targeting } = link;
  return {
    kind: 'link',
    short_url: link.shortUrl,
    domain: link.domain.name,
    alias: link.alias,
    url: link.url,
    title: link.title,
    notes: link.notes,
    external_id: link.externalId,
    space: space?.name ?? null,
    space_color: space?.color ?? null,
    tags: link.tags.map(({ name, color }) => ({ name, color })),
    pixels: link.pixels.map(({ id, name, type }) => ({ name, type, value: pixels.get(id)?.value })),
    disabled: link.disabled,
    forward_query: link.forwardsQuery,
    has_password: link.hasPassword,
    privacy: link.privacy,
    has_privacy_password: link.hasPrivacyPassword,
    expiration_url: expiration.url,
    expires_at: expiration.at,
    expiration_clicks: expiration.clicks,
    starts_at: link.startsAt,
    archived: link.archived,
    redirect_status: link.redirectStatus,
    target_type: targeting.type,
    countries: targeting.countries,
    platforms: targeting.platforms,
    languages: targeting.languages,
    rotation: targeting.rotation,
    rules: link.rules.map(({ name, when, to }) => ({
      name,
      when: given(when),
      to: to.map(({ name: of, url, weight }) => ({ name: of, url, weight })),
    })),
    rule_tests: given(link.ruleTests),
    clicks: link.clicks,
    last_clicked_at: link.lastClickedAt,
    created_at: link.createdAt,
    updated_at: link.updatedAt,
  };
}

async function* exportText(context: Context): AsyncGenerator<string, void> {
  const progress = progressOn(context, 'links', null);
  const orderBy = { field: 'ID', direction: 'ASC' } as const;
  const { client, io } = context;
  const options = { signal: io.signal };
  const pixels = new Map((await take(client.pixels(options), null)).map((pixel) => [pixel.id, pixel]));
  let isFirst = true;
  try {
    yield '{"data":[';
    for await (const link of client.links({ orderBy, filter: { archived: 'WITH' } }, options)) {
      yield `${isFirst ? '' : ','}\n${JSON.stringify(exportRecord(link, pixels))}`;
      isFirst = false;
      progress.add(1);
    }
    yield '\n]}\n';
  } finally {
    progress.end();
  }
}

/** Codes for the statuses of v1, whose errors have none. */
const CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
};

function messageIn(text: string, status: number): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message);
  } catch {}
  return `HTTP status ${status}`;
}

/** The list of links as the service writes it for spreadsheets. */
async function* exportCsv({ env, io }: Context): AsyncGenerator<string, void> {
  const { url, key } = readLogin(env);
  const headers = { Accept: 'text/csv', Authorization: `Bearer ${key}` };
  try {
    const address = `${url}/api/v1/links?sort=asc`;
    const response = await fetch(address, { headers, redirect: 'error', signal: io.signal });
    const { status, body } = response;
    if (!response.ok || body === null)
      throw new LinkspaceError(messageIn(await response.text(), status), {
        code: CODES[status] ?? 'UNEXPECTED',
        requestId: response.headers.get('X-Request-Id'),
      });
    yield* body.pipeThrough(new TextDecoderStream());
  } catch (error) {
    if (error instanceof LinkspaceError || io.signal.aborted) throw error;
    throw new LinkspaceError('The service sent no complete file.', { code: 'NETWORK' }, { cause: error });
  }
}

export function addTransfer(program: Command, context: Context): void {
  program
    .command('import')
    .description('import links from a file, which may be repeated; existing links stay as they are')
    .argument('<file>', 'the file; - is standard input')
    .addOption(
      choice(
        '--format <format>',
        'CSV or JSON of this service, URLs in lines, or the export of another',
        FORMATS,
      ).default('csv'),
    )
    .addOption(choice('--on-taken <way>', 'what to do with a link whose alias is taken', ON_TAKEN))
    .option('--space <name>', 'the space of the new links, by its name or id')
    .option('--domain <mapping>', 'the domain in place of another, as OLD=NEW; may be repeated', repeated)
    .option('--dry-run', 'only check the file')
    .action((file: string, options: ImportOptions) => importFile(context, file, options));

  program
    .command('export')
    .description(
      'write all links, without passwords: as JSON, which import reads, or as CSV for spreadsheets',
    )
    .addOption(choice('--format <format>', 'the form of the file', ['JSON', 'CSV']).default('json'))
    .option('--file <file>', 'write them to this file, once they are complete')
    .action(async ({ file, format }: { file?: string; format: string }) => {
      const text = format === 'csv' ? exportCsv(context) : exportText(context);
      // Programs get lines of CSV as they are, with their carriage returns.
      const isRaw = format === 'csv' && !context.io.isTerminal.output;
      if (file === undefined)
        for await (const part of text)
          await (isRaw ? context.io.write(part) : context.write(part.replaceAll('\r', '')));
      else {
        await writeWhole(file, text);
        await context.show({ file }, `Wrote ${file}.`);
      }
    });
}
