/** Gives the browser a file to save. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// The rule of src/engine/tools/csv-writer.ts. A cell that has a guard, as in the service's own files, gets no second one.
const FORMULA = '[=+\\-@\\t\\r＝＋－＠]';
const START = '(?:^|[,;|\\t-\\r\\x85\\u2028\\u2029])[\\s"]*?';
const APOSTROPHE = new RegExp(`(?<=^|;)(?=${FORMULA})`, 'g');
const GUARD = new RegExp(`(?=${FORMULA})(?<=${START})`, 'g');
const LIST = /^\[[["{]/;
const JSON_TEXT = /"(?:[^"\\]|\\.)*"/g;
const CODED = new RegExp(`;|${FORMULA}(?<=${START}.)`, 'g');

function coded(json: string): string {
  const escapeCharacter = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replaceAll(JSON_TEXT, (text) => text.replaceAll(CODED, escapeCharacter));
}

/** A text, or a list in JSON, as a cell that no spreadsheet runs, quoted where the service's files are, too. */
export function formatCell(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = LIST.test(value)
    ? coded(value)
    : value.replaceAll(APOSTROPHE, "'").replaceAll(GUARD, "'\u2060");
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Gives the browser a CSV file to save, with a mark by which spreadsheets know that it is UTF-8. */
export function saveCsv(name: string, rows: readonly (readonly (string | number | null)[])[]): void {
  const lines = rows.map((row) => `${row.map(formatCell).join(',')}\r\n`);
  saveFile(name, new Blob(['\uFEFF', ...lines], { type: 'text/csv' }));
}
