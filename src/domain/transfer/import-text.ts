import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { newestTo } from '../../db/reading/same-links.ts';
import { type FieldError, fieldError, invalid, invalidField } from '../../engine/rules/errors.ts';
import { foldCase, MAX_BATCH, parseInput, trimPasted } from '../../engine/rules/input.ts';
import type { Refusal } from '../../engine/rules/refusal.ts';
import { listSpellings } from '../../engine/tools/bidirectional.ts';
import { pauseIfBlocked } from '../../engine/tools/time-slices.ts';
import { type Actor, owned } from '../access/actor.ts';
import type { BulkOutcome } from '../link/bulk.ts';
import { wrongSpace } from '../link/fields.ts';
import { type DefaultPrivacy, defaultPrivacy, type LinkPrivacy } from '../link/privacy.ts';
import { ofAccount, passwordInput } from '../password.ts';
import { because, refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { normalizeDomainName } from '../short-domain/host.ts';
import { WrongFile } from './csv.ts';
import { columnsFor, type FileColumns, readRecord } from './file-record.ts';
import { type Format, type ImportFormat, importFormats } from './formats.ts';
import { BrokenOff, Import, type ImportHooks, type ImportOptions, type SourceLine } from './import.ts';
import { linkIn, withoutMarkers } from './pasted.ts';
import { type Entry, EXTERNAL_ID, inWords, type LineMessage } from './report.ts';
import { recordsIn } from './source.ts';
import { parseRecord } from './values.ts';

/** The limits of one text: what it has, and what is told of a record. */
const MAX_BYTES = 512 * 1024;
export const MAX_RECORDS = 500;
export const MAX_PASSWORDS = 10;
/** A record may have several short URLs, pixels and tags. */
const MAX_PARTS = 2_500;
export const MAX_MAPPED = 100;
export const MAX_TOLD_FIELDS = 10;
const MAX_REASON = 1_000;
/** On SQLite, a transaction blocks the thread. */
const BATCH = { lines: 25, bytes: 50_000 };
/** Number of bytes parsed without a pause. */
const CHUNK = 65_536;

export interface TextToImport extends Pick<ImportOptions, 'dryRun' | 'onTaken' | 'isOneTransaction'> {
  readonly text: string;
  /** Of pasted lines, `lines`. */
  readonly format: ImportFormat | 'lines';
  readonly domainMap: readonly { readonly from: string; readonly to: string }[];
  readonly spaceId: string | null;
  readonly privacy: LinkPrivacy | null;
}

/** The result of one link of a record, or of a record without links. */
export interface ImportedLine {
  readonly line: number;
  readonly status: 'CREATED' | 'EXISTS' | 'REFUSED';
  /** Its link; null if there is none. */
  readonly linkId: number | null;
  readonly alias: string | null;
  /** In a dry run, the newest other link to the URL of a new one; null if there is none. */
  readonly existingLinkId: number | null;
  readonly reason: string | null;
  readonly fields: readonly FieldError[];
}

/**
 * Imports a text by the rules of `Import`, in short transactions.
 * @throws DomainError VALIDATION if nothing of it is imported
 */
export async function importText(
  db: Data,
  actor: Actor,
  services: Services,
  { text, format: given, dryRun, onTaken, isOneTransaction, domainMap, spaceId, privacy }: TextToImport,
  now: Date,
): Promise<{ results: readonly ImportedLine[]; unusedColumns: string[] }> {
  const format = given === 'lines' ? 'csv' : given;
  const records = await parseRecords(text, given);
  const passwords = await passwordsIn(records, format);
  const { createdAt } = await db.prisma.account.findUniqueOrThrow({ where: { id: actor.accountId } });
  const options: ImportOptions = {
    ...{ format, onTaken, dryRun, isOneTransaction, batch: BATCH, mapDomain: parseMapping(domainMap) },
    ...{ spaceId: await spaceIn(db, actor, spaceId), refusesDomains: !actor.permissions.has('DOMAINS') },
    privacy: privacyIn(privacy),
    maxNew: MAX_BATCH,
    // Nobody can tell by an alias whether another account has a link to a URL.
    seed: `${actor.accountId} ${createdAt.getTime()} `,
  };
  const results: Placed[] = [];
  let messages: LineMessage[] = [];
  const hooks: ImportHooks = {
    onMessage: (message) => void messages.push(message),
    onLine(entry, outcomes) {
      results.push(...lineResults(entry, outcomes, messages));
      messages = [];
    },
    onProgress: () => {},
    isStopped: () => false,
  };
  const hashing = dryRun ? services : await withHashes(services, ofAccount(actor), passwords);
  const work = new Import(db, actor, hashing, options, hooks, now);
  const [missing] = await work.start();
  if (missing !== undefined) throw invalidField('domainMap', unknownDomain(missing));
  const { unusedColumns } = await work.run(slowly(records));
  const placed = dryRun ? await withExisting(db, actor, results) : results;
  return { results: await withLinks(db, actor, placed), unusedColumns };
}

const wrongText = (refused: Refusal) => invalidField('text', refused);
/** Units of the things that a text may have too many of, by the reason of the refusal. */
const counted = {
  TEXT_TOO_LARGE: 'kB',
  TOO_MANY_RECORDS: 'records',
  TOO_MANY_PARTS: 'short URLs, pixels and tags',
  TOO_MANY_PASSWORDS: 'passwords',
} as const;
const tooMany = (max: number, reason: keyof typeof counted) =>
  wrongText(because(refusal('IMPORT_MAX', { max, what: counted[reason] }), reason, { max }));
const unknownDomain = (host: string) =>
  because(refusal('ID', { what: `one of your domains, which ${host} is not` }), 'UNKNOWN_HOST', { host });

/** The records of the text. @throws DomainError VALIDATION */
async function parseRecords(text: string, format: TextToImport['format']): Promise<SourceLine[]> {
  if (text.length > MAX_BYTES || Buffer.byteLength(text) > MAX_BYTES)
    throw tooMany(MAX_BYTES / 1024, 'TEXT_TOO_LARGE');
  const bare = text.replace(/^\uFEFF/, '');
  if (bare.trim() === '') throw wrongText(refusal('BLANK'));
  const lines =
    format === 'lines' ? pastedLines(bare) : recordsIn(() => chunkBytes(bare), bare, format).lines;
  const records: SourceLine[] = [];
  try {
    for await (const line of lines)
      if (records.push(line) > MAX_RECORDS) throw tooMany(MAX_RECORDS, 'TOO_MANY_RECORDS');
  } catch (error) {
    if (!(error instanceof WrongFile || error instanceof BrokenOff)) throw error;
    const told = error instanceof WrongFile ? error.refusal : undefined;
    throw wrongText(told ?? refusal('IMPORT_TEXT', { reason: error.message.replace(/\.$/, '') }));
  }
  return records;
}

async function* chunkBytes(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += CHUNK) {
    await pauseIfBlocked();
    yield bytes.subarray(at, at + CHUNK);
  }
}

