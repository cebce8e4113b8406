/** Gives the browser a file to save. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A text as a cell that no spreadsheet runs, quoted where the service's files are, too. */
function cellOf(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = value.replace(/^[=+\-@]/, "'$&");
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Gives the browser a CSV file to save, with a mark by which spreadsheets know that it is UTF-8. */
export function saveCsv(name: string, rows: readonly (readonly (string | number | null)[])[]): void {
  const lines = rows.map((row) => `${row.map(cellOf).join(',')}\r\n`);
  saveFile(name, new Blob(['\uFEFF', ...lines], { type: 'text/csv' }));
}
