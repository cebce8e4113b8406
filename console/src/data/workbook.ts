import { strFromU8, unzipSync } from 'fflate';

/** The largest workbook, the largest part of it when unzipped, and the largest text, in bytes. */
const MAX_FILE = 10_000_000;
const MAX_PART = 50_000_000;
const MAX_TEXT = 20_000_000;
/** As many as spreadsheets have. */
const MAX_ROWS = 1_048_576;

const all = (parent: Document | Element, name: string): Element[] => [
  ...parent.getElementsByTagNameNS('*', name),
];

/** The text of a string, without what tells how it is pronounced. */
const textOf = (parent: Element): string =>
  all(parent, 't')
    .map((one) => (one.parentElement?.localName === 'rPh' ? '' : one.textContent))
    .join('');

/** Whether numbers of each style are times. */
function timesOf(styles: Document): boolean[] {
  const codes = new Map(all(styles, 'numFmt').map((one) => [one.getAttribute('numFmtId'), one]));
  return all(styles, 'cellXfs').flatMap((formats) =>
    all(formats, 'xf').map((format) => {
      const id = format.getAttribute('numFmtId');
      const code = codes.get(id)?.getAttribute('formatCode') ?? '';
      // These are without a code in the file.
      return (
        /^(1[4-9]|2[0-2]|4[5-7])$/.test(id ?? '') || /[dmyhs]/i.test(code.replace(/"[^"]*"|\[.*?\]|\\./g, ''))
      );
    }),
  );
}

/** A day, or a time of one, from the days since the first of the calendar. */
const timeOf = (days: number): string =>
  new Date(Math.round((days - 25_569) * 86_400) * 1_000)
    .toISOString()
    .replace(/T00:00:00.000Z$/, '')
    .replace(/\.000Z$/, '');

/** The number of a cell's column, from 0. */
const columnOf = (place: string): number =>
  [...place.replace(/\d/g, '')].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/**
 * The cells of the rows of the first sheet of an .xlsx file. A line break in a cell becomes a blank, so that lines of a text have
 * the numbers of rows. Null if it cannot be read, or is too large.
 */
export function sheetIn(bytes: Uint8Array): string[][] | null {
  const part = (name: string): Document => {
    const filter = (one: { name: string; originalSize: number }) =>
      one.name === name && one.originalSize <= MAX_PART;
    const xml = strFromU8(unzipSync(bytes, { filter })[name] ?? new Uint8Array());
    return new DOMParser().parseFromString(xml, 'application/xml');
  };
  if (bytes.length > MAX_FILE) return null;
  try {
    const book = part('xl/workbook.xml');
    const first = [...(all(book, 'sheet')[0]?.attributes ?? [])].find((one) => one.localName === 'id');
    const relation = all(part('xl/_rels/workbook.xml.rels'), 'Relationship').find(
      (one) => one.getAttribute('Id') === first?.value,
    );
    const sheet = part(new URL(relation?.getAttribute('Target') ?? '', 'file:///xl/').pathname.slice(1));
    if (all(sheet, 'parsererror').length > 0) return null;
    const shared = all(part('xl/sharedStrings.xml'), 'si').map(textOf);
    const times = timesOf(part('xl/styles.xml'));
    const offset = /^(1|true)$/.test(all(book, 'workbookPr')[0]?.getAttribute('date1904') ?? '') ? 1_462 : 0;
    const shown = (cell: Element): string => {
      const value = all(cell, 'v')[0]?.textContent ?? '';
      const type = cell.getAttribute('t') ?? 'n';
      if (type === 's') return shared[Number(value)] ?? '';
      if (type === 'inlineStr') return textOf(cell);
      if (type === 'b') return value === '1' ? 'true' : 'false';
      if (type !== 'n' || value === '') return value;
      if (times[Number(cell.getAttribute('s'))]) return timeOf(Number(value) + offset);
      // Spreadsheets show no more digits.
      return String(Number(Number(value).toPrecision(15)));
    };
    const rows: string[][] = [];
    let length = 0;
    for (const row of all(sheet, 'row')) {
      const cells: string[] = [];
      let next = 0;
      for (const cell of all(row, 'c')) {
        const place = cell.getAttribute('r');
        const column = place === null ? next : columnOf(place);
        const text = shown(cell)
          .replace(/[\t\r\n]+/g, ' ')
          .trim();
        next = column + 1;
        if (text === '') continue;
        length += column - cells.length + text.length + 1;
        if (length > MAX_TEXT) return null;
        cells.push(...Array.from({ length: column - cells.length }, () => ''), text);
      }
      const number = Number(row.getAttribute('r') ?? rows.length + 1);
      if (number > MAX_ROWS) return null;
      while (rows.length < number - 1) rows.push([]);
      rows.push(cells);
    }
    return rows;
  } catch {
    return null;
  }
}
