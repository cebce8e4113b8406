import Papa from 'papaparse';
import type { CreateLinkInput, PlatformTargetInput } from '../generated/documents.ts';
import { trimPasted, withScheme } from '../parts/format.ts';
import { texts } from '../texts.ts';
import { privacies, targetTypes } from './link-fields.ts';

type Cells = Readonly<Record<string, string>>;

/** A line of the input: a new link by the columns of the service's export. */
export interface ImportRow {
  /** The number of the line in the text, from 1; in CSV that of the row in a spreadsheet, where the header is 1. */
  readonly number: number;
  readonly cells: Cells;
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

/** The columns that may have invisible characters around them, which the API drops. */
const pasted: ReadonlySet<string> = new Set(['url', 'alias', 'expiration_url']);

const isBlank = ({ cells }: ImportRow): boolean =>
  Object.values(cells)
    .flat()
    .every((cell) => cell === '');

interface Table {
  /** Blank ones, too. */
  readonly rows: readonly ImportRow[];
  /** The columns of a CSV file; null for lines. */
  readonly columns: readonly string[] | null;
  readonly delimiter: string;
}

/** A byte order mark, and Excel's first line that names the delimiter, which is found without it. */
const PREFIX = /^\uFEFF?(?:"?sep=."?\r?\n)?/;

/** The text of a file in UTF-8, or in UTF-16 as Excel writes it. */
export async function textIn(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes);
  return new TextDecoder(first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes);
}

function tableOf(given: string): Table {
  const text = given.replace(PREFIX, '');
  const [header = ''] = text.split(/\r?\n/, 1);
  if (!/(^|[,;\t])\s*"?url"?\s*([,;\t]|$)/i.test(header)) {
    const rows = text.split(/\r?\n/).map((line, index) => {
      const parts = line.includes('\t') ? line.split('\t') : line.trim().split(/ {2,}/);
      const [url = '', alias = '', title = ''] = parts;
      const cells = { url: trimPasted(url), alias: trimPasted(alias), title: title.trim() };
      return { number: index + 1, cells };
    });
    return { rows, columns: null, delimiter: '\t' };
  }
  // Blank lines, which count as lines, would mislead the guess.
  const { delimiter } = Papa.parse(text, { preview: 10, skipEmptyLines: 'greedy' }).meta;
  const { data, meta } = Papa.parse<Record<string, string>>(text, {
    header: true,
    delimiter,
    transformHeader: (name) => name.trim().toLowerCase(),
    transform: (cell, name) => unguarded(pasted.has(String(name)) ? trimPasted(cell) : cell.trim()),
  });
  const rows = data.map((cells, index) => ({ number: index + 2, cells }));
  return { rows, columns: meta.fields ?? [], delimiter };
}

/**
 * Reads pasted lines or a CSV file. With a header that has a column `url`, it is CSV; else each line is a URL, with an alias
 * and a title after it, separated by tabs or, since a tab cannot be typed into a form, by two spaces.
 */
export function parseRows(text: string): {
  rows: readonly ImportRow[];
  /** The columns that no link has. */
  unknown: readonly string[];
} {
  const { rows, columns: given } = tableOf(text);
  return {
    rows: rows.filter((row) => !isBlank(row) && ['link', ''].includes(row.cells.kind ?? '')),
    unknown: (given ?? []).filter((name) => !columns.has(name) && !ignored.has(name)),
  };
}

/** The text with other cells in its lines; without those for which there are none. */
export function withRows(text: string, cellsOf: (row: ImportRow) => Cells | undefined): string {
  const { rows, columns: given, delimiter } = tableOf(text);
  const names = given ?? ['url', 'alias', 'title'];
  const data = rows.flatMap((row) => {
    const cells = cellsOf(row);
    return cells ? [names.map((name) => cells[name] ?? '')] : [];
  });
  return given === null
    ? data.map((cells) => cells.join('\t').trimEnd()).join('\n')
    : Papa.unparse({ fields: [...names], data }, { delimiter });
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

/** Whether the line's link had a password, which no export has: without another one, the link must not be open. */
export function lacksPassword({ cells }: ImportRow): boolean {
  return isYes(cells.has_password ?? '') && (cells.password ?? '') === '';
}

const isYes = (text: string): boolean => /^(1|true|yes|on)$/i.test(text);

/** The entries of a list in JSON, as an export has them. */
function listIn<Entry>(
  { cells }: ImportRow,
  column: string,
  isEntry: (one: unknown) => one is Entry,
): Entry[] {
  const text = cells[column] ?? '';
  if (text === '') return [];
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every(isEntry)) return list;
  } catch {
    // It is told below.
  }
  throw new WrongCell(texts.many.wrongList(column));
}

