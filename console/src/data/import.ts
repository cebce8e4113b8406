import type { ImportFormat } from '../generated/documents.ts';
import { formatRow } from './csv-row.ts';
import { loadScript } from './version.ts';
import { readSheet } from './workbook-text.ts';

/** A record, as it stands in a text. */
export interface TextRecord {
  /** The line where it begins, from 1; in JSON, its number. */
  readonly line: number;
  readonly text: string;
  /** Its beginning in the text; 0 in JSON. */
  readonly at: number;
}

/** A text, cut between its records. */
export interface CutText {
  readonly format: ImportFormat;
  readonly isJson: boolean;
  /** The part before the records of CSV, and of each slice. */
  readonly header: string;
  readonly records: readonly TextRecord[];
  /** The separator between the cells of a record; a space stands for two or more. */
  readonly delimiter: string;
}

/**
 * Reads a file: text in UTF-8 or UTF-16, else in Windows-1252, as Excel writes it, with `isGuessed`; or the first
 * visible sheet of an .xlsx file. Null if it cannot be read, and for other workbooks.
 */
export async function textIn(file: Blob): Promise<{ text: string; isGuessed: boolean } | null> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const begins = (...start: number[]) => start.every((byte, index) => bytes[index] === byte);
  // A zip, as .xlsx is.
  if (begins(0x50, 0x4b, 3, 4)) {
    const sheet = await loadScript(() => readSheet(bytes));
    if (sheet === null) return null;
    // Only pasted lines have no names of columns.
    const isLines = cut(sheet.lines, null).format === 'LINES';
    return { text: isLines ? sheet.lines : sheet.csv, isGuessed: false };
  }
  // An .xls.
  if (begins(0xd0, 0xcf, 0x11, 0xe0)) return null;
  const encoding = begins(0xff, 0xfe) ? 'utf-16le' : begins(0xfe, 0xff) ? 'utf-16be' : 'utf-8';
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), isGuessed: false };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), isGuessed: true };
  }
}

/** The names by which a column is known, as they are compared. */
export const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The names that a sheet's column of URLs may have, as the service knows them. */
export const urlNames: ReadonlySet<string> = new Set(
  `
    url landingpage destinationurl target ziel lien enlace destination longurl landingpageurl landingurl
    targeturl finalurl originalurl pageurl fullurl zielurl zieladresse zielseite ziellink langeurl
    urldedestination urlcible pagededestination pagecible cible urllongue destino urldedestino
    páginadedestino urllarga linkurl link webaddress webadresse adresseweb direcciónweb webpage urls
    links webseite website siteweb sitioweb web destinazione urldidestinazione paginadidestinazione
    urllungo sitoweb indirizzoweb linkdedestino urllonga endereço bestemming doelurl doelpagina
    langelink docelowyadresurl adresdocelowy docelowyurl adresurl stronadocelowa linkdocelowy długiurl
    długilink hedef hedefurl hedefadres uzunurl bağlantı målurl måladress länk långurl webbadress
    destinationsadresse lenke langurl cílováurl cílováadresa odkaz dlouháurl ссылка целевойurl
    длиннаяссылка исходнаяссылка адрес посилання リンク先 リンク先url 元のurl 元url リンク 目标网址 目标链接 原始链接 长链接 网址 链接
  `.match(/\S+/g),
);

/** The columns that identify the format of a service: each alone beside a column of URLs, or all together. */
const marks: readonly (readonly [ImportFormat, ...(readonly string[])[]])[] = [
  ['BITLY', ['bitlink'], ['custombitlink'], ['custombitlinks'], ['link', 'longurl']],
  ['REBRANDLY', ['slashtag'], ['brandedlink'], ['brandedshortlink']],
  ['SHLINK', ['shortcode']],
  ['YOURLS', ['keyword', 'clicks'], ['keyword', 'timestamp'], ['keyword', 'shorturl']],
  ['KUTT', ['address', 'target'], ['customurl', 'target']],
  ['DUB', ['key', 'url'], ['shortlink', 'clicks'], ['shortlink', 'createdat']],
];

/** The format with these columns; that of pasted lines if none is known. */
function guessFormat(names: readonly string[]): ImportFormat {
  const known = new Set(names.map(plain));
  const found = marks.find(([, ...ways]) => ways.some((all) => all.every((name) => known.has(name))))?.[0];
  return found ?? ([...known].some((name) => urlNames.has(name)) ? 'CSV' : 'LINES');
}

/** The name by which redirect rules of Shlink belong to a short URL. */
const shlinkName = ({ domain, shortCode }: { domain?: unknown; shortCode?: unknown }): string =>
  `${domain ?? ''}/${shortCode}`;

