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

/** A text with the characters that it has as `_x000D_`, by ECMA-376, 22.9.2.19. */
const unescaped = (text: string): string =>
  text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The text of a string, without what tells how it is pronounced. */
const textOf = (parent: Element): string =>
  unescaped(
    all(parent, 't')
      .map((one) => (one.parentElement?.localName === 'rPh' ? '' : one.textContent))
      .join(''),
  );

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

/** A part of a workbook that another one refers to. */
interface Related {
  readonly id: string | null;
  /** Such as `worksheet`; empty if it is not said. */
  readonly kind: string;
  readonly path: string;
}

/** The parts of a workbook. Programs write their paths with any slashes, and in any case. */
class Parts {
  readonly #bytes: Uint8Array;
  readonly #names = new Map<string, string>();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const note = ({ name }: { name: string }) => {
      this.#names.set(name.replaceAll('\\', '/').toLowerCase(), name);
      return false;
    };
    unzipSync(bytes, { filter: note });
  }

  /** The part with this path; null if there is none. @throws Error if it is too large or no XML */
  at(path: string): Document | null {
    const name = this.#names.get(path.toLowerCase());
    if (name === undefined) return null;
    const filter = (one: { name: string; originalSize: number }) =>
      one.name === name && one.originalSize <= MAX_PART;
    const xml = strFromU8(unzipSync(this.#bytes, { filter })[name] ?? new Uint8Array());
    const found = new DOMParser().parseFromString(xml, 'application/xml');
    if (all(found, 'parsererror').length > 0) throw new Error(`${name} is no XML`);
    return found;
  }

  /** The parts to which the one with this path refers; the package itself has an empty path. */
  from(path: string): Related[] {
    const relations = this.at(path.replace(/[^/]*$/, '_rels/$&.rels'));
    return (relations ? all(relations, 'Relationship') : []).map((one) => {
      const target = one.getAttribute('Target')?.replaceAll('\\', '/') ?? '';
      return {
        id: one.getAttribute('Id'),
        kind: one.getAttribute('Type')?.replace(/^.*\//, '') ?? '',
        path: decodeURI(new URL(target, `file:///${path}`).pathname.slice(1)),
      };
    });
  }
}

/** What stands in the cells of a workbook's sheets. */
function reader(
  book: Document,
  strings: Document | null,
  styles: Document | null,
): (cell: Element) => string {
  const shared = strings ? all(strings, 'si').map(textOf) : [];
  const times = styles ? timesOf(styles) : [];
  const offset = /^(1|true)$/.test(all(book, 'workbookPr')[0]?.getAttribute('date1904') ?? '') ? 1_462 : 0;
  const sharedAt = (index: number): string => {
    const text = shared[index];
    if (text === undefined) throw new Error(`there is no shared string ${index}`);
    return text;
  };
  return (cell) => {
    const value = all(cell, 'v')[0]?.textContent ?? '';
    const type = cell.getAttribute('t') ?? 'n';
    if (type === 'inlineStr') return textOf(cell);
    if (value === '') return '';
    if (type === 's') return sharedAt(Number(value));
    if (type === 'str') return unescaped(value);
    if (type === 'b') return value === '1' ? 'true' : 'false';
    if (type !== 'n') return value;
    if (times[Number(cell.getAttribute('s'))]) return timeOf(Number(value) + offset);
    // Spreadsheets show no more digits.
    return String(Number(Number(value).toPrecision(15)));
  };
}

/** The rows of a sheet; null if they are too large. */
function rowsOf(sheet: Document, shown: (cell: Element) => string): string[][] | null {
  const rows: string[][] = [];
  let length = 0;
  for (const row of all(sheet, 'row')) {
    const cells: string[] = [];
    let next = 0;
    for (const cell of all(row, 'c')) {
      const place = cell.getAttribute('r');
      const column = place === null ? next : columnOf(place);
      const text = shown(cell)
        .replace(/\p{Cc}+/gu, ' ')
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
}

/** The path of the first sheet of cells that is not hidden; null if there is none. */
function firstSheet(book: Document, related: readonly Related[]): string | null {
  const shown = all(book, 'sheet').filter((one) => !/hidden$/i.test(one.getAttribute('state') ?? ''));
  const ids = shown.map((one) => [...one.attributes].find(({ localName }) => localName === 'id')?.value);
  const sheets = ids.flatMap((id) => related.filter((one) => one.id === id));
  return sheets.find(({ kind }) => kind === 'worksheet' || kind === '')?.path ?? null;
}

/**
 * The cells of the rows of the first visible sheet of an .xlsx file. A line break in a cell becomes a blank, so that lines of
 * a text have the numbers of rows. Null if it cannot be read, or is too large.
 */
export function sheetIn(bytes: Uint8Array): string[][] | null {
  if (bytes.length > MAX_FILE) return null;
  try {
    const parts = new Parts(bytes);
    const pathOf = (related: readonly Related[], kind: string, path: string) =>
      related.find((one) => one.kind === kind)?.path ?? path;
    const workbook = pathOf(parts.from(''), 'officeDocument', 'xl/workbook.xml');
    const book = parts.at(workbook);
    if (book === null) return null;
    const related = parts.from(workbook);
    const path = firstSheet(book, related);
    if (path === null) return [];
    const sheet = parts.at(path);
    const beside = (name: string) => workbook.replace(/[^/]*$/, `${name}.xml`);
    const partOf = (kind: string) => parts.at(pathOf(related, kind, beside(kind)));
    return sheet && rowsOf(sheet, reader(book, partOf('sharedStrings'), partOf('styles')));
  } catch {
    return null;
  }
}
