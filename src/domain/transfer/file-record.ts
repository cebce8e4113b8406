import { unguarded } from '../../engine/tools/csv-writer.ts';
import type { ClosingCell } from './closing.ts';
import { type ClosingField, matchClosingField, plainName } from './closing-columns.ts';
import {
  type Format,
  type ImportField,
  type ImportFormat,
  type ImportRecord,
  importFormats,
} from './formats.ts';
import { isSet, shortUrlsIn } from './values.ts';

/** A record of a file: texts for CSV, any values for JSON. */
export type RawRecord = Readonly<Record<string, unknown>>;

export interface FileColumns {
  readonly format: Format;
  /** The names of the columns for each field, by precedence. */
  readonly byField: ReadonlyMap<ImportField, readonly string[]>;
  /** The columns that may close links. */
  readonly closing: readonly { readonly field: ClosingField; readonly column: string }[];
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

type Names = readonly (readonly [ImportField, readonly string[]])[];

const plainNames = new Map<Format, Names>();

/** The names of columns for each field, as they are compared. In JSON, each record may have other columns. */
function namesIn(format: Format): Names {
  const known = plainNames.get(format);
  if (known !== undefined) return known;
  // Object.entries loses the type of the keys.
  const names = Object.entries(format.columns).map(
    ([field, all]) => [field as ImportField, all.map(plainName)] as const,
  );
  plainNames.set(format, names);
  return names;
}

/** The columns of a file for each field, by their names. */
export function columnsFor(formatName: ImportFormat, header: readonly string[]): FileColumns {
  const format: Format = importFormats[formatName];
  const byField = new Map<ImportField, string[]>();
  const byName = Map.groupBy(header, plainName);
  for (const [field, names] of namesIn(format)) {
    const found = names.flatMap((name) => byName.get(name) ?? []);
    if (found.length > 0) byField.set(field, [...new Set(found)]);
  }
  const closing = header.flatMap((column) => {
    const field = matchClosingField(column);
    return field === undefined ? [] : [{ field, column }];
  });
  const used = new Set([...[...byField.values()].flat(), ...closing.map(({ column }) => column)]);
  return { format, byField, closing, others: header.filter((column) => !used.has(column)) };
}

/** True if these columns are sufficient to make links. */
export function hasLinks({ format, byField }: FileColumns): boolean {
  // A spreadsheet of new links may leave all aliases to the service.
  const mayLackAlias = format === importFormats.csv;
  return byField.has('url') && (mayLackAlias || byField.has('alias') || byField.has('short_url'));
}

/** The fields that a cell may have as a list in JSON. */
const isListed = (field: string): boolean => field === 'short_url' || field === 'tags';

/** The fields that our own export writes as JSON, which has no guards. */
const inJson: ReadonlySet<string> = new Set(
  'tags pixels countries platforms languages rotation rules rule_tests operations views domain_apple_apps domain_android_apps'.split(
    ' ',
  ),
);

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0);

/** Texts that services write into a cell without a value; the last is MySQL's. */
const NO_VALUE = /^(null|undefined|0000-00-00( 00:00:00)?)$/i;
/** Null in MySQL's exports of texts. */
const NULL = '\\N';

/** The field that replaces a missing one. */
const FALLBACKS: Readonly<Record<string, string>> = {
  alias: 'short_url',
  countries: 'country_urls',
};

/** The records that are still in use. */
const records = new WeakMap<RawRecord, FileRecord>();

/** A record of a file, by field and column, which is read once. */
export function readRecord(columns: FileColumns, raw: RawRecord, isCsv: boolean): FileRecord {
  const known = records.get(raw) ?? new FileRecord(columns, raw, isCsv);
  records.set(raw, known);
  return known;
}

/** A record of a file, by field and column. */
export class FileRecord {
  /** The record by our field names, without empty values and lists. */
  readonly fields: ImportRecord = {};
  /** The cells with a value by which the link may be closed. */
  readonly closing: readonly ClosingCell[];
  /** The columns with a value that is not imported: those of no field, and those that differ from the one that counts. */
  readonly unused: readonly string[];
  /** The first column of each field that has a value. */
  readonly #columns = new Map<string, string>();

  constructor({ format, byField, closing, others }: FileColumns, raw: RawRecord, isCsv: boolean) {
    const unused = others.filter((column) => !isEmpty(raw[column]));
    const guarded = isCsv && format.guarded === true;
    // What our own export has, it means so.
    const isOwn = (byField.get('kind') ?? []).some((column) => !isEmpty(raw[column]));
    const valuesIn = (field: ImportField | ClosingField, column: string) => {
      const given = raw[column];
      const value = typeof given === 'string' ? given.trim() : given;
      const isNone = isCsv && !guarded && typeof value === 'string' && NO_VALUE.test(value);
      if (isEmpty(value) || isNone || (value === NULL && !isOwn) || (isListed(field) && value === '[]'))
        return [];
      const isText = typeof value === 'string' && !(inJson.has(field) && value.startsWith('['));
      return [{ column, value: guarded && isText ? unguarded(value) : value }];
    };
    for (const [field, names] of byField) {
      const values = names.flatMap((column) => valuesIn(field, column));
      const [first] = values;
      if (first === undefined) continue;
      this.#columns.set(field, first.column.trim());
      if (field === 'short_url' && format.hasAliases)
        this.fields[field] = values.flatMap(({ value }) => shortUrlsIn(value));
      else this.fields[field] = first.value;
      if (field === 'short_url') continue;
      const [, ...further] = values;
      const counts = further.length > 0 ? JSON.stringify(first.value) : '';
      for (const { column, value } of further) if (JSON.stringify(value) !== counts) unused.push(column);
    }
    this.closing = closing.flatMap(({ field, column }) =>
      valuesIn(field, column).map(({ value }) => ({ field, column: column.trim(), value })),
    );
    for (const { field, column, value } of this.closing)
      if (isSet(value) && !this.#columns.has(field)) this.#columns.set(field, column);
    this.unused = unused;
  }

  /** The name of the column that has the value of a field, such as `tags[0]`; null if there is none. */
  findColumn(path: string): string | null {
    const [field = ''] = path.split(/[.[]/);
    return this.#columns.get(field) ?? this.#columns.get(FALLBACKS[field] ?? '') ?? null;
  }
}