/** Short URLs of Shlink with the redirect rules that stand beside them in a file; any other value as it is. */
function withRules(value: unknown): unknown {
  const { redirectRules, ...others } = Object(value);
  if (!Array.isArray(redirectRules) || Array.isArray(value)) return value;
  const rules = new Map(redirectRules.map((one) => [shlinkName(Object(one)), Object(one).redirectRules]));
  return listElements(others).map((one) => {
    const found = rules.get(shlinkName(Object(one)));
    return found === undefined ? one : { redirectRules: found, ...Object(one) };
  });
}

/** The lists of records in JSON; YOURLS has an object of them. */
function listElements(value: unknown, depth = 0): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null || depth > 1) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const found = listElements(inner, depth + 1);
    return found.length === 0 && name === 'links' ? Object.values(Object(inner)) : found;
  });
}

const LINE_END = /\r\n?|\n/g;

function findPlace(pattern: RegExp, text: string, from: number): { at: number; end: number } {
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found ? { at: found.index, end: pattern.lastIndex } : { at: text.length, end: text.length };
}

/** The place of the first quote that is not doubled; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}

/** Finds the end of a CSV record. A quote that is not closed at the end of its cell counts for its line alone, as in the service. */
function recordEnd(text: string, from: number, delimiter: string): { at: number; end: number } {
  const cellEnd = new RegExp(`\\${delimiter}|${LINE_END.source}`, 'g');
  for (let at = from; ; ) {
    const close = text[at] === '"' ? closingQuote(text, at + 1) : at - 1;
    const next = findPlace(cellEnd, text, close + 1);
    if (text[at] === '"' && (close < 0 || next.at !== close + 1)) return findPlace(LINE_END, text, at);
    if (text[next.at] !== delimiter) return next;
    at = next.end;
  }
}

interface Row {
  readonly cells: readonly string[];
  /** Its beginning and end, and the beginning of the next one. */
  readonly at: number;
  readonly end: number;
  readonly next: number;
}

/** The number of rows that tell what the columns are, and of first rows that may have their names, as behind a title. */
const [MAX_LOOKED, MAX_BEFORE] = [20, 5];

/** The first rows of a text that have something. */
function rowsIn(text: string, from: number, delimiter: string): Row[] {
  const rows: Row[] = [];
  for (let at = from; at < text.length && rows.length < MAX_LOOKED; ) {
    const { at: end, end: next } = recordEnd(text, at, delimiter);
    const cells = cellsIn(text.slice(at, end), delimiter);
    if (cells.some((cell) => cell !== '')) rows.push({ cells, at, end, next });
    at = next;
  }
  return rows;
}

/** A text that may be an alias, of letters of any script, emoji and the punctuation of aliases. */
const ALIAS =
  /^(?:[\p{L}\p{M}\p{Nd}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}_-]|\u200d|[./](?=[^./]))+$/u;
const ALIAS_LETTER = /[\p{L}\p{Extended_Pictographic}\p{Regional_Indicator}]/u;

export const looksLikeUrl = (cell: string): boolean =>
  /^(https?:\/\/|www\.|[\w-]+(\.[\w-]+)*\.[a-z]{2,}\/)\S*$/i.test(cell);
/** True for a text that is no column name, but perhaps a URL with a mistake. */
const hasMarks = (cell: string): boolean => /[/.:]/.test(cell);

/** The part of a text before its records. */
interface Head {
  readonly format: ImportFormat;
  readonly delimiter: string;
  /** The names of the columns. */
  readonly names: string;
  /** The beginning of the records. */
  readonly from: number;
}

/** The first row whose names are known. */
function namedHead(rows: readonly Row[], text: string, delimiter: string): (Head & { width: number }) | null {
  const urlAt = rows.findIndex(({ cells }) => cells.some(looksLikeUrl));
  const before = rows.slice(0, Math.min(MAX_BEFORE, urlAt < 0 ? MAX_BEFORE : urlAt));
  const row = before.find(({ cells }) => guessFormat(cells) !== 'LINES');
  if (row === undefined) return null;
  const { cells, at, next } = row;
  const names = text.slice(at, next);
  // A single column is not split: as for the service, there are no tabs in URLs.
  const own = cells.length > 1 ? delimiter : '\t';
  return { format: guessFormat(cells), delimiter: own, names, from: next, width: cells.length };
}

