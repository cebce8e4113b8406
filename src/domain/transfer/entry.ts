import type { FieldError } from '../errors.ts';
import type { BulkItem } from '../link/bulk.ts';
import { columnsFor, type FileColumns, FileRecord, type RawRecord } from './columns.ts';
import type { ImportFormat } from './formats.ts';
import { type ImportLine, RefusedLine, readLine } from './line.ts';
import type { NamedRecords, UsableDomain } from './named-records.ts';

/** A line of a file with its number, or the error of a line that cannot be read. */
export type SourceLine = {
  readonly line: number;
  /** Its approximate size in bytes. */
  readonly size: number;
} & (
  | { readonly raw: RawRecord; readonly header: readonly string[]; readonly isCsv: boolean }
  | { readonly unreadable: string }
);

/** A new link of a line. */
export interface LinkOfLine extends BulkItem {
  readonly alias: string | undefined;
  /** The host whose link goes to the default domain instead. */
  readonly insteadOf: string | undefined;
}

/** A line whose names are resolved: its new links, or why it is refused. */
export interface Entry {
  readonly line: number;
  readonly links: readonly LinkOfLine[];
  readonly refused: readonly FieldError[];
  readonly notes: readonly string[];
  /** The column of a field, if the file has one. */
  columnOf(field: string): string | null;
}

/** How many unused columns are reported, and how much of their names: a JSON file may have any number. */
const MAX_UNUSED = 50;
const MAX_UNUSED_LENGTH = 50;
/** How many headers are cached: in a JSON file, each record may have different keys. */
const MAX_HEADERS = 1_000;

/** Reads lines, and resolves the names in them. */
export class EntryReader {
  readonly #format: ImportFormat;
  readonly #records: NamedRecords;
  readonly #now: Date;
  readonly #columns = new Map<string, FileColumns>();
  /** The names of columns with values that the format does not have. */
  readonly unusedColumns = new Set<string>();

  constructor(format: ImportFormat, records: NamedRecords, now: Date) {
    this.#format = format;
    this.#records = records;
    this.#now = now;
  }

  async read(source: SourceLine): Promise<Entry> {
    const empty = { line: source.line, links: [], refused: [], notes: [], columnOf: () => null };
    if ('unreadable' in source) return { ...empty, refused: [{ path: [], messages: [source.unreadable] }] };
    const columns = this.#columnsOf(source.header);
    const record = new FileRecord(columns, source.raw, source.isCsv);
    const columnOf = (field: string) => record.columnOf(field);
    for (const name of record.unused)
      if (this.unusedColumns.size < MAX_UNUSED)
        this.unusedColumns.add(name.trim().slice(0, MAX_UNUSED_LENGTH));
    try {
      const line = readLine(record.fields, columns.format, this.#now);
      return { ...empty, ...(await this.#resolve(line)), columnOf };
    } catch (error) {
      if (error instanceof RefusedLine) return { ...empty, refused: error.fields, columnOf };
      throw error;
    }
  }

  /** @throws RefusedLine */
  async #resolve(line: ImportLine): Promise<Partial<Entry>> {
    const domains: UsableDomain[] = [];
    for (const { host } of line.names) domains.push(await this.#records.domainOf(line, host));
    const spaceId = await this.#records.spaceOf(line);
    const pixelIds = await this.#records.pixelsOf(line);
    if (line.kind !== 'link') return {};
    const { clicks: _clicks, lastClickedAt: _lastClickedAt, ...times } = line.origin;
    const links = line.names.map(({ alias }, index) => ({
      input: {
        ...line.fields,
        alias,
        domainId: String(domains[index]?.id),
        spaceId: spaceId === undefined ? undefined : String(spaceId),
        pixelIds: pixelIds.map(String),
      },
      // The service counted the clicks of all short URLs together.
      origin: index === 0 ? line.origin : times,
      alias,
      insteadOf: domains[index]?.insteadOf,
    }));
    return { links, notes: line.notes };
  }

  #columnsOf(header: readonly string[]): FileColumns {
    const key = header.join('\n');
    const columns = this.#columns.get(key) ?? columnsFor(this.#format, header);
    if (this.#columns.size < MAX_HEADERS) this.#columns.set(key, columns);
    return columns;
  }
}
