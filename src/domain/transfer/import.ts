import type { Data } from '../../db/database.ts';
import { MAX_WRITTEN_LINKS } from '../../db/written-limits.ts';
import { isUnstorable } from '../../engine/db/errors.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { DomainError, fieldError, unstorable } from '../../engine/rules/errors.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';
import { type BulkOutcome, createLinksInBulk } from '../link/bulk.ts';
import { takenAlias } from '../link/check.ts';
import type { DefaultPrivacy } from '../link/privacy.ts';
import { DryRun } from '../link/used-aliases.ts';
import { ROWS_OF_LINK } from '../link/written-rows.ts';
import { because, refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { pauseForWebhooks } from '../webhook/waiting-limits.ts';
import { columnsFor, type FileColumns, type RawRecord, readRecord } from './file-record.ts';
import type { ImportFormat } from './formats.ts';
import { type ImportLine, RefusedLine, readLine } from './line.ts';
import {
  type ImportContext,
  NamedRecords,
  type NewRecordOptions,
  type UsableDomain,
} from './named-records.ts';
import { type Entry, type LineMessage, LineReports } from './report.ts';

/** The rest of a file cannot be read; the lines before that are imported. */
export class BrokenOff extends Error {}

/** A line of a file with its number, or the error of a line that cannot be read. */
export type SourceLine = {
  readonly line: number;
  /** Its approximate size in bytes. */
  readonly size: number;
} & (
  | { readonly raw: RawRecord; readonly header: readonly string[]; readonly isCsv: boolean }
  | { readonly unreadable: string }
);

export interface ImportOptions extends NewRecordOptions {
  readonly format: ImportFormat;
  readonly onTaken: 'skip' | 'suffix' | 'fail';
  readonly dryRun: boolean;
  /** The space of links for which a line names none. */
  readonly spaceId?: number | undefined;
  /** The privacy of links for which a line names none; PUBLIC by default. */
  readonly privacy?: DefaultPrivacy | undefined;
  /** The maximum number of lines and of links of one transaction, and of bytes. */
  readonly batch?: { readonly lines: number; readonly bytes: number };
  /** Seed of generated aliases, besides URL and title. */
  readonly seed?: string;
  /** True if all batches are one transaction, which blocks other writers. */
  readonly isOneTransaction?: boolean;
}

export interface ImportHooks {
  onMessage(message: LineMessage): void;
  /** Called with each finished line, after its messages, and the outcomes of its links. */
  onLine?(entry: Entry, outcomes: readonly BulkOutcome[]): void;
  /** Called after each batch with the number of finished lines. */
  onProgress(lines: number): void;
  /** Returns true to stop before the next batch. */
  isStopped(): boolean;
}

/** The result of an import or a dry run. */
export type ImportReport = Awaited<ReturnType<Import['run']>>;

const BATCH = { lines: MAX_WRITTEN_LINKS, bytes: 2_000_000 };
/** Maximum number of tags and pixels of a transaction's links, unless a single record has more. */
const MAX_PARTS = 2_500;
/** Maximum number of reported unused columns, and of characters of their names. A JSON file may have any number. */
const MAX_UNUSED = 50;
const MAX_UNUSED_LENGTH = 50;
/** Maximum number of cached headers. Each record of a JSON file may have different keys. */
const MAX_HEADERS = 1_000;
/** Of how many aliases it is kept which line has them. */
const MAX_ALIASES = 10_000;

/** The tags and pixels of links. */
function countParts(links: Entry['links']): number {
  return links.reduce((sum, { parts }) => sum + parts, 0);
}

/** Imports the lines of a file in batches. Existing links stay as they are, so an import may be repeated. */
export class Import {
  readonly #context: ImportContext;
  readonly #options: ImportOptions;
  readonly #hooks: ImportHooks;
  readonly #records: NamedRecords;
  readonly #reports: LineReports;
  /** The columns of each header. */
  readonly #columns = new Map<string, FileColumns>();
  readonly #unusedColumns = new Set<string>();
  /** The lines of the first aliases, by these and their domains. */
  readonly #lines = new Map<string, number>();
  #failedAt: number | null = null;

  constructor(
    db: Data,
    writer: Writer,
    services: Services,
    options: ImportOptions,
    hooks: ImportHooks,
    now: Date,
  ) {
    this.#context = { db, writer, services, now, dryRun: options.dryRun ? new DryRun() : undefined };
    this.#options = options;
    this.#hooks = hooks;
    this.#records = new NamedRecords(this.#context, options);
    this.#reports = new LineReports(hooks.onMessage);
  }

  /** Call it first. Returns the target hosts of the domain map that the account may not use. */
  start(): Promise<string[]> {
    return this.#records.start();
  }

  async run(source: AsyncIterable<SourceLine>) {
    let batch: Entry[] = [];
    let [size, links, parts] = [0, 0, 0];
    const { batch: max = BATCH } = this.#options;
    let stopped = false;
    let error: string | null = null;
    try {
      for await (const line of source) {
        const entry = await this.#read(line);
        // A record may have up to a hundred links.
        const isFull =
          Math.max(batch.length, links) >= max.lines ||
          links + entry.links.length > max.lines ||
          size >= max.bytes ||
          parts + countParts(entry.links) > MAX_PARTS;
        if (isFull && batch.length > 0) {
          await this.#write(batch);
          await this.#pause();
          batch = [];
          [size, links, parts] = [0, 0, 0];
          stopped = this.#hooks.isStopped();
          if (stopped || this.#failedAt !== null) break;
        }
        batch.push(entry);
        size += line.size;
        links += entry.links.length;
        parts += countParts(entry.links);
      }
    } catch (fault) {
      if (!(fault instanceof BrokenOff)) throw fault;
      error = fault.message;
    }
    if (!stopped && this.#failedAt === null) await this.#write(batch);
    return {
      ...this.#reports.counts,
      ...this.#records.created,
      tags: this.#records.newTags.size,
      /** Hosts that are not domains of the account; their new links went to the default domain. */
      movedFrom: Object.fromEntries(this.#reports.movedFrom),
      movedTo: this.#records.defaultName,
      /** The names of columns with values that the format does not have. */
      unusedColumns: [...this.#unusedColumns],
      /** The line at which `fail` stopped the import. */
      failedAt: this.#failedAt,
      /** Why the file could not be read to its end. */
      error,
      stopped,
    };
  }

  /** Reads a line, and resolves the names in it. */
  async #read(source: SourceLine): Promise<Entry> {
    const empty = {
      line: source.line,
      links: [],
      refused: [],
      notes: [],
      isNew: false,
      findColumn: () => null,
    };
    if ('unreadable' in source) {
      const why = because(source.unreadable, 'UNREADABLE_RECORD', {});
      return { ...empty, refused: [fieldError([], why)] };
    }
    const columns = this.#findColumns(source.header);
    const record = readRecord(columns, source.raw, source.isCsv);
    const findColumn = (field: string) => record.findColumn(field);
    for (const name of record.unused)
      if (this.#unusedColumns.size < MAX_UNUSED)
        this.#unusedColumns.add(name.trim().slice(0, MAX_UNUSED_LENGTH));
    try {
      const line = readLine(record, columns.format, this.#context.now);
      return { ...empty, ...(await this.#resolve(line)), findColumn };
    } catch (error) {
      if (error instanceof RefusedLine) return { ...empty, refused: error.fields, findColumn };
      throw error;
    }
  }

  #findColumns(header: readonly string[]): FileColumns {
    const key = header.join('\n');
    const columns = this.#columns.get(key) ?? columnsFor(this.#options.format, header);
    if (this.#columns.size < MAX_HEADERS) this.#columns.set(key, columns);
    return columns;
  }

  /** @throws RefusedLine */
  async #resolve(line: ImportLine): Promise<Partial<Entry>> {
    const counts = () => ({ ...this.#records.created, tags: this.#records.newTags.size });
    const before = counts();
    const domains: UsableDomain[] = [];
    for (const { host } of line.names) domains.push(await this.#records.resolveDomain(line, host));
    const spaceId =
      (await this.#records.resolveSpace(line)) ?? (line.space ? undefined : this.#options.spaceId);
    const pixelIds = await this.#records.resolvePixels(line);
    if (line.kind === 'tag') await this.#records.makeTags(line);
    const isMade = line.kind === 'operation' && (await this.#records.makeOperation(line));
    if (line.kind === 'view') await this.#records.makeView(line);
    const isNew = isMade || keysOf(before).some((what) => counts()[what] > before[what]);
    if (line.kind !== 'link') return { isNew };
    const { clicks: _clicks, lastClickedAt: _lastClickedAt, ...times } = line.origin;
    const links = line.names.map(({ alias }, index) => ({
      domainId: domains[index]?.id ?? 0,
      input: {
        ...line.fields,
        alias,
        domainId: String(domains[index]?.id),
        privacy: line.fields.privacy ?? this.#options.privacy,
        spaceId: spaceId === undefined ? undefined : String(spaceId),
        pixelIds: pixelIds.map(String),
      },
      // The service counted the clicks of all short URLs together.
      origin: index === 0 ? line.origin : times,
      tags: line.tags,
      parts: (line.tags?.length ?? 0) + pixelIds.length,
      alias,
      insteadOf: domains[index]?.insteadOf,
    }));
    return { links, notes: line.notes };
  }

  async #write(batch: readonly Entry[]): Promise<void> {
    const items = batch.flatMap(({ links }) => links);
    const onTaken = ({ skip: 'refuse', suffix: 'suffix', fail: 'stop' } as const)[this.#options.onTaken];
    const { db, writer, services, now, dryRun } = this.#context;
    const options = { onTaken, dryRun, seed: this.#options.seed };
    if (!dryRun) db.spendRows?.(items.length, items.length * ROWS_OF_LINK + countParts(items));
    const create = (some: typeof items) => createLinksInBulk(db, writer, services, some, options, now);
    const outcomes =
      items.length > 0 ? await create(items).catch(eachAlone(items, create)).catch(refusing(items)) : [];
    for (const outcome of outcomes)
      if (outcome.kind === 'created') for (const key of outcome.newTags) this.#records.newTags.add(key);
    let next = 0;
    for (const entry of batch) {
      const ofEntry = outcomes
        .slice(next, next + entry.links.length)
        .map((outcome, index) => this.#withLine(outcome, entry, index));
      next += entry.links.length;
      // The batch ended before this line.
      if (ofEntry.length === 0 && entry.links.length > 0) break;
      this.#reports.add(entry, ofEntry);
      this.#hooks.onLine?.(entry, ofEntry);
      const isTaken = ofEntry.some((outcome) => outcome.kind === 'refused' && outcome.taken);
      if (onTaken === 'stop' && isTaken) this.#failedAt = entry.line;
    }
    this.#hooks.onProgress(this.#reports.counts.lines);
  }

  /** Pauses between two batches while many messages wait for the account's webhooks. */
  async #pause(): Promise<void> {
    const { db, writer, services, dryRun } = this.#context;
    if (dryRun || this.#options.isOneTransaction) return;
    await pauseForWebhooks(db, writer.accountId, services.waitingLimits);
    db.progressed();
  }

  /** Says of an alias that an earlier line has, which one that is. */
  #withLine(outcome: BulkOutcome, { line, links }: Entry, index: number): BulkOutcome {
    const aliasKey = (alias = '') => `${links[index]?.domainId} ${alias}`;
    if (outcome.kind === 'refused') {
      const other = outcome.taken ? this.#lines.get(aliasKey(links[index]?.alias)) : undefined;
      if (other === undefined) return outcome;
      const ofLine = fieldError(['alias'], refusal('ALIAS_OF_LINE', { line: other }));
      return { ...outcome, fields: outcome.fields.map((one) => (one === takenAlias ? ofLine : one)) };
    }
    const key = aliasKey(outcome.alias);
    if (this.#lines.size < MAX_ALIASES && !this.#lines.has(key)) this.#lines.set(key, line);
    return outcome;
  }
}

/** Creates links one after another if the database cannot store a text of one of them, and refuses that one. */
function eachAlone<Item>(items: readonly Item[], create: (items: Item[]) => Promise<BulkOutcome[]>) {
  return async (error: unknown): Promise<BulkOutcome[]> => {
    if (!isUnstorable(error)) throw error;
    const outcomes: BulkOutcome[] = [];
    for (const item of items) {
      const [outcome] = await create([item]).catch((alone: unknown): BulkOutcome[] => {
        const refused = unstorable(alone, item);
        if (refused === null) throw alone;
        const fields = refused.fields.map(({ path: [part, ...rest], ...field }) => ({
          ...field,
          path: part === 'input' ? rest : [part ?? ''],
        }));
        return [{ kind: 'refused', fields, taken: false }];
      });
      if (outcome === undefined) break;
      outcomes.push(outcome);
    }
    return outcomes;
  };
}

/** A write with a key refuses what it has no time for. */
function refusing(items: readonly unknown[]) {
  return (error: unknown): BulkOutcome[] => {
    if (!(error instanceof DomainError) || error.fields.length === 0) throw error;
    const { fields } = error;
    return items.map(() => ({ kind: 'refused', fields, taken: false }));
  };
}
