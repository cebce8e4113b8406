import { unguarded } from './csv-writer.ts';
import {
  type Format,
  type ImportField,
  type ImportFormat,
  type ImportRecord,
  importFields,
  importFormats,
} from './formats.ts';
import { shortUrlsIn } from './named-values.ts';
import { isSet } from './values.ts';

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
  for (const [field, names] of Object.entries(format.columns)) {
    const found = names.flatMap((name) => header.filter((column) => normal(column) === normal(name)));
    // Object.entries loses the type of the keys.
    if (found.length > 0) byField.set(field as ImportField, [...new Set(found)]);
  }
  const used = new Set([...byField.values()].flat());
  return { format, byField, others: header.filter((column) => !used.has(column)) };
}

/** Whether these columns are sufficient for links. */
export function hasLinks({ byField }: FileColumns): boolean {
  return byField.has('url') && (byField.has('alias') || byField.has('short_url'));
}

/** The fields that a cell may have as a list in JSON. */
const LISTS: ReadonlySet<ImportField> = new Set(['short_url', 'tags']);

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0);

/** The columns with a value in the record that is not imported: those of no field, and those that differ from the one that counts. */
export function unusedColumns(columns: FileColumns, cells: Cells): string[] {
  const { byField, others } = columns;
  const shadowed = [...byField].flatMap(([field, names]) => {
    if (names.length < 2 || COMBINED.has(field)) return [];
    const [first, ...more] = valuesOf(columns, cells, field);
    const shown = JSON.stringify(first?.value);
    return more.flatMap(({ column, value }) => (JSON.stringify(value) === shown ? [] : column));
  });
  return [...others.filter((name) => !isEmpty(cells.raw[name])), ...shadowed];
}

/** What services write into a cell without a value; the last is MySQL's. */
const NO_VALUE = /^(null|undefined|0000-00-00( 00:00:00)?)$/i;

/** Fields that are true if any of their columns is true. */
const ANY_COLUMN: ReadonlySet<ImportField> = new Set(['has_password', 'disabled']);

/** Fields of which several columns may count. */
const COMBINED: ReadonlySet<ImportField> = new Set([...ANY_COLUMN, 'short_url']);

/** A record of a file, and whether the file is CSV. */
export interface Cells {
  readonly raw: RawRecord;
  readonly isCsv: boolean;
}

/** The values of a field by column, without those that mean nothing. */
function valuesOf(
  { format, byField }: FileColumns,
  { raw, isCsv }: Cells,
  field: ImportField,
): { column: string; value: unknown }[] {
  const guarded = isCsv && format.guarded === true;
  const hasMeaning = (value: unknown) =>
    !isEmpty(value) &&
    !(isCsv && !guarded && typeof value === 'string' && NO_VALUE.test(value)) &&
    !(LISTS.has(field) && value === '[]');
  return (byField.get(field) ?? []).flatMap((column) => {
    const value = raw[column];
    const trimmed = typeof value === 'string' ? value.trim() : value;
    if (!hasMeaning(trimmed)) return [];
    return { column, value: guarded && typeof trimmed === 'string' ? unguarded(trimmed) : trimmed };
  });
}

/**
 * A record by our field names. Empty values and lists are absent; of several columns for a field, the first with a value counts,
 * or all short URLs.
 */
export function recordOf(columns: FileColumns, cells: Cells): ImportRecord {
  const record: ImportRecord = {};
  for (const field of columns.byField.keys()) {
    const values = valuesOf(columns, cells, field);
    const first = (ANY_COLUMN.has(field) && values.find(({ value }) => isSet(value))) || values[0];
    if (first === undefined) continue;
    const isList = field === 'short_url' && columns.format.hasAliases;
    record[field] = isList ? values.flatMap(({ value }) => shortUrlsIn(value)) : first.value;
  }
  return record;
}

/** The field that replaces a missing one. */
const FALLBACKS: Partial<Record<ImportField, ImportField>> = {
  alias: 'short_url',
  space: 'tags',
  countries: 'country_urls',
};

/** The name of the column that has the record's value for a field, such as `tags[0]`; null if there is none. */
export function columnWithValue(columns: FileColumns, cells: Cells, path: string): string | null {
  const field = importFields.find((one) => one === path.split(/[.[]/)[0]);
  if (field === undefined) return null;
  const [first] = [field, FALLBACKS[field]].flatMap((one) => (one ? valuesOf(columns, cells, one) : []));
  return first?.column.trim() ?? null;
}
