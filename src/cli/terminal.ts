import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';

/** Control characters, and those that change the direction of a text. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** The text for a terminal: what comes from files and records could contain commands to it. JSON stays the same JSON. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

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
