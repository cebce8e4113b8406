import { unguarded } from './csv-writer.ts';
import {
  type Format,
  type ImportField,
  type ImportFormat,
  type ImportRecord,
  importFormats,
} from './formats.ts';
import { isSet, shortUrlsIn } from './values.ts';

const normal = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** A record of a file: texts for CSV, any values for JSON. */
export type RawRecord = Readonly<Record<string, unknown>>;

export interface FileColumns {
  readonly format: Format;
  /** The names of the columns for each field, by precedence. */
  readonly byField: ReadonlyMap<ImportField, readonly string[]>;
  /** The columns that belong to no field. */
  readonly others: readonly string[];
}

/** The record with the values of its nested objects as columns. */
export function flattened(format: ImportFormat, raw: RawRecord): RawRecord {
  const { nested = [] }: Format = importFormats[format];
  if (nested.length === 0) return raw;
  const entries = Object.entries(raw).flatMap(([key, value]) =>
    nested.includes(key) && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([inner, one]): [string, unknown] => [`${key}.${inner}`, one])
      : [[key, value] as const],
  );
  return Object.fromEntries(entries);
}

/** The columns of a file for each field, by their names. */
export function columnsFor(formatName: ImportFormat, header: readonly string[]): FileColumns {
  const format: Format = importFormats[formatName];
  const byField = new Map<ImportField, string[]>();
  const byName = Map.groupBy(header, normal);
  for (const [field, names] of Object.entries(format.columns)) {
    const found = names.flatMap((name) => byName.get(normal(name)) ?? []);
    // Object.entries loses the type of the keys.
    if (found.length > 0) byField.set(field as ImportField, [...new Set(found)]);
  }
  const used = new Set([...byField.values()].flat());
  return { format, byField, others: header.filter((column) => !used.has(column)) };
}

/** Whether these columns are sufficient for links. */
export function hasLinks({ format, byField }: FileColumns): boolean {
  // A spreadsheet of new links may leave all aliases to the service.
  const mayLackAlias = format === importFormats.csv;
  return byField.has('url') && (mayLackAlias || byField.has('alias') || byField.has('short_url'));
}

/** The fields that a cell may have as a list in JSON. */
const LISTS: ReadonlySet<ImportField> = new Set(['short_url', 'tags']);

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0);

/** What services write into a cell without a value; the last is MySQL's. */
const NO_VALUE = /^(null|undefined|0000-00-00( 00:00:00)?)$/i;

/** Fields that are true if any of their columns is true. */
const ANY_COLUMN: ReadonlySet<ImportField> = new Set(['has_password', 'disabled']);

/** The field that replaces a missing one. */
const FALLBACKS: Readonly<Record<string, string>> = {
  alias: 'short_url',
  countries: 'country_urls',
};

/** A record of a file, by field and column. */
export class FileRecord {
  /** The record by our field names, without empty values and lists. */
  readonly fields: ImportRecord = {};
  /** The columns with a value that is not imported: those of no field, and those that differ from the one that counts. */
  readonly unused: readonly string[];
  /** The first column of each field that has a value. */
  readonly #columns = new Map<string, string>();

  constructor({ format, byField, others }: FileColumns, raw: RawRecord, isCsv: boolean) {
    const unused = others.filter((column) => !isEmpty(raw[column]));
    const guarded = isCsv && format.guarded === true;
    const valuesIn = (field: ImportField, column: string) => {
      const given = raw[column];
      const value = typeof given === 'string' ? given.trim() : given;
      const isNone = isCsv && !guarded && typeof value === 'string' && NO_VALUE.test(value);
      if (isEmpty(value) || isNone || (LISTS.has(field) && value === '[]')) return [];
      return [{ column, value: guarded && typeof value === 'string' ? unguarded(value) : value }];
    };
    for (const [field, names] of byField) {
      const values = names.flatMap((column) => valuesIn(field, column));
      const [first] = values;
      if (first === undefined) continue;
      this.#columns.set(field, first.column.trim());
      if (field === 'short_url' && format.hasAliases)
        this.fields[field] = values.flatMap(({ value }) => shortUrlsIn(value));
      else if (ANY_COLUMN.has(field))
        this.fields[field] = (values.find(({ value }) => isSet(value)) ?? first).value;
      else this.fields[field] = first.value;
      if (field === 'short_url' || ANY_COLUMN.has(field)) continue;
      for (const { column, value } of values.slice(1))
        if (JSON.stringify(value) !== JSON.stringify(first.value)) unused.push(column);
    }
    this.unused = unused;
  }

  /** The name of the column that has the value of a field, such as `tags[0]`; null if there is none. */
  columnOf(path: string): string | null {
    const [field = ''] = path.split(/[.[]/);
    return this.#columns.get(field) ?? this.#columns.get(FALLBACKS[field] ?? '') ?? null;
  }
}
