import { columnsFor, hasLinks } from '../../domain/transfer/columns.ts';
import type { SourceLine } from '../../domain/transfer/entry.ts';
import { type ImportFormat, neededColumns } from '../../domain/transfer/formats.ts';
import { OperatorError } from '../../operator-error.ts';
import { csvRecords } from './csv-reader.ts';

export function noExport(format: ImportFormat, why: string): OperatorError {
  return new OperatorError(`The file is no export of the format "${format}": ${why}.`);
}

/** Excel's first line that names the delimiter. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?$/i;

/** The delimiter of the first line, outside of quotes. */
export function delimiterOf(text: string): string {
  const [line = ''] = text.trimStart().split(/\r|\n/, 1);
  const named = SEPARATOR_LINE.exec(line)?.[1];
  if (named !== undefined) return named;
  const bare = line.replace(/"[^"]*"/g, '');
  const counted = [',', ';', '\t'].map((one) => ({ one, count: bare.split(one).length }));
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