/** Pasted URLs, each with an alias and a title behind a tab or, since no form takes a tab, two spaces. */
function* pastedLines(text: string): Generator<SourceLine> {
  for (const [index, given] of text.split(/\r\n?|\n/).entries()) {
    if (/^[\s,;|]*$/.test(given)) continue;
    const line = withoutMarkers(given);
    const cells = line.includes('\t') ? line.split('\t') : line.trim().split(/ {2,}/);
    // No alias is a URL: these are two.
    const [first = '', alias, ...rest] = /^ *https?:\/\//i.test(cells[1] ?? '') ? [cells.join(' ')] : cells;
    const { url, title } = linkIn(trimPasted(first));
    const raw = { url, alias: alias && trimPasted(alias), title: rest.join(' ') || title };
    yield { line: index + 1, size: given.length, raw, header: Object.keys(raw), isCsv: false };
  }
}

async function* slowly(records: readonly SourceLine[]): AsyncGenerator<SourceLine> {
  for (const record of records) {
    await pauseIfBlocked();
    yield record;
  }
}

/** The passwords of the records. @throws DomainError VALIDATION if these are more, or have more parts, than one text may */
async function passwordsIn(records: readonly SourceLine[], name: ImportFormat): Promise<string[]> {
  const format: Format = importFormats[name];
  /** The records of CSV have the same one. */
  const headers = new Map<readonly string[], FileColumns>();
  const passwords: string[] = [];
  let parts = 0;
  for await (const record of slowly(records)) {
    if (!('raw' in record)) continue;
    const columns = headers.get(record.header) ?? columnsFor(name, record.header);
    headers.set(record.header, columns);
    const { fields } = readRecord(columns, record.raw, record.isCsv);
    const { data } = parseRecord(fields, format);
    const { short_url: urls = [], pixels = [], tags = [], password, privacy_password } = data ?? {};
    parts += urls.length + pixels.length + tags.length;
    passwords.push(...[password, privacy_password].flatMap((one) => passwordInput.safeParse(one).data ?? []));
  }
  if (parts > MAX_PARTS) throw tooMany(MAX_PARTS, 'TOO_MANY_PARTS');
  if (passwords.length > MAX_PASSWORDS) throw tooMany(MAX_PASSWORDS, 'TOO_MANY_PASSWORDS');
  return passwords;
}

/** The services with hashes that are made already: they take long, and a write with a key has them before its transaction. */
async function withHashes(
  services: Services,
  owner: string,
  passwords: readonly string[],
): Promise<Services> {
  const hashes = new Map<string, string[]>();
  for (const password of passwords)
    hashes.set(password, [...(hashes.get(password) ?? []), await services.hashPassword(owner, password)]);
  return {
    ...services,
    hashPassword: async (...of) => hashes.get(of[1])?.pop() ?? services.hashPassword(...of),
  };
}

