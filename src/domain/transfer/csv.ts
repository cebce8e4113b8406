import { type Refusal, refusalIn } from '../../engine/rules/refusal.ts';
import { refusal } from '../rules.ts';
import { columnsFor, hasLinks } from './file-record.ts';
import { type ImportFormat, neededColumns, urlNames } from './formats.ts';
import type { SourceLine } from './import.ts';

/** Nothing of a file can be read. */
export class WrongFile extends Error {
  /** The rule behind it. */
  readonly refusal: Refusal | undefined;

  constructor(message: string, refusal?: Refusal) {
    super(message);
    this.refusal = refusal;
  }
}

/** The largest record, in bytes: a link with full lists of targets has half of it. */
export const MAX_RECORD_LENGTH = 8_000_000;
/** Maximum number of cells of a record. Exports have a few dozen. */
export const MAX_CELLS = 1_000;

/** The cells of a record, or why it cannot be read. */
type Content = { readonly cells: readonly string[] } | { readonly fault: string };

/** A record of a CSV file, with the number of the line where it begins and its size in bytes. */
export type CsvRecord = Content & { readonly line: number; readonly size: number };

const LINE_END = /\r\n?|\n/g;

/** Where the pattern is found, and where the text continues; null if the text ends before that is known. */
function find(pattern: RegExp, text: string, from: number): { at: number; end: number } | null {
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  // At the end of the text, it may be the first half of a Windows line break.
  if (found === null || (found[0] === '\r' && pattern.lastIndex === text.length)) return null;
  return { at: found.index, end: pattern.lastIndex };
}

/** Finds the first quote that is not doubled; null if the text ends before it is known. */
function closingQuote(text: string, from: number): number | null {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at + 1 === text.length ? null : at;
  return null;
}

