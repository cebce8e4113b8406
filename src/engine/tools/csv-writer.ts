/** Characters with which a formula begins, or that spreadsheets remove before one. */
const FORMULA = '[=+\\-@\\t\\r＝＋－＠]';
/** Where a reader may start a cell: behind any separator or line break, and the quotes and blanks that it removes. */
const START = '(?:^|[,;|\\t-\\r\\x85\\u2028\\u2029])[\\s"]*?';

/** The guard of places that all versions know. */
const APOSTROPHE = new RegExp(`(^|;)('*${FORMULA})`, 'g');
const WITH_APOSTROPHE = new RegExp(`(^|;)'('*${FORMULA})`, 'g');
/** The guard of all other places. In files of earlier versions, an apostrophe alone is part of the text there. */
const GUARD = "'\u2060";
const UNGUARDED = new RegExp(`(?=${FORMULA}|')(?<=${START})(?=(?:${GUARD})*${FORMULA})`, 'g');
const GUARDED = new RegExp(`${GUARD}(?<=${START}${GUARD})(?=(?:${GUARD})*${FORMULA})`, 'g');

const JSON_TEXT = /"(?:[^"\\]|\\.)*"/g;
const CODED = new RegExp(`${FORMULA}(?<=${START}.)`, 'g');

function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The list as JSON. Characters that need a guard elsewhere have their codes, which each parser of JSON reads. */
function writeJson(list: readonly unknown[]): string {
  return JSON.stringify(list)
    .replaceAll(';', '\\u003b')
    .replaceAll(JSON_TEXT, (text) =>
      text.replaceAll(CODED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    );
}

/** A value as a cell by RFC 4180: a text is guarded so that no spreadsheet runs it, a list is JSON, and null is empty. */
export function writeCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.length === 0 ? '' : quoted(writeJson(value));
  if (typeof value !== 'string') return String(value);
  return quoted(value.replaceAll(APOSTROPHE, "$1'$2").replaceAll(UNGUARDED, GUARD));
}

/** The values as a line of CSV. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(writeCell).join(',')}\r\n`;
}

/** The text of a guarded cell, also of earlier versions. */
export function unguarded(text: string): string {
  return text.replaceAll(GUARDED, '').replaceAll(WITH_APOSTROPHE, '$1$2');
}