/** True for URLs of one host with a single segment each. */
function areShortUrls(cells: readonly string[]): boolean {
  const parts = cells
    .filter(looksLikeUrl)
    .map((cell) => /^(?:https?:\/\/)?([^/]+)\/[^\s/?#]+\/?$/i.exec(cell)?.[1]?.toLowerCase());
  return parts[0] !== undefined && parts.length > 1 && new Set(parts).size === 1;
}

/** The names of columns: those in the first rows, or names by the contents; one has the URLs. */
function columnHead(
  rows: readonly Row[],
  text: string,
  delimiter: string,
): (Head & { count: number }) | null {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const columns = Array.from({ length: width }, (_, index) => rows.map(({ cells }) => cells[index] ?? ''));
  const counts = columns.map((cells) => cells.filter(looksLikeUrl).length);
  const mostly = columns.flatMap((cells, index) =>
    (counts[index] ?? 0) * 2 > rows.length ? [{ cells, index }] : [],
  );
  const shorts = mostly.filter(({ cells }) => areShortUrls(cells));
  const hasNames = !rows[0]?.cells.some(hasMarks);
  const short = hasNames && mostly.length === 2 && shorts.length === 1 ? shorts[0]?.index : undefined;
  const other = short === undefined ? undefined : mostly.find(({ index }) => index !== short);
  const url = other?.index ?? counts.indexOf(Math.max(0, ...counts));
  const count = counts[url] ?? 0;
  const first = rows.findIndex(({ cells }) => looksLikeUrl(cells[url] ?? ''));
  const above = rows[first - 1];
  const isNamed =
    above !== undefined &&
    width > 1 &&
    above.cells.length === rows[first]?.cells.length &&
    !above.cells.some(hasMarks);
  // No URL has a space: a later cell that has one in each row is a title.
  const isCut =
    delimiter !== '\t' &&
    rows.every(({ cells }) => cells.length === width) &&
    columns.some((cells, index) => index !== url && cells.some((cell) => /\s/.test(cell)));
  const isQuoted = rows.every(({ at }) => text[at] === '"');
  // Pasted lines have an alias and a title behind the URL.
  if (count * 2 <= rows.length || (url === 0 && !isNamed && !isCut && !isQuoted)) return null;
  const filled = columns.map((cells) => cells.filter((cell) => cell !== ''));
  const isAlias = (cells: readonly string[]) =>
    new Set(cells).size === cells.length &&
    cells.every((cell) => ALIAS.test(cell) && ALIAS_LETTER.test(cell));
  const isWord = (cell: string) => /^\p{Lu}\p{Ll}*$/u.test(cell);
  const alias = filled.findIndex(
    // Before the URL, a word may be a title.
    (cells, index) =>
      index !== url && cells.length > 0 && isAlias(cells) && (index > url || !cells.some(isWord)),
  );
  const title = filled.findIndex(
    (cells, index) => index !== url && index !== alias && cells.some((cell) => /\p{L}/u.test(cell)),
  );
  const columnName = (index: number) =>
    ({ [alias]: 'alias', [title]: 'title' })[index] ?? String.fromCharCode(65 + (index % 26));
  const names = columns.map((_, index) => {
    if (index === url) return 'url';
    if (index === short) return 'short_url';
    return isNamed ? (above.cells[index] ?? '') : columnName(index);
  });
  const from = isNamed ? above.next : (rows[0]?.at ?? 0);
  return { format: 'CSV', delimiter, names: `${formatRow(names, delimiter)}\n`, from, count };
}

/** Finds the one that has most; the first of several. */
function most<One>(all: readonly (One | null)[], countOf: (one: One) => number): One | null {
  return all.reduce(
    (best, one) => (one !== null && (best === null || countOf(one) > countOf(best)) ? one : best),
    null,
  );
}

/** Finds the part before the records; null for pasted lines. */
function readHead(
  text: string,
  begin: number,
  named: string | undefined,
  chosen: ImportFormat | null,
): Head | null {
  if (chosen === 'LINES') return null;
  const delimiters = named === undefined ? [',', ';', '\t', '|'] : [named];
  const sheets = delimiters.map((delimiter) => ({ delimiter, rows: rowsIn(text, begin, delimiter) }));
  const known = most(
    sheets.map(({ rows, delimiter }) => namedHead(rows, text, delimiter)),
    ({ width }) => width,
  );
  const isSheet = chosen === null || chosen === 'CSV';
  const found =
    known ??
    (isSheet
      ? most(
          sheets.map(({ rows, delimiter }) => columnHead(rows, text, delimiter)),
          ({ count }) => count,
        )
      : null);
  if (found !== null) return { ...found, format: chosen ?? found.format };
  // The service says what is missing.
  const widest = most(sheets, ({ rows: [first] }) => first?.cells.length ?? 0);
  const [first, second] = widest?.rows ?? [];
  if (!widest || !first) return null;
  const hasNames = first.cells.filter((cell) => cell !== '').length > 1 && !first.cells.some(hasMarks);
  const hasUrls = widest.rows.some(({ cells }) => cells.some(looksLikeUrl));
  if (chosen === null && (!hasNames || hasUrls || second === undefined)) return null;
  const { at, next } = first;
  return { format: chosen ?? 'CSV', delimiter: widest.delimiter, names: text.slice(at, next), from: next };
}

/** Excel's first line that names the delimiter, and lines without anything. */
export const BEFORE_HEADER = /^\uFEFF?\s*(?:"?sep=(.)"?(?:\r\n?|\n)\s*)?/;

/** The beginning of an object, or of a list of objects; a link of Markdown begins with a bracket, too. */
const JSON_BEGIN = /^(?:\{\s*(?:["}]|$)|\[\s*(?:\{|\]\s*$|$))/;

/** True for an empty line, as the service sees it: nothing, or separators. */
const isBlank = (record: string, head: Head | null): boolean =>
  /^[\s,;|"]*$/.test(record) &&
  (head ? cellsIn(record, head.delimiter).every((cell) => cell === '') : !record.includes('"'));

/**
 * Cuts a text between its records: lines, CSV records, or elements of JSON. Only the service knows their meaning.
 * @param chosen the format; by default that of the header
 */
export function cut(text: string, chosen: ImportFormat | null): CutText {
  const [before = '', named] = BEFORE_HEADER.exec(text) ?? [];
  if (chosen !== 'LINES' && JSON_BEGIN.test(text.slice(before.length))) {
    const elements = listElements(withRules(jsonIn(text)));
    const found = guessFormat(Object.keys(Object(elements[0])));
    // Invalid JSON is sent as it is, so that the service names the error.
    const records = elements.length > 0 ? elements.map((one) => JSON.stringify(one)) : [text];
    return {
      format: chosen ?? (found === 'LINES' ? 'CSV' : found),
      isJson: elements.length > 0,
      header: '',
      delimiter: '\n',
      records: records.map((record, index) => ({ line: index + 1, text: record, at: 0 })),
    };
  }
  const head = readHead(text, before.length, named, chosen);
  const records: TextRecord[] = [];
  const begin = head?.from ?? 0;
  let line = 1 + breaksIn(text.slice(0, begin));
  for (let at = begin; at < text.length; ) {
    const next = head ? recordEnd(text, at, head.delimiter) : findPlace(LINE_END, text, at);
    const record = text.slice(at, next.at);
    if (!isBlank(record, head)) records.push({ line, text: record, at });
    line += breaksIn(text.slice(at, next.end));
    at = next.end;
  }
  const { format, delimiter } = head ?? { format: 'LINES', delimiter: ' ' };
  return { format, isJson: false, header: head ? before + head.names : '', records, delimiter };
}

/** The cells of a record of CSV. */
export function cellsIn(text: string, delimiter: string): string[] {
  const cell = new RegExp(`\\${delimiter}(?:"((?:[^"]|"")*)"|([^\\${delimiter}]*))`, 'g');
  return [...`${delimiter}${text}`.matchAll(cell)].map(([, quoted, bare = '']) =>
    (quoted?.replaceAll('""', '"') ?? bare).trim(),
  );
}

/** The names of the columns of CSV. */
export const namesIn = ({ header, delimiter }: Pick<CutText, 'header' | 'delimiter'>): string[] =>
  cellsIn(header.replace(BEFORE_HEADER, '').trimEnd(), delimiter);

/** The cells of a pasted line: its URL, alias and title. */
export function cellsOfLine(text: string): [url: string, alias: string, title: string] {
  const [url = '', alias = '', ...title] = text.includes('\t')
    ? text.split('\t')
    : text.trim().split(/ {2,}/);
  return [url, alias, title.join(' ')];
}

/** The cells of a record that have a text, as people read them. */
export const splitCells = (text: string, delimiter: string): string[] =>
  (delimiter === ' ' ? cellsOfLine(text) : cellsIn(text, delimiter))
    .map((one) => one.trim())
    .filter((one) => one !== '');

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}

const breaksIn = (text: string): number => text.match(LINE_END)?.length ?? 0;

/** The text of some of the records, and the lines in it where they begin. */
export function joined(
  { header, isJson }: CutText,
  records: readonly TextRecord[],
): { text: string; lines: readonly number[] } {
  const texts = records.map(({ text }) => text);
  if (isJson) return { text: `[${texts.join(',\n')}]`, lines: texts.map((_, index) => index + 1) };
  const begin = header === '' || /[\r\n]$/.test(header) ? header : `${header}\n`;
  let line = 1 + breaksIn(begin);
  const lines = texts.map((text) => {
    const own = line;
    line += breaksIn(text) + 1;
    return own;
  });
  return { text: begin + texts.join('\n'), lines };
}

/** The text with another record in place of one; the others keep their lines. */
export function withRecord(text: string, parts: CutText, index: number, record: string): string {
  const before = parts.records[index];
  if (before === undefined) return text;
  const records = parts.records.map((one) => (one === before ? { ...one, text: record } : one));
  if (parts.isJson) return joined(parts, records).text;
  return text.slice(0, before.at) + record + text.slice(before.at + before.text.length);
}
