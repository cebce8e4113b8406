import { csvLines, delimiterOf } from './csv.ts';
import type { ImportFormat } from './formats.ts';
import type { SourceLine } from './import.ts';
import { jsonRecords } from './json.ts';

/** The records of a file or text, which can be read once. */
export interface RecordSource {
  /** The word for a record: those of JSON are not lines. */
  readonly unit: 'line' | 'record';
  /** Throws WrongFile if it does not have the format, and BrokenOff where it cannot be read to its end. */
  readonly lines: AsyncIterable<SourceLine>;
}

/**
 * The records in CSV or JSON, and which it is.
 * @param head how the text begins, without a byte order mark
 */
export function recordsIn(bytes: AsyncIterable<Buffer>, head: string, format: ImportFormat): RecordSource {
  const first = head.trimStart().charAt(0);
  return first === '{' || first === '['
    ? { unit: 'record', lines: jsonRecords(bytes, first === '[', format) }
    : { unit: 'line', lines: csvLines(bytes, format, delimiterOf(head)) };
}
