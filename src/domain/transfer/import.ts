import type { Data } from '../../db/database.ts';
import type { Writer } from '../access/actor.ts';
import { createLinksInBulk } from '../link/bulk.ts';
import { DryRun } from '../link/used-aliases.ts';
import type { Services } from '../services.ts';
import { type Entry, EntryReader, type SourceLine } from './entry.ts';
import type { ImportFormat } from './formats.ts';
import { type ImportContext, NamedRecords } from './named-records.ts';
import { type LineMessage, LineReports } from './report.ts';

/** The rest of a file cannot be read; the lines before that are imported. */
export class BrokenOff extends Error {}

export interface ImportOptions {
  readonly format: ImportFormat;
  readonly mapDomain: ReadonlyMap<string, string>;
  readonly onTaken: 'skip' | 'suffix' | 'fail';
  readonly dryRun: boolean;
}

export interface ImportHooks {
  onMessage(message: LineMessage): void;
  /** Called after each batch with the number of finished lines. */
  onProgress(lines: number): void;
  /** Whether to stop before the next batch. */
  isStopped(): boolean;
}

/** The result of an import or a dry run. */
export type ImportReport = Awaited<ReturnType<Import['run']>>;

/** The maximum number of lines and of links of one transaction, and of bytes. */
const MAX_BATCH_LINES = 500;
const MAX_BATCH_BYTES = 2_000_000;
/** The tables that imports fill. */
const FILLED = ['Link', 'LinkCounter', 'Space', 'Change'];

/** Imports the lines of a file in batches. Existing links stay as they are, so an import may be repeated. */
export class Import {
  readonly #context: ImportContext;
  readonly #onTaken: ImportOptions['onTaken'];
  readonly #hooks: ImportHooks;
  readonly #records: NamedRecords;
  readonly #reader: EntryReader;
  readonly #reports: LineReports;
  #failedAt: number | null = null;

  constructor(
    db: Data,
    writer: Writer,
    services: Services,
    { format, mapDomain, onTaken, dryRun }: ImportOptions,
    hooks: ImportHooks,
    now: Date,
  ) {
    this.#context = { db, writer, services, now, dryRun: dryRun ? new DryRun() : undefined };
    this.#onTaken = onTaken;
    this.#hooks = hooks;
    this.#records = new NamedRecords(this.#context, mapDomain);
    this.#reader = new EntryReader(format, this.#records, now);
    this.#reports = new LineReports(hooks.onMessage);
  }

  /** Call it first. Returns the target hosts of the domain map that the account may not use. */
  start(): Promise<string[]> {
    return this.#records.start();
  }

  async run(source: AsyncIterable<SourceLine>) {
    let batch: Entry[] = [];
    let [size, links] = [0, 0];
    let stopped = false;
    let error: string | null = null;
    try {
      for await (const line of source) {
        const entry = await this.#reader.read(line);
        batch.push(entry);
        size += line.size;
        links += entry.links.length;
        if (Math.max(batch.length, links) < MAX_BATCH_LINES && size < MAX_BATCH_BYTES) continue;
        await this.#write(batch);
        batch = [];
        [size, links] = [0, 0];
        stopped = this.#hooks.isStopped();
        if (stopped || this.#failedAt !== null) break;
      }
    } catch (fault) {
      if (!(fault instanceof BrokenOff)) throw fault;
      error = fault.message;
    }
    if (!stopped && this.#failedAt === null) await this.#write(batch);
    if (!this.#context.dryRun) await this.#context.db.database.analyze(FILLED);
    return {
      ...this.#reports.counts,
      ...this.#records.created,
      /** Hosts that are not domains of the account; their new links went to the default domain. */
      movedFrom: Object.fromEntries(this.#reports.movedFrom),
      movedTo: this.#records.defaultName,
      /** The names of columns with values that the format does not have. */
      unusedColumns: [...this.#reader.unusedColumns],
      /** The line at which `fail` stopped the import. */
      failedAt: this.#failedAt,
      /** Why the file could not be read to its end. */
      error,
      stopped,
    };
  }

  async #write(batch: readonly Entry[]): Promise<void> {
    const items = batch.flatMap(({ links }) => links);
    const onTaken = ({ skip: 'refuse', suffix: 'suffix', fail: 'stop' } as const)[this.#onTaken];
    const { db, writer, services, now, dryRun } = this.#context;
    const options = { onTaken, dryRun };
    const outcomes =
      items.length > 0 ? await createLinksInBulk(db, writer, services, items, options, now) : [];
    let next = 0;
    for (const entry of batch) {
      const ofEntry = outcomes.slice(next, next + entry.links.length);
      next += entry.links.length;
      // The batch ended before this line.
      if (ofEntry.length === 0 && entry.links.length > 0) break;
      this.#reports.add(entry, ofEntry);
      const isTaken = ofEntry.some((outcome) => outcome.kind === 'refused' && outcome.taken);
      if (onTaken === 'stop' && isTaken) this.#failedAt = entry.line;
    }
    this.#hooks.onProgress(this.#reports.counts.lines);
  }
}
