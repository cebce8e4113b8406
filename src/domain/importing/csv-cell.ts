/**
 * Text that a spreadsheet would run as a formula, with or without apostrophes that mark it as text: at the start of a cell, or
 * after a semicolon, which separates cells in many countries.
 */
const FORMULA = /(^|;)('*[=+\-@\t\r＝＋－＠])/g;
const GUARDED = /(^|;)'('*[=+\-@\t\r＝＋－＠])/g;

/** The text as a cell by RFC 4180, escaped so that a spreadsheet does not run it. */
export function cellOf(text: string): string {
  const guarded = text.replaceAll(FORMULA, "$1'$2");
  return quoted(guarded);
}

/** The text as a cell by RFC 4180. */
export function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text of an escaped cell. */
export function unguarded(text: string): string {
  return text.replaceAll(GUARDED, '$1$2');
}