function parseMapping(pairs: TextToImport['domainMap']): Map<string, string> {
  if (pairs.length > MAX_MAPPED) throw invalidField('domainMap', refusal('MAX_ENTRIES', { max: MAX_MAPPED }));
  return new Map(
    pairs.map((pair, index) => {
      const host = (name: 'from' | 'to') => {
        const found = normalizeDomainName(pair[name].trim());
        if (found) return found;
        throw invalid([fieldError(['domainMap', String(index), name], refusal('HOST'))]);
      };
      return [host('from'), host('to')];
    }),
  );
}

/** @throws DomainError VALIDATION for a privacy that needs a password */
function privacyIn(given: LinkPrivacy | null): DefaultPrivacy | undefined {
  return (
    parseInput(z.object({ privacy: defaultPrivacy.nullable() }), { privacy: given }).privacy ?? undefined
  );
}

async function spaceIn(db: Data, actor: Actor, id: string | null): Promise<number | undefined> {
  if (id === null) return undefined;
  const where = owned(actor, id);
  const space = where && (await db.prisma.space.findFirst({ where, select: { id: true } }));
  if (space === null) throw invalidField('spaceId', wrongSpace);
  return space.id;
}

/** A result with the domain of its link, and the URL of a new one. */
type Placed = ImportedLine & { readonly domainId?: number | undefined; readonly url?: string };

/** The results with the ids of the links that lead to the same URLs already. */
async function withExisting(db: Data, { accountId }: Actor, results: readonly Placed[]): Promise<Placed[]> {
  const spelled = results.flatMap(({ url }) => (url === undefined ? [] : listSpellings(url)));
  const ids = await newestTo(
    db,
    accountId,
    spelled.map((url) => [url, foldCase(url)]),
  );
  const newest = (url: string) => Math.max(0, ...listSpellings(url).map((one) => ids.get(one) ?? 0)) || null;
  return results.map((one) => ({ ...one, existingLinkId: newest(one.url ?? '') }));
}

/** The results with the ids of their links. */
async function withLinks(
  db: Data,
  { accountId }: Actor,
  results: readonly Placed[],
): Promise<readonly ImportedLine[]> {
  const named = results.filter(({ domainId }) => domainId !== undefined);
  const where = {
    accountId,
    domainId: { in: [...new Set(named.flatMap((one) => one.domainId ?? []))] },
    alias: { in: [...new Set(named.flatMap((one) => one.alias ?? []))] },
  };
  const links = await db.prisma.link.findMany({ where, select: { id: true, domainId: true, alias: true } });
  const ids = new Map(links.map(({ id, domainId, alias }) => [`${domainId} ${alias}`, id]));
  return results.map((one) => ({ ...one, linkId: ids.get(`${one.domainId} ${one.alias}`) ?? null }));
}

/** Returns the results of a line's links, with the messages about it. */
function lineResults(
  { line, links, refused, isNew }: Entry,
  outcomes: readonly BulkOutcome[],
  messages: readonly LineMessage[],
): Placed[] {
  const none = { line, linkId: null, alias: null, existingLinkId: null, reason: null, fields: [] };
  const inOne = (told: readonly string[]) => told.join('; ').slice(0, MAX_REASON) || null;
  const refuse = (fields: readonly FieldError[], alias: string | null = null): Placed => ({
    ...{ ...none, status: 'REFUSED', alias, fields: fields.slice(0, MAX_TOLD_FIELDS) },
    reason: inOne(messages.filter(({ taken }) => !taken).map(inWords)),
  });
  if (refused.length > 0) return [refuse(refused)];
  if (links.length === 0) return [{ ...none, status: isNew ? 'CREATED' : 'EXISTS' }];
  return outcomes.map((outcome, index): Placed => {
    const { alias: given, domainId, insteadOf } = links[index] ?? {};
    if (outcome.kind === 'refused') return refuse(outcome.fields, given);
    const place = { ...none, alias: outcome.alias, domainId };
    if (outcome.kind === 'existing') {
      const kept = messages.filter(({ field }) => outcome.keepsExternalId && field === EXTERNAL_ID);
      return { ...place, status: 'EXISTS', reason: inOne(kept.map(inWords)) };
    }
    // The result has a generated alias.
    const notes = messages.filter(({ taken, field }) => taken && (field !== 'alias' || given !== undefined));
    const moved = insteadOf === undefined ? [] : [`${insteadOf} is no domain of this account`];
    return {
      ...place,
      url: outcome.url,
      status: 'CREATED',
      reason: inOne([...notes.map(inWords), ...moved]),
    };
  });
}
