import type { ImportFormat } from '../generated/documents.ts';

/** A record, as it stands in a text. */
export interface TextRecord {
  /** The line where it begins, from 1; in JSON, its number. */
  readonly line: number;
  readonly text: string;
  /** Where it begins in the text; 0 in JSON. */
  readonly at: number;
}

/** A text, cut between its records. */
export interface CutText {
  readonly format: ImportFormat;
  readonly isJson: boolean;
  /** What stands before the records of CSV, and of each slice. */
  readonly header: string;
  readonly records: readonly TextRecord[];
  /** What is between the cells of a record; a space stands for two or more. */
  readonly delimiter: string;
}

/**
 * The text of a file in UTF-8 or UTF-16, else in Windows-1252, as Excel writes it, with `isGuessed`; the first
 * sheet of an .xlsx file; null for one that cannot be read, and for another workbook.
 */
export async function textIn(file: Blob): Promise<{ text: string; isGuessed: boolean } | null> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const begins = (...start: number[]) => start.every((byte, index) => bytes[index] === byte);
  // A zip, as .xlsx is.
  if (begins(0x50, 0x4b, 3, 4)) {
    const rows = (await import('./workbook.ts')).sheetIn(bytes);
    return rows && { text: textOfRows(rows), isGuessed: false };
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

/** The names of columns that only one format has; a format with names that others have, too, comes later. */
const marks: readonly (readonly [ImportFormat, readonly string[]])[] = [
  ['BITLY', ['bitlink', 'custombitlink', 'custombitlinks', 'backhalf']],
  ['REBRANDLY', ['slashtag', 'brandedlink', 'brandedshortlink']],
  ['SHLINK', ['shortcode']],
  ['YOURLS', ['keyword']],
  ['KUTT', ['address', 'customurl']],
  ['DUB', ['key', 'shortlink']],
  ['BITLY', ['longurl']],
  ['CSV', ['url', 'destination', 'destinationurl', 'link', 'ziel', 'zielurl', 'zieladresse', 'lien']],
  ['CSV', ['urldedestination', 'enlace', 'destino', 'urldedestino']],
];

/** The format with these columns; that of pasted lines if there is none. */
function formatOf(names: readonly string[]): ImportFormat {
  const plain = new Set(names.map((name) => name.toLowerCase().replace(/[^a-z]/g, '')));
  return marks.find(([, own]) => own.some((name) => plain.has(name)))?.[0] ?? 'LINES';
}

/** CSV; pasted lines if there is no header. */
function textOfRows(rows: readonly (readonly string[])[]): string {
  const isList = formatOf(rows.find((cells) => cells.length > 0) ?? []) === 'LINES';
  const quoted = (cell: string) => (/[",;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((cells) => (isList ? cells.join('\t') : cells.map(quoted).join(','))).join('\n');
}

/** The lists of records in JSON; YOURLS has an object of them. */
function elementsOf(value: unknown, depth = 0): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null || depth > 1) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const found = elementsOf(inner, depth + 1);
    return found.length === 0 && name === 'links' ? Object.values(Object(inner)) : found;
  });
}

const LINE_END = /\r\n?|\n/g;

function placeOf(pattern: RegExp, text: string, from: number): { at: number; end: number } {
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

/** Where a record of CSV ends. A quote that is not closed at the end of its cell counts for its line alone, as in the service. */
function recordEnd(text: string, from: number, delimiter: string): { at: number; end: number } {
  const cellEnd = new RegExp(`\\${delimiter}|${LINE_END.source}`, 'g');
  for (let at = from; ; ) {
    const close = text[at] === '"' ? closingQuote(text, at + 1) : at - 1;
    const next = placeOf(cellEnd, text, close + 1);
    if (text[at] === '"' && (close < 0 || next.at !== close + 1)) return placeOf(LINE_END, text, at);
    if (text[next.at] !== delimiter) return next;
    at = next.end;
  }
}

/** The separator of the cells of a header. */
function delimiterOf(header: string): string {
  const count = (one: string) => header.replace(/"[^"]*"/g, '').split(one).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** Excel's first line that names the delimiter, and lines without anything. */
const BEFORE_HEADER = /^\uFEFF?\s*(?:"?sep=(.)"?(?:\r\n?|\n)\s*)?/;

/**
 * Cuts a text between its records: lines, those of CSV, or the elements of JSON. What these mean, the service says.
 * @param chosen the format; by default the header says it
 */
export function cut(text: string, chosen: ImportFormat | null): CutText {
  const [before = '', named] = BEFORE_HEADER.exec(text) ?? [];
  if (/^[{[]/.test(text.slice(before.length)) && chosen !== 'LINES') {
    const elements = elementsOf(jsonIn(text));
    const found = formatOf(Object.keys(Object(elements[0])));
    // What is no JSON is sent as it is, for the service to say what is wrong.
    const records = elements.length > 0 ? elements.map((one) => JSON.stringify(one)) : [text];
    return {
      format: chosen ?? (found === 'LINES' ? 'CSV' : found),
      isJson: elements.length > 0,
      header: '',
      delimiter: '\n',
      records: records.map((record, index) => ({ line: index + 1, text: record, at: 0 })),
    };
  }
  const headerEnd = placeOf(LINE_END, text, before.length).at;
  const delimiter = named ?? delimiterOf(text.slice(before.length, headerEnd));
  const first = recordEnd(text, before.length, delimiter);
  const format = chosen ?? formatOf(text.slice(before.length, first.at).split(delimiter));
  const isCsv = format !== 'LINES';
  const records: TextRecord[] = [];
  let line = isCsv ? 1 + breaksIn(text.slice(0, first.end)) : 1;
  for (let at = isCsv ? first.end : 0; at < text.length; ) {
    const next = isCsv ? recordEnd(text, at, delimiter) : placeOf(LINE_END, text, at);
    const record = text.slice(at, next.at);
    if (record.trim() !== '') records.push({ line, text: record, at });
    line += breaksIn(text.slice(at, next.end));
    at = next.end;
  }
  const header = isCsv ? text.slice(0, first.end) : '';
  return { format, isJson: false, header, records, delimiter: isCsv ? delimiter : ' ' };
}

/** The cells of a record that have a text, as people read them. */
export function cellsOf(text: string, delimiter: string): string[] {
  const cell = delimiter === ' ' ? /(?:[^\t ]| (?! ))+/g : new RegExp(`"(?:[^"]|"")*"|[^${delimiter}]+`, 'g');
  const bare = (one: string) => one.replace(/^"(.*)"$/s, (_, inner: string) => inner.replaceAll('""', '"'));
  return (text.match(cell) ?? []).map((one) => bare(one.trim())).filter((one) => one !== '');
}

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
