/**
 * A record, or the quotes that make it invalid (one that opens a cell, and one that does not close it), and where the next
 * record begins.
 */
export type Scanned = { readonly end: number } & (
  | { readonly cells: readonly string[] }
  | { readonly open: number; readonly closed: number | null }
);

export const LINE_END = /\r\n?|\n/g;

/** Where the pattern is found, and where the text continues; null if the text ends before that is known. */
export function find(pattern: RegExp, text: string, from: number): { at: number; end: number } | null {
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

/**
 * Reads a record; null if the text ends before the record does.
 * @param cellEnd matches the delimiter, and line breaks
 * @param givesUp whether a quote that the text does not close counts as never closed
 */
export function scanRecord(text: string, from: number, cellEnd: RegExp, givesUp: boolean): Scanned | null {
  const cells: string[] = [];
  for (let start = from; ; ) {
    const isQuoted = text[start] === '"';
    const close = isQuoted ? closingQuote(text, start + 1) : null;
    if (isQuoted && close === null && !givesUp) return null;
    const isNeverClosed = isQuoted && close === null;
    const next = isNeverClosed ? null : find(cellEnd, text, close === null ? start : close + 1);
    if (isNeverClosed || (next && close !== null && next.at !== close + 1)) {
      // The lines that follow may be good: only the one with the opening quote is refused.
      const line = find(LINE_END, text, start);
      return line && { end: line.end, open: start, closed: close };
    }
    if (next === null) return null;
    cells.push(
      close === null ? text.slice(start, next.at) : text.slice(start + 1, close).replaceAll('""', '"'),
    );
    start = next.end;
    if (/[\r\n]/.test(text[next.at] ?? '')) return { end: next.end, cells };
  }
}
