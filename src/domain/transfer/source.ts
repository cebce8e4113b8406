import { csvLines, detectDelimiter } from './csv.ts';
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

/** The beginning of an object, or of a list of objects. Other texts may begin with a bracket, such as links of Markdown. */
const JSON_BEGIN = /^(?:\{\s*(?:["}]|$)|\[\s*(?:\{|\]\s*$|$))/;

/**
 * The records in CSV or JSON, and which it is.
 * @param open starts to read the text; JSON of Shlink is read more than once
 * @param head how the text begins, without a byte order mark
 */
export function recordsIn(
  open: () => AsyncIterable<Buffer>,
  head: string,
  format: ImportFormat,
): RecordSource {
  const begin = head.trimStart();
  return JSON_BEGIN.test(begin)
    ? { unit: 'record', lines: jsonRecords(open, begin.startsWith('['), format) }
    : { unit: 'line', lines: csvLines(open(), format, detectDelimiter(head)) };
}
