import { createReadStream, type ReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { JSONParser, TokenType } from '@streamparser/json';
import { columnsFor, flattened, hasLinks } from '../../domain/transfer/columns.ts';
import type { SourceLine } from '../../domain/transfer/entry.ts';
import { type ImportFormat, neededColumns } from '../../domain/transfer/formats.ts';
import { BrokenOff } from '../../domain/transfer/import.ts';
import { OperatorError } from '../../operator-error.ts';
import { withoutMark } from '../../shared/byte-order-mark.ts';
import { csvRecords, MAX_RECORD_LENGTH } from './csv-reader.ts';

/** How many bytes of a file are read to detect its format. */
const DETECTED_BYTES = 65_536;

/** A file of links, which can be read once. */
export interface Source {
  /** The word for its records: those of a JSON file are not lines. */
  readonly unit: 'line' | 'record';
  readonly lines: AsyncIterable<SourceLine>;
  readonly size: number;
  /** The number of bytes that were read. */
  read(): number;
}

/**
 * Opens a CSV or JSON file, and detects which it is.
 * @throws OperatorError if it cannot be read, or does not have the format
 */
export async function openSource(path: string, format: ImportFormat): Promise<Source> {
  const { head, size } = await headOf(path);
  // Excel's "Unicode text".
  const isWide = head[0] === 0xff && head[1] === 0xfe;
  const text = head.toString(isWide ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
  const first = text.trimStart().charAt(0);
  const stream = createReadStream(path);
  const bytes = bytesOf(stream, isWide);
  const isJson = first === '{' || first === '[';
  return {
    unit: isJson ? 'record' : 'line',
    lines: isJson ? jsonRecords(bytes, first === '[', format) : csvLines(bytes, format, delimiterOf(text)),
    size,
    read: () => stream.bytesRead,
  };
}

async function headOf(path: string): Promise<{ head: Buffer; size: number }> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new OperatorError(`There is no file ${path}.`);
  if (!found.isFile())
    throw new OperatorError(`${path} is no file, but a folder, device or pipe: write it to a file first.`);
  const file = await open(path).catch((error: Error) => {
    throw new OperatorError(`${path} cannot be read: ${error.message}.`);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(DETECTED_BYTES), 0, DETECTED_BYTES, 0);
    return { head: buffer.subarray(0, bytesRead), size: found.size };
  } finally {
    await file.close();
  }
}

/** The bytes in UTF-8, without a byte order mark. */
async function* bytesOf(stream: ReadStream, isWide: boolean): AsyncGenerator<Buffer> {
  const wide = new TextDecoder('utf-16le');
  let beginning = true;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (isWide) yield Buffer.from(wide.decode(chunk, { stream: true }));
      else yield beginning ? withoutMark(chunk) : chunk;
      beginning = false;
    }
  } catch (error) {
    throw new BrokenOff(
      `The rest of the file cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    stream.destroy();
  }
}

/** Excel's first line that names the delimiter. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?$/i;

/** The delimiter of the first line, outside of quotes. */
function delimiterOf(text: string): string {
  const [line = ''] = text.trimStart().split(/\r|\n/, 1);
  const named = SEPARATOR_LINE.exec(line)?.[1];
  if (named !== undefined) return named;
  const bare = line.replace(/"[^"]*"/g, '');
  const counted = [',', ';', '\t'].map((one) => ({ one, count: bare.split(one).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).one;
}

async function* csvLines(
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
        : lineOf({ line, size }, record.cells, header);
      continue;
    }
    if ('fault' in record)
      throw new OperatorError(`The names of the columns cannot be read: line ${line} ${record.fault}.`);
    if (SEPARATOR_LINE.test(record.cells.join(delimiter))) continue;
    header = distinct(record.cells.map((name) => name.trim()));
    requireLinks(format, header);
  }
  if (header === null) throw new OperatorError('The file is empty.');
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

function noExport(format: ImportFormat, why: string): OperatorError {
  return new OperatorError(`The file is no export of the format "${format}": ${why}.`);
}

function requireLinks(format: ImportFormat, header: readonly string[]): void {
  if (hasLinks(columnsFor(format, header))) return;
  const shown = header.map((name) => `"${name.slice(0, 50)}"`).slice(0, 30);
  throw noExport(
    format,
    `its first line has the columns ${shown.join(', ')}; it needs ${neededColumns(format)}`,
  );
}

function lineOf(
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

/** How deeply lists and objects may be nested: each level takes memory. Exports have ten at most. */
const MAX_DEPTH = 10_000;

/** The keys of an object that may have lists of records. */
const LISTS = ['data', 'links', 'domains', 'spaces', 'pixels'];

/** Makes the parser keep byte order marks within texts, for which it has no option. */
function keepMarks(parser: JSONParser): void {
  const texts: object = Reflect.get(Reflect.get(parser, 'tokenizer'), 'bufferedString');
  Reflect.set(texts, 'decoder', new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }));
}

async function* jsonRecords(
  bytes: AsyncIterable<Buffer>,
  isList: boolean,
  format: ImportFormat,
): AsyncGenerator<SourceLine> {
  const paths = isList ? ['$.*'] : LISTS.map((key) => `$.${key}.*`);
  const parser = new JSONParser({ paths, keepStack: false });
  keepMarks(parser);
  let hasList = isList;
  let depth = 0;
  let line = 0;
  let key: unknown;
  const isListed = () => isList || LISTS.some((one) => one === key);
  // The parser gives no list that is empty.
  parser.onToken = ({ token, value }) => {
    if (depth === 1 && token === TokenType.STRING) key = value;
    if (depth === 1 && token === TokenType.LEFT_BRACKET && isListed()) hasList = true;
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth++;
    if (depth > MAX_DEPTH)
      throw new BrokenOff(`The record ${line + 1} is nested more than ${MAX_DEPTH} levels deep`);
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth--;
  };
  const found: unknown[] = [];
  parser.onValue = ({ value }) => void (hasList && found.push(value));
  function* complete(length: number): Generator<SourceLine> {
    const size = Math.ceil(length / Math.max(1, found.length));
    for (const value of found.splice(0)) {
      line++;
      // Any object is a record of unknown values.
      const record = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
      const raw = record && flattened(format, record);
      yield raw === null
        ? { line, size, unreadable: 'is not an object' }
        : { line, size, raw, header: Object.keys(raw), isCsv: false };
    }
  }
  let length = 0;
  let fault: string | null = null;
  /** How many bytes of the current record were read. */
  let size = 0;
  try {
    for await (const chunk of bytes) {
      ({ length } = chunk);
      parser.write(chunk);
      const isWithin = depth > (isList ? 1 : 2) && isListed();
      size = isWithin && found.length === 0 ? size + length : 0;
      yield* complete(length);
      if (size > MAX_RECORD_LENGTH)
        throw new BrokenOff(`The record ${line + 1} has more than ${MAX_RECORD_LENGTH} bytes`);
    }
    if (!parser.isEnded) fault = 'it ends too early';
  } catch (error) {
    if (error instanceof BrokenOff) throw error;
    fault = error instanceof Error ? error.message : String(error);
    // Those before the fault.
    yield* complete(length);
  }
  const names = LISTS.map((one) => `"${one}"`).join(', ');
  if (parser.isEnded && !hasList)
    throw noExport(format, `it needs a list of records, or an object that has one as ${names}`);
  if (fault !== null) throw new BrokenOff(`The file is no JSON after record ${line}: ${fault}`);
}
