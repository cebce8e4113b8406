import type { Db } from '../../db/connection/db.ts';
import type { Writer } from '../access/actor.ts';
import type { FieldError } from '../errors.ts';
import { fieldErrors } from '../input.ts';
import { type BulkItem, type BulkOutcome, createLinksInBulk } from '../link/bulk.ts';
import { DryRun } from '../link/dry-run.ts';
import { createLinkInput } from '../link/input.ts';
import type { Services } from '../services.ts';
import {
  columnsFor,
  columnWithValue,
  type FileColumns,
  type RawRecord,
  recordOf,
  unusedColumns,
} from './columns.ts';
import type { ImportFormat } from './formats.ts';
import { type ImportLine, readLine } from './line.ts';
import { NamedRecords, Unresolved } from './named-records.ts';

/** A line of a file with its number, or the error of a line that cannot be read. */
export type SourceLine = {
  readonly line: number;
  /** Its approximate size in bytes. */
  readonly size: number;
} & (
  | { readonly raw: RawRecord; readonly header: readonly string[]; readonly isCsv: boolean }
  | { readonly unreadable: string }
);

/** A file cannot be read on; the lines before that are imported. */
export class BrokenOff extends Error {}

/** A message about a line. */
export interface LineMessage {
  readonly line: number;
  /** Whether its link was imported nevertheless. */
  readonly taken: boolean;
  readonly field: string | null;
  /** The name of the field's column in the file, if it has one. */
  readonly column: string | null;
  readonly message: string;
}

export interface ImportOptions {
  readonly format: ImportFormat;
  readonly mapDomain: ReadonlyMap<string, string>;
  readonly onTaken: 'skip' | 'suffix' | 'fail';
  readonly dryRun: boolean;
}

export interface ImportHooks {
  tell(told: LineMessage): void;
  /** Called after each batch with the number of finished lines. */
  progress(lines: number): void;
  /** Whether to stop before the next batch. */
  stopped(): boolean;
}

/** The result of an import or a dry run. */
export interface ImportReport {
  lines: number;
  created: number;
  existing: number;
  refused: number;
  spaces: number;
  pixels: number;
  domains: number;
  /** Hosts that are not domains of the account; their new links went to the default domain. */
  movedFrom: Record<string, number>;
  movedTo: string;
  /** The names of columns with values that the format does not have. */
  unusedColumns: string[];
  /** The line at which `fail` stopped the import. */
  failedAt: number | null;
  /** Why the file could not be read to its end. */
  error: string | null;
  stopped: boolean;
}

/** The maximum number of lines of one transaction, and of bytes. */
const LINES_TOGETHER = 500;
const BYTES_TOGETHER = 2_000_000;
/** How many unused columns are told, and how much of their names: a JSON file may have any number. */
const MAX_UNUSED = 50;
const MAX_UNUSED_LENGTH = 50;

/** The kinds of records in our own export. */
const KINDS = ['link', 'space', 'pixel', 'domain'];

/** The field without which a line of its kind says nothing; null if it has it. */
function missingIn({ kind, space, pixels, host }: ImportLine): string | null {
  if (kind === 'space' && space === null) return 'space';
  if (kind === 'pixel' && pixels.length === 0) return 'pixels';
  return kind === 'domain' && host === null ? 'domain' : null;
}

interface Entry {
  readonly line: number;
  readonly item: BulkItem | null;
  /** The host whose link goes to the default domain instead. */
  readonly insteadOf?: string | undefined;
  readonly refused: readonly FieldError[];
  readonly notes: readonly string[];
  /** The column of a field, if the file has one. */
  columnOf(field: string): string | null;
}

/** The names in a file of the fields of links and of what they name. */
const columnNames: Readonly<Record<string, string>> = {
  'domain.name': 'domain',
  'domain.notFoundUrl': 'domain_not_found_url',
  'space.name': 'space',
  'space.color': 'space_color',
  domainId: 'domain',
  spaceId: 'space',
  pixelIds: 'pixels',
  privacyPassword: 'privacy_password',
  'expiration.url': 'expiration_url',
  'expiration.at': 'expires_at',
  'expiration.clicks': 'expiration_clicks',
  'targeting.type': 'target_type',
};

