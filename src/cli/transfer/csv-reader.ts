import { find, LINE_END, type Scanned, scanRecord } from './csv-scan.ts';

/** The largest record, in bytes: a link with full lists of targets has half of it. */
export const MAX_RECORD_LENGTH = 8_000_000;

/** A record of a CSV file, with the number of the line where it begins and its size in bytes. */
export type CsvRecord = { readonly line: number; readonly size: number } & (
  | { readonly cells: readonly string[] }
  | { readonly fault: string }
);

function breaksIn(text: string): number {
  return text.match(LINE_END)?.length ?? 0;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The cells as text, or why they cannot be read. */
function contentOf(text: string, found: Scanned, at: number, line: number) {
  if ('open' in found) {
    const opens = line + breaksIn(text.slice(at, found.open));
    const { open, closed } = found;
    const next =
      closed === null
        ? 'never closed'
        : `not closed at the end of its cell: text follows the next quote, in line ${opens + breaksIn(text.slice(open, closed))}`;
    return { fault: `cannot be read: the quote that opens a cell in line ${opens} is ${next}` };
  }
  try {
    // Most cells have one byte for each character.
    const decode = (cell: string) =>
      /[^\0-\x7f]/.test(cell) ? utf8.decode(Buffer.from(cell, 'latin1')) : cell;
    return { cells: found.cells.map(decode) };
  } catch {
    return { fault: 'must be UTF-8' };
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
  /** Whether the text begins within a line that is skipped. */
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
      const found = scanRecord(text, at, cellEnd, isLast || isFull);
      if (found === null && !isFull) break;
      // The last character may be the first half of a line break.
      const end = found?.end ?? text.length - 1;
      const content = found
        ? contentOf(text, found, at, line)
        : { fault: `has more than ${MAX_RECORD_LENGTH} bytes` };
      const [cell, ...others] = found && 'cells' in found ? found.cells : [];
      const isEmpty = cell?.trim() === '' && others.length === 0;
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
