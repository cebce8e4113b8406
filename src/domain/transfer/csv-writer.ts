/**
 * Text that a spreadsheet would run as a formula, with or without apostrophes that mark it as text: at the start of a cell, or
 * after a semicolon, which separates cells in many countries.
 */
const FORMULA = /(^|;)('*[=+\-@\t\r＝＋－＠])/g;
const GUARDED = /(^|;)'('*[=+\-@\t\r＝＋－＠])/g;

function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A value as a cell by RFC 4180: a text is escaped so that a spreadsheet does not run it, a list is JSON, and null is empty. */
export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.length === 0 ? '' : quoted(JSON.stringify(value));
  return typeof value === 'string' ? quoted(value.replaceAll(FORMULA, "$1'$2")) : String(value);
}

/** The values as a line of CSV. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

/** The text of an escaped cell. */
export function unguarded(text: string): string {
  return text.replaceAll(GUARDED, '$1$2');
}