function fieldOf(path: readonly string[]): string {
  const joined = path.join('.');
  return columnNames[joined] ?? joined.replace(/^targeting\./, '');
}

/** Imports the lines of a file in batches. Existing links stay as they are, so an import may be repeated. */
export class Import {
  readonly #db: Db;
  readonly #writer: Writer;
  readonly #services: Services;
  readonly #options: ImportOptions;
  readonly #hooks: ImportHooks;
  readonly #now: Date;
  readonly #named: NamedRecords;
  readonly #columns = new Map<string, FileColumns>();
  readonly #trial: DryRun | undefined;
  readonly #movedFrom = new Map<string, number>();
  readonly #unused = new Set<string>();
  readonly #report = { lines: 0, created: 0, existing: 0, refused: 0 };
  #failedAt: number | null = null;

  constructor(
    db: Db,
    writer: Writer,
    services: Services,
    options: ImportOptions,
    hooks: ImportHooks,
    now: Date,
  ) {
    this.#db = db;
    this.#writer = writer;
    this.#services = services;
    this.#options = options;
    this.#hooks = hooks;
    this.#now = now;
    this.#trial = options.dryRun ? new DryRun() : undefined;
    this.#named = new NamedRecords(db, writer, services, {
      trial: this.#trial,
      mapped: options.mapDomain,
      now,
    });
  }

  /** Call it first. Returns the target hosts of the domain map that the account may not use. */
  start(): Promise<string[]> {
    return this.#named.start();
  }

  async run(source: AsyncIterable<SourceLine>): Promise<ImportReport> {
    let batch: Entry[] = [];
    let size = 0;
    let stopped = false;
    let error: string | null = null;
    try {
      for await (const line of source) {
        batch.push(await this.#read(line));
        size += line.size;
        if (batch.length < LINES_TOGETHER && size < BYTES_TOGETHER) continue;
        await this.#write(batch);
        batch = [];
        size = 0;
        stopped = this.#hooks.stopped();
        if (stopped || this.#failedAt !== null) break;
      }
    } catch (fault) {
      if (!(fault instanceof BrokenOff)) throw fault;
      error = fault.message;
    }
    if (!stopped && this.#failedAt === null) await this.#write(batch);
    return {
      ...this.#report,
      ...this.#named.made,
      movedFrom: Object.fromEntries(this.#movedFrom),
      movedTo: this.#named.defaultName,
      unusedColumns: [...this.#unused],
      failedAt: this.#failedAt,
      error,
      stopped,
    };
  }

  async #read(source: SourceLine): Promise<Entry> {
    const { line } = source;
    const nothing = { line, item: null, refused: [], notes: [], columnOf: () => null };
    if ('unreadable' in source) return { ...nothing, refused: [{ path: [], messages: [source.unreadable] }] };
    const columns = this.#columnsOf(source.header);
    const columnOf = (field: string) => columnWithValue(columns, source, field);
    const refuse = (refused: readonly FieldError[]): Entry => ({ ...nothing, refused, columnOf });
    this.#noteUnused(columns, source.raw);
    const record = recordOf(columns, source);
    const read = readLine(record, this.#now);
    if ('wrong' in read) return refuse(read.wrong);
    const { kind, space, pixels, fields, origin, notes } = read.line;
    if (!KINDS.includes(kind))
      return refuse([
        { path: ['kind'], messages: [`is "${kind.slice(0, 50)}"; it must be link, space, pixel or domain`] },
      ]);
    const missing = missingIn(read.line);
    if (missing !== null) return refuse([{ path: [missing], messages: ['is required'] }]);
    const requireValidLine = () => {
      const { error } = kind === 'link' ? createLinkInput.safeParse(fields) : {};
      if (error) throw new Unresolved(fieldErrors(error));
    };
    try {
      const domain = await this.#named.domainOf(read.line, requireValidLine);
      const spaceId = space === null ? undefined : await this.#named.spaceOf(space, requireValidLine);
      const ids = [];
      for (const [index, pixel] of pixels.entries())
        ids.push(await this.#named.pixelOf(pixel, index, requireValidLine));
      if (kind !== 'link') return refuse([]);
      const input = {
        ...fields,
        domainId: String(domain.id),
        spaceId: spaceId === undefined ? undefined : String(spaceId),
        pixelIds: ids.flatMap((id) => (id === undefined ? [] : [String(id)])),
      };
      return { ...nothing, item: { input, origin }, insteadOf: domain.insteadOf, notes, columnOf };
    } catch (error) {
      if (error instanceof Unresolved) return refuse(error.fields);
      throw error;
    }
  }

  #noteUnused(columns: FileColumns, raw: RawRecord): void {
    if (this.#unused.size >= MAX_UNUSED) return;
    for (const name of unusedColumns(columns, raw)) {
      if (this.#unused.size < MAX_UNUSED) this.#unused.add(name.trim().slice(0, MAX_UNUSED_LENGTH));
    }
  }

  #columnsOf(header: readonly string[]): FileColumns {
    const key = header.join('\n');
    const known = this.#columns.get(key);
    if (known) return known;
    const columns = columnsFor(this.#options.format, header);
    // In a JSON file, each record may have different keys.
    if (this.#columns.size < 1_000) this.#columns.set(key, columns);
    return columns;
  }

  async #write(batch: readonly Entry[]): Promise<void> {
    const items = batch.flatMap(({ item }) => item ?? []);
    const onTaken = ({ skip: 'refuse', suffix: 'suffix', fail: 'stop' } as const)[this.#options.onTaken];
    const options = { onTaken, trial: this.#trial };
    const outcomes =
      items.length > 0
        ? await createLinksInBulk(this.#db, this.#writer, this.#services, items, options, this.#now)
        : [];
    let next = 0;
    for (const entry of batch) {
      const outcome = entry.item === null ? null : outcomes[next++];
      // The batch ended before this line.
      if (outcome === undefined) break;
      this.#report.lines++;
      this.#account(entry, outcome);
    }
    this.#hooks.progress(this.#report.lines);
  }

  #account(entry: Entry, outcome: BulkOutcome | null): void {
    const { line, refused, notes, item, insteadOf, columnOf } = entry;
    const tell = (taken: boolean, field: string | null, message: string) =>
      this.#hooks.tell({ line, taken, field, column: field && columnOf(field), message });
    const fields = outcome?.kind === 'refused' ? outcome.fields : refused;
    for (const { path, messages } of fields) tell(false, fieldOf(path) || null, messages.join(', and '));
    if (fields.length > 0) this.#report.refused++;
    if (outcome === null) return;
    const note = (field: string | null, message: string) => tell(true, field, message);
    if (outcome.kind === 'refused' && outcome.taken && this.#options.onTaken === 'fail')
      this.#failedAt = line;
    if (outcome.kind === 'existing') this.#report.existing++;
    if (outcome.kind !== 'created') return;
    this.#report.created++;
    if (insteadOf !== undefined) this.#movedFrom.set(insteadOf, (this.#movedFrom.get(insteadOf) ?? 0) + 1);
    if (outcome.renamed) note('alias', `is already taken on this domain: the link is "${outcome.alias}"`);
    else if (isNameless(item)) note('alias', `is missing: the link is "${outcome.alias}"`);
    if (outcome.similar !== null)
      note(
        'alias',
        `differs from "${outcome.similar}" only in case: both links exist, since aliases are case-sensitive`,
      );
    for (const message of notes) note(null, message);
  }
}

function isNameless(item: BulkItem | null): boolean {
  const input = item?.input;
  return typeof input === 'object' && input !== null && 'alias' in input && input.alias === undefined;
}