const isText = (one: unknown): one is string => typeof one === 'string';

/** Whether an entry has texts by these names. */
const hasTexts =
  <Name extends string>(...names: Name[]) =>
  (one: unknown): one is Record<Name, string> =>
    names.every((name) => isText(Object(one)[name]));

function choiceIn<Value extends string>(
  { cells }: ImportRow,
  column: string,
  choices: readonly Value[],
): Value | undefined {
  const text = (cells[column] ?? '').toUpperCase();
  if (text === '') return undefined;
  const found = choices.find((one) => one === text);
  if (found === undefined) throw new WrongCell(texts.many.wrongChoice(column, choices.join(', ')));
  return found;
}

function found(names: ReadonlyMap<string, string>, name: string, column: string): string | undefined {
  if (name === '') return undefined;
  const id = names.get(name);
  if (id === undefined) throw new WrongCell(texts.many.unknownName(column, name));
  return id;
}

/** The targets of a line; which countries and languages there are, the API knows. */
function targetingOf(row: ImportRow): CreateLinkInput['targeting'] {
  const type = choiceIn(row, 'target_type', targetTypes);
  if (type === undefined || type === 'NONE') return undefined;
  const isPlatform = (one: unknown): one is PlatformTargetInput =>
    hasTexts('platform', 'url')(one) && one.platform in texts.platforms;
  return {
    type,
    countries: listIn(row, 'countries', hasTexts('country', 'url')),
    platforms: listIn(row, 'platforms', isPlatform),
    languages: listIn(row, 'languages', hasTexts('language', 'url')),
    rotation: listIn(row, 'rotation', isText),
  };
}

/**
 * The new link of a line. Values are sent as they are, so that the API says what is wrong with them.
 * @param spaceId the space of lines that name none
 * @throws WrongCell
 */
export function linkOfRow(row: ImportRow, known: Known, spaceId: string): CreateLinkInput {
  const cell = (name: string) => row.cells[name] ?? '';
  const given = <Name extends string>(name: Name, value: string) => (value === '' ? {} : { [name]: value });
  const clicks = cell('expiration_clicks');
  const space = found(known.spaces, cell('space'), 'space') ?? spaceId;
  const domainId = found(known.domains, cell('domain').toLowerCase(), 'domain');
  const pixelIds = listIn(row, 'pixels', hasTexts('type', 'value')).map(
    ({ type, value }) => found(known.pixels, `${type} ${value}`, 'pixels') ?? '',
  );
  const privacy = choiceIn(row, 'privacy', privacies);
  const targeting = targetingOf(row);
  return {
    url: withScheme(cell('url')),
    ...given('alias', cell('alias')),
    ...given('title', cell('title')),
    ...given('password', cell('password')),
    ...given('spaceId', space),
    ...(domainId !== undefined && { domainId }),
    ...((isYes(cell('disabled')) || lacksPassword(row)) && { disabled: true }),
    ...(privacy && { privacy }),
    ...given('privacyPassword', cell('privacy_password')),
    ...(pixelIds.length > 0 && { pixelIds }),
    ...((cell('expires_at') || clicks || cell('expiration_url')) && {
      expiration: {
        ...given('at', cell('expires_at')),
        ...(clicks !== '' && { clicks: /^\d{1,9}$/.test(clicks) ? Number(clicks) : 0 }),
        ...given('url', withScheme(cell('expiration_url'))),
      },
    }),
    ...(targeting && { targeting }),
  };
}

/** Rows as a CSV file that spreadsheets open safely. */
export function csvOf(rows: readonly Readonly<Record<string, string>>[]): Blob {
  const text = Papa.unparse([...rows], { escapeFormulae: true });
  return new Blob([`\uFEFF${text}\r\n`], { type: 'text/csv' });
}
