/** Text that a spreadsheet would run as a formula, with or without apostrophes that mark it as text. */
const FORMULA = /^'*[=+\-@\t\r]/;

/** The cell, escaped so that a spreadsheet does not run it. */
export function guardCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The text of an escaped cell. */
export function unguardCell(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
