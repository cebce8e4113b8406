/** A record of CSV with these cells. */
export const formatRow = (cells: readonly string[], delimiter: string): string =>
  cells.map((cell) => (/[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter);
