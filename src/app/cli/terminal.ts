import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';

/** A number of things, such as `1 link` or `2 links`. */
export function counted(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** Rows as text, with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A progress bar on a terminal; else nothing. */
export function progressBar(stream: Writable, format: string): SingleBar {
  return new SingleBar({ stream, format, hideCursor: true, barsize: 30 });
}
