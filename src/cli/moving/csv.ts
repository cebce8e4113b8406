/** The largest record, in bytes: a link with full lists of targets has half of it. */
export const MAX_RECORD_LENGTH = 8_000_000;

/** A record of a CSV file, with the number of the line where it begins and its size in bytes. */
export type CsvRecord = { readonly line: number; readonly size: number } & (
  | { readonly cells: readonly string[] }
  | { readonly fault: string }
);

/** A record in a text, or why there is none, and where to read on. */
type Scanned = { readonly end: number } & (
  | { readonly cells: readonly string[] }
  | { readonly open: number; readonly closed: number | null }
);

/** Finds the first quote that is not doubled; -1 if there is none, null if the text ends before that is known. */
function closingQuote(text: string, from: number, isLast: boolean): number | null {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (at + 1 === text.length && !isLast) return null;
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

/** Finds the end of a line, or of a cell; null if the text ends before it is known. */
function endOf(
  kind: RegExp,
  text: string,
  from: number,
  isLast: boolean,
): { at: number; mark: string } | null {
  kind.lastIndex = from;
  const found = kind.exec(text);
  if (found === null) return isLast ? { at: text.length, mark: '' } : null;
  const [mark] = found;
  // It may be the first half of a Windows line break.
  if (mark === '\r' && found.index + 1 === text.length && !isLast) return null;
  return { at: found.index, mark };
}

/** Reads a record; null if the text ends before the record does. */
function scan(
  text: string,
  from: number,
  { delimiter, cellEnd }: { delimiter: string; cellEnd: RegExp },
  { isLast, isFull }: { isLast: boolean; isFull: boolean },
): Scanned | null {
  const cells: string[] = [];
  for (let start = from; ; ) {
    const close = text[start] === '"' ? closingQuote(text, start + 1, isLast) : undefined;
    if (close === null || (close === -1 && !isLast && !isFull)) return null;
    const isNeverClosed = close === -1;
    const last = isNeverClosed ? null : endOf(cellEnd, text, close === undefined ? start : close + 1, isLast);
    if (isNeverClosed || (last && close !== undefined && last.at !== close + 1)) {
      // The lines that follow may be good: only the one with the opening quote is refused.
      const line = endOf(lineEnd, text, start, isLast);
      return (
        line && {
          end: line.at + line.mark.length,
          open: start,
          closed: isNeverClosed ? null : (close ?? null),
        }
      );
    }
    if (last === null) return null;
    cells.push(
      close === undefined ? text.slice(start, last.at) : text.slice(start + 1, close).replaceAll('""', '"'),
    );
    start = last.at + last.mark.length;
    if (last.mark !== delimiter) return { end: start, cells };
  }
}

const lineEnd = /\r\n?|\n/g;

function breaksIn(text: string): number {
  return text.match(lineEnd)?.length ?? 0;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The cells as text; null if they are not UTF-8. */
function decoded(cells: readonly string[]): string[] | null {
  try {
    // Most cells have one byte for each character.
    return cells.map((cell) => (/[^\0-\x7f]/.test(cell) ? utf8.decode(Buffer.from(cell, 'latin1')) : cell));
  } catch {
    return null;
  }
}

/**
 * Reads CSV by RFC 4180, and a quote within a cell without quotes as a plain character. A quote that is not closed at the end of
 * its cell spoils only the line where it opens, so that it cannot swallow the lines that follow. Of a record that is too long, the
 * first line is skipped.
 */
export async function* csvRecords(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
): AsyncGenerator<CsvRecord> {
  const marks = {
    delimiter,
    cellEnd: new RegExp(`${delimiter === '|' ? '\\|' : delimiter}|\\r\\n?|\\n`, 'g'),
  };
  // A character for each byte, so that each record is decoded alone.
  let text = '';
  let line = 1;
  /** Whether the text begins within a line that is skipped. */
  let skips = false;
  function* complete(isLast: boolean): Generator<CsvRecord> {
    if (skips) {
      const rest = endOf(lineEnd, text, 0, isLast);
      text = rest ? text.slice(rest.at + rest.mark.length) : text.slice(-1);
      if (rest === null) return;
      skips = false;
      line++;
    }
    let at = 0;
    while (at < text.length) {
      const isFull = text.length - at > MAX_RECORD_LENGTH;
      const found =
        scan(text, at, marks, { isLast, isFull }) ??
        // The last character may be the first half of a doubled quote.
        (isFull ? scan(text.slice(0, -1), at, marks, { isLast, isFull }) : null);
      if (found === null && isFull) {
        yield { line, size: text.length - at, fault: `has more than ${MAX_RECORD_LENGTH} bytes` };
        skips = true;
        // The last character may be the first half of a line break.
        const end = text.length - 1;
        line += breaksIn(text.slice(at, end));
        at = end;
      }
      if (found === null) break;
      const location = { line, size: found.end - at };
      if ('open' in found) {
        const opens = line + breaksIn(text.slice(at, found.open));
        const next =
          found.closed === null
            ? 'never closed'
            : `not closed at the end of its cell: text follows the next quote, in line ${opens + breaksIn(text.slice(found.open, found.closed))}`;
        yield {
          ...location,
          fault: `cannot be read: the quote that opens a cell in line ${opens} is ${next}`,
        };
      } else if (found.cells.length > 1 || found.cells[0]?.trim() !== '') {
        const cells = decoded(found.cells);
        yield cells === null ? { ...location, fault: 'must be UTF-8' } : { ...location, cells };
      }
      line += breaksIn(text.slice(at, found.end));
      at = found.end;
    }
    text = text.slice(at);
  }
  for await (const chunk of bytes) {
    text += chunk.toString('latin1');
    yield* complete(false);
  }
  yield* complete(true);
}
