import { plain } from './io.ts';

/** The longest cell on a terminal, in characters. */
const LONGEST_CELL = 60;

type Cell = string | number | null | undefined;

/** Returns a number of things, such as `1 link` or `2 links`. */
export function counted(number: number, thing: string): string {
  return `${number.toLocaleString('en-GB')} ${thing}${number === 1 ? '' : 's'}`;
}

function asCell(value: Cell, isTerminal: boolean): string {
  const text = plain(String(value ?? '')) || '–';
  const characters = [...text];
  return isTerminal && characters.length > LONGEST_CELL
    ? `${characters.slice(0, LONGEST_CELL - 1).join('')}…`
    : text;
}

const widthOf = (text: string): number => [...text].length;

/** Returns rows with aligned columns. What a terminal could take for a command is removed, and long cells are cut there. */
export function table(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  isTerminal: boolean,
): string {
  const lines = [header, ...rows].map((row) => row.map((cell) => asCell(cell, isTerminal)));
  const widths = header.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, widthOf(line[column] ?? '')), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns names and values, a pair on each line. Values without content are left out. */
export function pairs(values: readonly (readonly [string, Cell])[]): string {
  const shown = values.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(String(value))}`).join('\n');
}
