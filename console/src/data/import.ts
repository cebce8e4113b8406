import Papa from 'papaparse';
import type {
  CountryTargetInput,
  CreateLinkInput,
  LanguageTargetInput,
  LinkPrivacy,
  PlatformTargetInput,
  TargetType,
} from '../generated/documents.ts';

/** A line of the input: a new link by the columns of the service's export. */
export interface ImportRow {
  /** The number of the line among the records, from 1. */
  readonly number: number;
  readonly cells: Readonly<Record<string, string>>;
}

export interface ParsedRows {
  readonly rows: readonly ImportRow[];
  /** The columns that no link has. */
  readonly unknown: readonly string[];
}

/** The columns of the export that make a link; the others are read over. */
const columns = new Set([
  ...['url', 'alias', 'title', 'domain', 'space', 'disabled', 'password', 'privacy', 'privacy_password'],
  ...['expires_at', 'expiration_clicks', 'expiration_url', 'pixels'],
  ...['target_type', 'countries', 'platforms', 'languages', 'rotation'],
]);
const ignored = new Set([
  ...['kind', 'short_url', 'own_domain', 'domain_not_found_url', 'space_color', 'has_password'],
  ...['has_privacy_password', 'clicks', 'last_clicked_at', 'created_at', 'updated_at'],
]);

/** Exports have an apostrophe before what a spreadsheet would run. */
const GUARDED = /(^|;)'('*[=+\-@\t\r＝＋－＠])/g;
const unguarded = (text: string): string => text.replaceAll(GUARDED, '$1$2');

/**
 * Reads pasted lines or a CSV file. With a header that has a column `url`, it is CSV; else each line is a URL, with an alias
 * and a title after it, separated by tabs.
 */
export function parseRows(text: string): ParsedRows {
  const [header = ''] = text.replace(/^\uFEFF/, '').split(/\r?\n/, 1);
  if (!/(^|[,;\t])\s*"?url"?\s*([,;\t]|$)/i.test(header)) {
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    const rows = lines
      .filter((line) => line !== '')
      .map((line, index) => {
        const [url = '', alias = '', title = ''] = line.split('\t').map((cell) => cell.trim());
        return { number: index + 1, cells: { url, alias, title } };
      });
    return { rows, unknown: [] };
  }
  const { data, meta } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (name) => name.trim().toLowerCase(),
    transform: (cell) => unguarded(cell.trim()),
  });
  const rows = data
    .map((cells, index) => ({ number: index + 1, cells }))
    .filter(({ cells }) => (cells.kind ?? 'link') === 'link' || cells.kind === '');
  const unknown = (meta.fields ?? []).filter((name) => !columns.has(name) && !ignored.has(name));
  return { rows, unknown };
}

/** What of the account the lines name. */
export interface Known {
  readonly domains: ReadonlyMap<string, string>;
  readonly spaces: ReadonlyMap<string, string>;
  /** By type and value. */
  readonly pixels: ReadonlyMap<string, string>;
}

/** A line whose cell cannot be a field at all. */
export class WrongCell extends Error {}

const isYes = (text: string): boolean => /^(1|true|yes|on)$/i.test(text);

function listIn(text: string, column: string): unknown[] {
  if (text === '') return [];
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {
    // It is told below.
  }
  throw new WrongCell(`${column} must be a list in JSON, as in an export`);
}

function found(names: ReadonlyMap<string, string>, name: string, column: string): string | undefined {
  if (name === '') return undefined;
  const id = names.get(name);
  if (id === undefined) throw new WrongCell(`${column} “${name}” is not one of the account’s`);
  return id;
}

function pixelIds(text: string, { pixels }: Known): string[] {
  return listIn(text, 'pixels').map((one) => {
    const { type, value } = Object(one) as { type?: unknown; value?: unknown }; // Any JSON; compared as text.
    return found(pixels, `${type} ${value}`, 'pixels') ?? '';
  });
}

/**
 * The new link of a line. Values are sent as they are, so that the API says what is wrong with them.
 * @param spaceId the space of lines that name none
 * @throws WrongCell
 */
export function linkOfRow({ cells }: ImportRow, known: Known, spaceId: string): CreateLinkInput {
  const cell = (name: string) => cells[name] ?? '';
  const given = <Name extends string>(name: Name, value: string) => (value === '' ? {} : { [name]: value });
  const clicks = cell('expiration_clicks');
  const space = found(known.spaces, cell('space'), 'space') ?? spaceId;
  const domainId = found(known.domains, cell('domain').toLowerCase(), 'domain');
  const pixels = pixelIds(cell('pixels'), known);
  const type = cell('target_type').toUpperCase();
  return {
    url: cell('url'),
    ...given('alias', cell('alias')),
    ...given('title', cell('title')),
    ...given('password', cell('password')),
    ...given('spaceId', space),
    ...(domainId !== undefined && { domainId }),
    ...(isYes(cell('disabled')) && { disabled: true }),
    ...(cell('privacy') !== '' && { privacy: cell('privacy').toUpperCase() as LinkPrivacy }),
    ...given('privacyPassword', cell('privacy_password')),
    ...(pixels.length > 0 && { pixelIds: pixels }),
    ...((cell('expires_at') || clicks || cell('expiration_url')) && {
      expiration: {
        ...given('at', cell('expires_at')),
        ...(clicks !== '' && { clicks: /^\d{1,9}$/.test(clicks) ? Number(clicks) : 0 }),
        ...given('url', cell('expiration_url')),
      },
    }),
    // The API checks what JSON there is.
    ...(type !== '' &&
      type !== 'NONE' && {
        targeting: {
          type: type as TargetType,
          countries: listIn(cell('countries'), 'countries') as CountryTargetInput[],
          platforms: listIn(cell('platforms'), 'platforms') as PlatformTargetInput[],
          languages: listIn(cell('languages'), 'languages') as LanguageTargetInput[],
          rotation: listIn(cell('rotation'), 'rotation') as string[],
        },
      }),
  };
}

/** Rows as a CSV file that spreadsheets open safely. */
export function csvOf(rows: readonly Readonly<Record<string, string>>[]): Blob {
  const text = Papa.unparse([...rows], { escapeFormulae: true });
  return new Blob([`\uFEFF${text}\r\n`], { type: 'text/csv' });
}