function breaksIn(text: string): number {
  return text.match(LINE_END)?.length ?? 0;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(cells: readonly string[]): Content {
  try {
    // Most cells have one byte for each character.
    const decode = (cell: string) =>
      /[^\0-\x7f]/.test(cell) ? utf8.decode(Buffer.from(cell, 'latin1')) : cell;
    return { cells: cells.map(decode) };
  } catch {
    return { fault: 'must be UTF-8' };
  }
}

/**
 * Reads the record that begins in this line, and finds where the next one begins; null if the text ends before that is known.
 * @param cellEnd matches the delimiter, and line breaks
 * @param givesUp whether a quote that the text does not close counts as never closed
 */
function scanRecord(
  text: string,
  from: number,
  line: number,
  cellEnd: RegExp,
  givesUp: boolean,
): { readonly end: number; readonly content: Content } | null {
  const cells: string[] = [];
  for (let start = from; ; ) {
    const isQuoted = text[start] === '"';
    const close = isQuoted ? closingQuote(text, start + 1) : null;
    if (isQuoted && close === null && !givesUp) return null;
    const isNeverClosed = isQuoted && close === null;
    const next = isNeverClosed ? null : find(cellEnd, text, close === null ? start : close + 1);
    if (isNeverClosed || (next && close !== null && next.at !== close + 1)) {
      // The lines that follow may be good: only the one with the opening quote is refused.
      const end = find(LINE_END, text, start)?.end;
      if (end === undefined) return null;
      const opens = line + breaksIn(text.slice(from, start));
      const wrong =
        close === null
          ? 'never closed'
          : `not closed at the end of its cell: text follows the next quote, in line ${opens + breaksIn(text.slice(start, close))}`;
      const fault = `cannot be read: the quote that opens a cell in line ${opens} is ${wrong}`;
      return { end, content: { fault } };
    }
    if (next === null) return null;
    if (cells.length === MAX_CELLS) {
      const end = find(LINE_END, text, start)?.end;
      return end === undefined ? null : { end, content: { fault: `has more than ${MAX_CELLS} cells` } };
    }
    cells.push(
      close === null ? text.slice(start, next.at) : text.slice(start + 1, close).replaceAll('""', '"'),
    );
    start = next.end;
    if (/[\r\n]/.test(text[next.at] ?? '')) return { end: next.end, content: decoded(cells) };
  }
}

/**
 * Reads CSV by RFC 4180, and a quote within a cell without quotes as a plain character. A quote that is not closed at the end of
 * its cell makes only the line where it opens invalid, not the lines that follow. Of a record that is too long, the
 * first line is skipped.
 */
export async function* csvRecords(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
): AsyncGenerator<CsvRecord> {
  const cellEnd = new RegExp(`${delimiter === '|' ? '\\|' : delimiter}|${LINE_END.source}`, 'g');
  // A character for each byte, so that each record is decoded alone.
  let text = '';
  let line = 1;
  /** True if the text begins within a line that is skipped. */
  let skips = false;
  function* complete(isLast: boolean): Generator<CsvRecord> {
    let at = 0;
    while (at < text.length) {
      if (skips) {
        const lineEnd = find(LINE_END, text, at);
        if (lineEnd === null) break;
        skips = false;
        line++;
        at = lineEnd.end;
        continue;
      }
      const isFull = text.length - at > MAX_RECORD_LENGTH;
      const found = scanRecord(text, at, line, cellEnd, isLast || isFull);
      if (found === null && !isFull) break;
      // The last character may be the first half of a line break.
      const end = found?.end ?? text.length - 1;
      const content = found?.content ?? { fault: `has more than ${MAX_RECORD_LENGTH} bytes` };
      const isEmpty = 'cells' in content && content.cells.every((cell) => cell.trim() === '');
      if (!isEmpty) yield { line, size: end - at, ...content };
      skips = found === null;
      line += breaksIn(text.slice(at, end));
      at = end;
    }
    text = text.slice(skips ? -1 : at);
  }
  for await (const chunk of bytes) {
    text += chunk.toString('latin1');
    yield* complete(false);
  }
  // The last line may have no end.
  if (!text.endsWith('\n')) text += '\n';
  yield* complete(true);
}

export function noExport(format: ImportFormat, why: string): WrongFile {
  return new WrongFile(`The file is no export of the format "${format}": ${why}.`);
}

/** Excel's first line that names the delimiter. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?$/i;

/** The first line that has more than separators. */
const FIRST_LINE = /^.*[^\s,;"].*$/m;

/** The delimiter of the first line, outside of quotes. A single column has no other than tabs, which are in no URL. */
export function detectDelimiter(text: string): string {
  const [line = ''] = FIRST_LINE.exec(text) ?? [];
  const named = SEPARATOR_LINE.exec(line)?.[1];
  if (named !== undefined) return named;
  const bare = line.replace(/"[^"]*"/g, '');
  const counted = ['\t', ',', ';', '|'].map((one) => ({ one, count: bare.split(one).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).one;
}

export async function* csvLines(
  bytes: AsyncIterable<Buffer>,
  format: ImportFormat,
  delimiter: string,
): AsyncGenerator<SourceLine> {
  let header: string[] | null = null;
  for await (const record of csvRecords(bytes, delimiter)) {
    const { line, size } = record;
    if (header !== null) {
      yield 'fault' in record
        ? { line, size, unreadable: record.fault }
        : createLine({ line, size }, record.cells, header);
      continue;
    }
    if ('fault' in record)
      throw new WrongFile(`The names of the columns cannot be read: line ${line} ${record.fault}.`);
    if (SEPARATOR_LINE.test(record.cells.join(delimiter))) continue;
    header = distinct(record.cells.map((name) => name.trim()));
    requireLinks(format, header);
  }
  if (header === null) throw new WrongFile('The file is empty.');
}

/** The names of columns; one that is there again gets spaces, which do not matter in names, so that it is a column of its own. */
function distinct(names: readonly string[]): string[] {
  const taken = new Map<string, number>();
  return names.map((name) => {
    const before = taken.get(name) ?? 0;
    taken.set(name, before + 1);
    return name + ' '.repeat(before);
  });
}

function requireLinks(format: ImportFormat, header: readonly string[]): void {
  if (hasLinks(columnsFor(format, header))) return;
  const shown = header.map((name) => `"${name.trim().slice(0, 50)}"`).slice(0, 30);
  if (format === 'csv') {
    const known = urlNames.map((name) => `"${name}"`).join(', ');
    const told = refusal('NO_URL_COLUMN', { found: shown.join(', '), known });
    throw new WrongFile(`The file ${refusalIn(told).message}.`, told);
  }
  throw noExport(
    format,
    `its first line has the columns ${shown.join(', ')}; it needs ${neededColumns(format)}`,
  );
}

function createLine(
  location: Pick<SourceLine, 'line' | 'size'>,
  cells: readonly string[],
  header: readonly string[],
): SourceLine {
  if (cells.slice(header.length).some((cell) => cell.trim() !== ''))
    return {
      ...location,
      unreadable: `has ${cells.length} cells, and the first line ${header.length}: a cell with the separator in it must stand in quotes`,
    };
  const raw = Object.fromEntries(header.map((name, index) => [name, cells[index]]));
  return { ...location, raw, header, isCsv: true };
}
