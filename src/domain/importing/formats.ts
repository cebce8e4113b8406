import { linkTexts } from '../link/input.ts';
import { isSet } from './values.ts';

/** The columns of our own export, in order. */
export const exportFields = [
  'kind',
  'short_url',
  'domain',
  'own_domain',
  'domain_not_found_url',
  'alias',
  'url',
  ...linkTexts,
  'space',
  'space_color',
  'pixels',
  'disabled',
  'has_password',
  'privacy',
  'has_privacy_password',
  'expiration_url',
  'expires_at',
  'expiration_clicks',
  'target_type',
  'countries',
  'platforms',
  'languages',
  'rotation',
  'clicks',
  'last_clicked_at',
  'created_at',
  'updated_at',
] as const;

/**
 * The fields of an import's line, whatever the columns of its file are called. No export has passwords, but people may add them.
 */
const importFields = [...exportFields, 'tags', 'password', 'privacy_password', 'starts_at'] as const;

export type ImportField = (typeof importFields)[number];

/** The column names for a field, by precedence; case, spaces and punctuation do not matter. */
type Columns = Partial<Record<ImportField, readonly string[]>>;

interface Format {
  /** The name for people. */
  readonly name: string;
  readonly columns: Columns;
  /** The keys of objects in JSON whose own keys count as columns, such as `meta.validUntil`. */
  readonly nested?: readonly string[];
  /** Whether texts that a spreadsheet would run as formulas were escaped, and must be restored. */
  readonly guarded?: boolean;
}

const times = {
  created_at: [
    ...['created at', 'created', 'created on', 'created date', 'date created', 'date added'],
    ...['creation date', 'creation time', 'create date', 'timestamp', 'date'],
  ],
  updated_at: ['updated at', 'updated', 'last updated', 'modified'],
  last_clicked_at: ['last clicked', 'last clicked at', 'last click at', 'last click', 'last click date'],
};
/** A link that is closed to visitors must not come back open, whatever a service calls that. */
const access = {
  has_password: [
    'password',
    'has password',
    'password protected',
    'is password protected',
    'password enabled at',
  ],
  disabled: ['disabled', 'disabled at', 'banned'],
  expires_at: [
    ...['expires at', 'expired at', 'expires', 'expires on', 'expire in', 'expiration', 'expiration date'],
    ...['expiration time', 'expiry', 'expiry date', 'valid until'],
  ],
  expiration_clicks: ['max visits', 'max clicks', 'click limit', 'visit limit'],
  expiration_url: ['expired url', 'expiration url'],
  starts_at: ['valid since', 'valid from', 'starts at', 'active from'],
};
const shortUrl = ['short url', 'short link', 'shortened url', 'link'];
const clicks = ['clicks', 'total clicks', 'click count', 'visits', 'visits count', 'visit count'];
const longUrl = ['long url', 'destination url', 'destination', 'original url', 'target', 'url'];

/** The supported formats, with the columns of each service's exports. */
export const importFormats = {
  csv: {
    name: 'Linkspace',
    columns: Object.fromEntries(importFields.map((field) => [field, [field]])),
    guarded: true,
  },
  bitly: {
    name: 'Bitly',
    columns: {
      ...times,
      ...access,
      short_url: ['custom bitlink', 'custom bitlinks', 'custom link', 'bitlink', ...shortUrl],
      alias: ['back half', 'custom back half', 'keyword'],
      domain: ['domain', 'custom domain'],
      url: longUrl,
      title: ['title', 'link title', 'name'],
      space: ['campaign', 'folder'],
      tags: ['tags', 'tag'],
      clicks: [...clicks, 'engagements', 'total engagements', 'link clicks', 'clicks all time'],
    },
  },
  dub: {
    name: 'Dub',
    columns: {
      ...times,
      ...access,
      short_url: shortUrl,
      alias: ['key', 'slug'],
      domain: ['domain'],
      url: ['url', ...longUrl],
      title: ['title', 'og title'],
      space: ['folder', 'folder name'],
      tags: ['tags', 'tag'],
      clicks,
    },
  },
  kutt: {
    name: 'Kutt',
    columns: {
      ...times,
      ...access,
      short_url: shortUrl,
      alias: ['address', 'custom url', 'customurl'],
      domain: ['domain'],
      url: longUrl,
      title: ['description', 'title'],
      tags: ['tags'],
      clicks: ['visit count', ...clicks],
    },
  },
  rebrandly: {
    name: 'Rebrandly',
    columns: {
      ...times,
      ...access,
      short_url: ['branded link', 'branded short link', ...shortUrl],
      alias: ['slashtag', 'slash tag', 'back half'],
      domain: ['domain', 'domain full name', 'domain name', 'branded domain'],
      url: ['destination', 'destination url', ...longUrl],
      title: ['title', 'link title'],
      space: ['folder'],
      tags: ['tags', 'tag'],
      clicks,
    },
  },
  shlink: {
    name: 'Shlink',
    columns: {
      ...times,
      ...access,
      short_url: ['short url'],
      alias: ['short code', 'slug', 'custom slug'],
      domain: ['domain'],
      url: ['long url', ...longUrl],
      title: ['title'],
      tags: ['tags'],
      clicks: ['visits', 'visits count', 'visits total', 'visits summary total', ...clicks],
      expires_at: [...access.expires_at, 'meta valid until'],
      starts_at: [...access.starts_at, 'meta valid since'],
      expiration_clicks: [...access.expiration_clicks, 'meta max visits'],
    },
    nested: ['visitsSummary', 'meta'],
  },
  yourls: {
    name: 'YOURLS',
    columns: {
      ...times,
      ...access,
      short_url: ['short url', 'shorturl'],
      alias: ['keyword'],
      domain: ['domain'],
      url: ['url', 'long url', 'longurl'],
      title: ['title'],
      clicks,
    },
  },
} as const satisfies Record<string, Format>;

