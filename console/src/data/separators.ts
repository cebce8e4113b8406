import { type CutText, looksLikeUrl, type TextRecord } from './import.ts';

const SEPARATORS = [',', ';', '|'] as const;

export type Separator = (typeof SEPARATORS)[number];

const ALIAS = /^[\w-]{1,255}$/;

/** The lines as a URL, an alias and perhaps a title. Lines with the same number of cells have no separator in their URLs. */
function rowsIn(records: readonly TextRecord[], separator: Separator): string[][] {
  const all = records.map(({ text }) => text.split(separator).map((cell) => cell.trim()));
  const isEven = all.every((cells) => cells.length === all[0]?.length);
  return all.map((cells) =>
    isEven
      ? [...cells.slice(0, 2), cells.slice(2).join(separator)]
      : [cells.slice(0, -1).join(separator), cells.at(-1) ?? ''],
  );
}

/** A marker of a list may stand before a URL. */
const isUrl = (cell: string): boolean => looksLikeUrl(cell.replace(/^\S{1,4}\s+/, ''));

/** Finds the separator behind the URL in each of several lines if an alias may follow it, with the first alias; or null. */
export function separatorIn({
  format,
  records,
}: Pick<CutText, 'format' | 'records'>): { separator: Separator; alias: string } | null {
  if (format !== 'LINES' || records.length < 2) return null;
  if (records.some(({ text }) => /\t|\S {2,}\S/.test(text))) return null;
  for (const separator of SEPARATORS) {
    const rows = rowsIn(records, separator);
    const alias = rows[0]?.[1] ?? '';
    if (rows.every(([url = '', word = '']) => isUrl(url) && ALIAS.test(word))) return { separator, alias };
  }
  return null;
}

/** The text with tabs for the separators of its lines. */
export function inColumns(text: string, { records }: Pick<CutText, 'records'>, separator: Separator): string {
  const rows = rowsIn(records, separator);
  let end = 0;
  const parts = records.map(({ text: line, at }, index) => {
    const between = text.slice(end, at);
    end = at + line.length;
    return between + (rows[index] ?? []).join('\t').trimEnd();
  });
  return parts.join('') + text.slice(end);
}
