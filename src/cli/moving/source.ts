import { createReadStream, type ReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { JSONParser } from '@streamparser/json';
import { parse } from 'csv-parse';
import { columnsFor, hasLinks, type ImportFormat, neededColumns } from '../../domain/importing/formats.ts';
import type { SourceLine } from '../../domain/importing/import.ts';
import { OperatorError } from '../../operator-error.ts';

/** The largest record, in bytes: a link with full lists of targets has half of it. */
const LONGEST_RECORD = 8_000_000;
/** How many bytes of a file are read to detect its format. */
const HEAD = 65_536;

/** A file of links, which can be read once. */
export interface Source {
  /** The word for its records: those of a JSON file are not lines. */
  readonly unit: 'line' | 'record';
  readonly lines: AsyncIterable<SourceLine>;
  /** The size in bytes. */
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
  const text = head.toString('utf8').replace(/^\uFEFF/, '');
  const first = text.trimStart().charAt(0);
  const stream = createReadStream(path);
  const isJson = first === '{' || first === '[';
  return {
    unit: isJson ? 'record' : 'line',
    lines: isJson ? jsonRecords(stream, first === '[') : csvLines(stream, format, delimiterOf(text)),
    size,
    read: () => stream.bytesRead,
  };
}

async function headOf(path: string): Promise<{ head: Buffer; size: number }> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new OperatorError(`There is no file ${path}.`);
  const file = await open(path).catch((error: Error) => {
    throw new OperatorError(`${path} cannot be read: ${error.message}.`);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return { head: buffer.subarray(0, bytesRead), size: found.size };
  } finally {
    await file.close();
  }
}

/** The delimiter of the first line, outside of quotes. */
function delimiterOf(text: string): string {
  const [line = ''] = text.trimStart().split(/\r|\n/, 1);
  const bare = line.replace(/"[^"]*"/g, '');
  const counted = [',', ';', '\t'].map((one) => ({ one, count: bare.split(one).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).one;
}

interface CsvRecord {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

async function* csvLines(
  stream: ReadStream,
  format: ImportFormat,
  delimiter: string,
): AsyncGenerator<SourceLine> {
  const unreadable: SourceLine[] = [];
  const parser = parse({
    delimiter,
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: LONGEST_RECORD,
    on_skip(error) {
      unreadable.push({
        line: Number(error?.lines ?? 0),
        size: 0,
        unreadable: `cannot be read: ${error?.message}`,
      });
      return undefined;
    },
  });
  stream.on('error', (error) => parser.destroy(error));
  stream.pipe(parser);
  let header: string[] | null = null;
  // The parser counts a Windows line break within a cell as two lines.
  let countedTwice = 0;
  try {
    // The parser's type with the option `info`.
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      yield* unreadable.splice(0);
      countedTwice += breaksIn(record, /\r\n/g);
      if (header === null) {
        header = record.map((name) => name.trim());
        requireLinks(format, header);
        continue;
      }
      yield lineOf(record, info.lines - countedTwice, header);
    }
    yield* unreadable.splice(0);
  } finally {
    stream.destroy();
  }
  if (header === null) throw new OperatorError('The file is empty.');
}

function requireLinks(format: ImportFormat, header: readonly string[]): void {
  if (hasLinks(columnsFor(format, header))) return;
  const shown = header.map((name) => `"${name.slice(0, 50)}"`).slice(0, 30);
  throw new OperatorError(
    `The file is no export of the format "${format}": its first line has the columns ${shown.join(', ')}; it needs ${neededColumns(format)}.`,
  );
}

function breaksIn(record: readonly string[], kind: RegExp): number {
  return record.reduce((sum, cell) => sum + (cell.match(kind)?.length ?? 0), 0);
}

function lineOf(record: readonly string[], lastLine: number, header: readonly string[]): SourceLine {
  const size = record.reduce((sum, cell) => sum + cell.length, 0);
  const line = lastLine - breaksIn(record, /\r\n|\r|\n/g);
  if (record.slice(header.length).some((cell) => cell.trim() !== ''))
    return {
      ...{ line, size },
      unreadable: `has ${record.length} cells, and the first line ${header.length}: a cell with the separator in it must stand in quotes`,
    };
  return {
    line,
    size,
    raw: Object.fromEntries(header.map((name, index) => [name, record[index]])),
    header,
    isCsv: true,
  };
}

async function* jsonRecords(stream: ReadStream, isList: boolean): AsyncGenerator<SourceLine> {
  const paths = isList ? ['$.*'] : ['$.data.*', '$.links.*', '$.domains.*', '$.spaces.*', '$.pixels.*'];
  const parser = new JSONParser({ paths, keepStack: false });
  let found: unknown[] = [];
  let line = 0;
  parser.onValue = ({ value }) => void found.push(value);
  try {
    let beginning = true;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const isMarked = beginning && chunk.subarray(0, 3).equals(Buffer.from('\uFEFF'));
      beginning = false;
      parser.write(isMarked ? chunk.subarray(3) : chunk);
      const size = found.length > 0 ? Math.ceil(chunk.length / found.length) : 0;
      for (const value of found) {
        line++;
        // Any object is a record of unknown values.
        const raw = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
        yield raw === null
          ? { line, size, unreadable: 'is no object' }
          : { line, size, raw, header: Object.keys(raw), isCsv: false };
      }
      found = [];
    }
    if (!parser.isEnded) throw new Error('it ends too early');
  } catch (error) {
    throw new OperatorError(
      `The file is no JSON after record ${line}: ${error instanceof Error ? error.message : error}. What stands before is imported.`,
    );
  } finally {
    stream.destroy();
  }
}