export type ImportFormat = keyof typeof importFormats;

const normal = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** A record of a file: texts for CSV, any values for JSON. */
export type RawRecord = Readonly<Record<string, unknown>>;
export type ImportRecord = Partial<Record<ImportField, unknown>>;

export type FieldColumns = ReadonlyMap<ImportField, readonly string[]>;

/** The record with the values of its nested objects as columns. */
export function flattened(format: ImportFormat, raw: RawRecord): RawRecord {
  const { nested = [] }: Format = importFormats[format];
  const entries = Object.entries(raw).flatMap(([key, value]) =>
    nested.includes(key) && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([inner, one]): [string, unknown] => [`${key}.${inner}`, one])
      : [[key, value] as const],
  );
  return nested.length > 0 ? Object.fromEntries(entries) : raw;
}

/** The columns of a file for each field, by their names. */
export function columnsFor(format: ImportFormat, header: readonly string[]): FieldColumns {
  const columns = new Map<ImportField, string[]>();
  for (const [field, names] of Object.entries(importFormats[format].columns as Columns)) {
    const found = names.flatMap((name) => header.filter((column) => normal(column) === normal(name)));
    // Object.entries loses the type of the keys.
    if (found.length > 0) columns.set(field as ImportField, [...new Set(found)]);
  }
  return columns;
}

/** Whether these columns are sufficient for links. */
export function hasLinks(columns: FieldColumns): boolean {
  return columns.has('url') && (columns.has('alias') || columns.has('short_url'));
}

/** The required columns of the format, in words. */
export function neededColumns(format: ImportFormat): string {
  const { alias = [], short_url = [], url = [] } = importFormats[format].columns as Columns;
  const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
  return `one of ${quoted(url)} for the destination, and one of ${quoted([...alias, ...short_url])} for the alias`;
}

/** Text that a spreadsheet would run as a formula, with or without apostrophes that mark it as text. */
const FORMULA = /^'*[=+\-@\t\r]/;

/** The cell, escaped so that a spreadsheet does not run it. */
export function guardCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function unguarded(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

/** The fields that a cell may have as a list in JSON. */
const LISTS: ReadonlySet<ImportField> = new Set(['short_url', 'tags']);

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0);

/** The record's columns with a value that belong to no field. */
export function unusedColumns(columns: FieldColumns, header: readonly string[], raw: RawRecord): string[] {
  const used = new Set([...columns.values()].flat());
  return header.filter((name) => !used.has(name) && !isEmpty(raw[name]));
}

/** What services write into a cell without a value; the last is MySQL's. */
const NOTHING = /^(null|undefined|0000-00-00( 00:00:00)?)$/i;

/** Fields for which any column counts that says yes: a link is closed for whatever reason. */
const ANY: ReadonlySet<ImportField> = new Set(['has_password', 'disabled']);

/** A record as it is in a file. */
export interface Cells {
  readonly raw: RawRecord;
  readonly isCsv: boolean;
}

/** The values of a field by column, without those that mean nothing. */
function valuesOf(
  format: ImportFormat,
  columns: FieldColumns,
  { raw, isCsv }: Cells,
  field: ImportField,
): { column: string; value: unknown }[] {
  const guarded = isCsv && (importFormats[format] as Format).guarded === true;
  const means = (value: unknown) =>
    !isEmpty(value) &&
    !(isCsv && !guarded && typeof value === 'string' && NOTHING.test(value)) &&
    !(LISTS.has(field) && value === '[]');
  return (columns.get(field) ?? []).flatMap((column) => {
    const value = raw[column];
    const trimmed = typeof value === 'string' ? value.trim() : value;
    if (!means(trimmed)) return [];
    return { column, value: guarded && typeof trimmed === 'string' ? unguarded(trimmed) : trimmed };
  });
}

/** A record by our field names. Empty values and lists are absent; of several columns for a field, the first with a value counts. */
export function recordOf(format: ImportFormat, columns: FieldColumns, cells: Cells): ImportRecord {
  const record: ImportRecord = {};
  for (const field of columns.keys()) {
    const values = valuesOf(format, columns, cells, field);
    const first = (ANY.has(field) && values.find(({ value }) => isSet(value))) || values[0];
    if (first !== undefined) record[field] = first.value;
  }
  return record;
}

/** From which other field a missing one is taken. */
const INSTEAD: Partial<Record<ImportField, ImportField>> = { alias: 'short_url', space: 'tags' };

/** The name of the column that has the record's value for a field, such as `tags[0]`; null if there is none. */
export function columnWithValue(
  format: ImportFormat,
  columns: FieldColumns,
  cells: Cells,
  path: string,
): string | null {
  const field = importFields.find((one) => one === path.split(/[.[]/)[0]);
  if (field === undefined) return null;
  const [first] = [field, INSTEAD[field]].flatMap((one) =>
    one ? valuesOf(format, columns, cells, one) : [],
  );
  return first?.column.trim() ?? null;
}
