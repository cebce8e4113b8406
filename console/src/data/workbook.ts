import { strFromU8, unzipSync } from 'fflate';
import { scanXml } from './xml.ts';

/** The largest workbook, what is unzipped of it, and the largest text, in bytes. */
const MAX_FILE = 10_000_000;
const MAX_UNZIPPED = 20_000_000;
const MAX_TEXT = 20_000_000;
const MAX_CELLS = 200_000;
/** As many as spreadsheets have. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

/** A text with the characters that it has as `_x000D_`, by ECMA-376, 22.9.2.19. */
const unescaped = (text: string): string =>
  text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The day after the last one of the calendar, as a number. */
const END_OF_DAYS = 2_958_466;

/** A day, or a time of one, from the days since the first of the calendar. */
const formatTime = (days: number): string =>
  new Date(Math.round((days - 25_569) * 86_400) * 1_000)
    .toISOString()
    .replace(/T00:00:00.000Z$/, '')
    .replace(/\.000Z$/, '');

/** The number of a cell's column, from 0. */
const columnNumber = (place: string): number =>
  [...place.toUpperCase().replace(/\d/g, '')].reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  ) - 1;

/** Collects texts of elements `t`, without those that tell how others are pronounced. */
class Texts {
  #isShown = true;
  #isText = false;
  #text = '';

  open(name: string): void {
    if (name === 'rPh') this.#isShown = false;
    this.#isText = name === 't';
  }

  text(text: string): void {
    if (this.#isText && this.#isShown) this.#text += text;
  }

  close(name: string): void {
    if (name === 'rPh') this.#isShown = true;
    this.#isText = false;
  }

  /** The text since it was last taken. */
  take(): string {
    const text = unescaped(this.#text);
    this.#text = '';
    return text;
  }
}

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
  #room = MAX_UNZIPPED;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const note = ({ name }: { name: string }) => {
      this.#names.set(name.replaceAll('\\', '/').toLowerCase(), name);
      return false;
    };
    unzipSync(bytes, { filter: note });
  }

  /** The part with this path; null if there is none. @throws Error if it is too large with those before */
  at(path: string): string | null {
    const name = this.#names.get(path.toLowerCase());
    if (name === undefined) return null;
    const filter = (one: { name: string; originalSize: number }) => {
      if (one.name !== name) return false;
      this.#room -= one.originalSize;
      return this.#room >= 0;
    };
    const part = unzipSync(this.#bytes, { filter })[name];
    if (part === undefined) throw new Error('it is too large');
    return strFromU8(part);
  }

  /** The parts to which the one with this path refers; the package itself has an empty path. */
  from(path: string): Related[] {
    const related: Related[] = [];
    scanXml(this.at(path.replace(/[^/]*$/, '_rels/$&.rels')) ?? '', {
      open(name, attribute) {
        if (name !== 'Relationship') return;
        const target = attribute('Target')?.replaceAll('\\', '/') ?? '';
        related.push({
          id: attribute('Id'),
          kind: attribute('Type')?.replace(/^.*\//, '') ?? '',
          path: decodeURI(new URL(target, `file:///${path}`).pathname.slice(1)),
        });
      },
    });
    return related;
  }
}

/** The ids of the sheets that are not hidden, and by how many days times of the workbook are late. */
function sheetsIn(book: string): { shown: (string | null)[]; offset: number } {
  const shown: (string | null)[] = [];
  let offset = 0;
  scanXml(book, {
    open(name, attribute) {
      if (name === 'workbookPr' && /^(1|true)$/.test(attribute('date1904') ?? '')) offset = 1_462;
      if (name === 'sheet' && !/hidden$/i.test(attribute('state') ?? '')) shown.push(attribute('id'));
    },
  });
  return { shown, offset };
}

function sharedStrings(xml: string): string[] {
  const strings: string[] = [];
  const texts = new Texts();
  scanXml(xml, {
    open: (name) => texts.open(name),
    text: (text) => texts.text(text),
    close(name) {
      texts.close(name);
      if (name === 'si') strings.push(texts.take());
    },
  });
  return strings;
}

/** A way to show numbers: as times, or with zeros before them, up to so many digits. */
interface NumberFormat {
  readonly isTime: boolean;
  readonly digits: number;
}

/** The formats of times that are without a code in the file; some are those of Chinese, Japanese, Korean and Thai. */
const TIME_ID = /^(1[4-9]|2[0-2]|2[7-9]|3[0-6]|4[5-7]|5[0-8]|7[1-9]|8[01])$/;
/** Literal parts of a code: quoted or escaped text, or the width or the filling of a space. */
const LITERAL = /"[^"]*"|\[.*?\]|[\\_*]./g;

/** The number format of each style. */
function formatsIn(styles: string): NumberFormat[] {
  const codes = new Map<string | null, string>();
  const formats: (string | null)[] = [];
  let isOfCells = false;
  scanXml(styles, {
    open(name, attribute) {
      if (name === 'cellXfs') isOfCells = true;
      if (name === 'numFmt') codes.set(attribute('numFmtId'), attribute('formatCode') ?? '');
      if (name === 'xf' && isOfCells) formats.push(attribute('numFmtId'));
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return formats.map((id) => {
    const code = codes.get(id);
    const isTime = code === undefined ? TIME_ID.test(id ?? '') : /[dmyhs]/i.test(code.replace(LITERAL, ''));
    return { isTime, digits: /^0+$/.test(code ?? '') ? (code ?? '').length : 0 };
  });
}

/** The parts of a workbook that its cells refer to. */
interface Beside {
  readonly strings: readonly string[];
  readonly formats: readonly NumberFormat[];
  readonly offset: number;
}

/** The text that a cell shows for a value, by its type and style. */
function shownValue(
  value: string,
  type: string,
  style: number,
  { strings, formats, offset }: Beside,
): string {
  if (value === '') return '';
  if (type === 's') {
    const text = strings[Number(value)];
    if (text === undefined) throw new Error(`there is no shared string ${value}`);
    return text;
  }
  if (type === 'str') return unescaped(value);
  if (type === 'b') return /^(1|true)$/i.test(value) ? 'true' : 'false';
  if (type !== 'n' || Number.isNaN(Number(value))) return value;
  const { isTime = false, digits = 0 } = formats[style] ?? {};
  const days = Number(value) + offset;
  if (isTime && days >= 0 && days < END_OF_DAYS) return formatTime(days);
  // Spreadsheets show no more digits.
  return String(Number(Number(value).toPrecision(15))).replace(/^\d+$/, (all) => all.padStart(digits, '0'));
}

/** The rows of a sheet. @throws Error if they are too large */
function readRows(sheet: string, beside: Beside): string[][] {
  const rows: string[][] = [];
  const texts = new Texts();
  let [cells, length, next] = [0, 0, 0];
  let row: string[] = [];
  let cell = { column: 0, type: 'n', style: 0 };
  let value: string | null = null;
  let isValue = false;
  let formula: string | null = null;
  let isFormula = false;
  const put = (text: string) => {
    const { column } = cell;
    next = column + 1;
    if (text === '') return;
    const gap = Math.max(0, column - row.length);
    length += gap + text.length + 1;
    if (column >= MAX_COLUMNS || length > MAX_TEXT) throw new Error('it is too large');
    row.push(...Array.from({ length: gap }, () => ''));
    row[column] = text;
  };
  scanXml(sheet, {
    open(name, attribute) {
      if (name === 'row') {
        const number = Number(attribute('r') ?? rows.length + 1);
        if (!(number <= MAX_ROWS)) throw new Error('it is too large');
        while (rows.length < number - 1) rows.push([]);
        [row, next] = [[], 0];
      } else if (name === 'c') {
        if (++cells > MAX_CELLS) throw new Error('it has too many cells');
        const place = attribute('r');
        const [type, style] = [attribute('t') ?? 'n', Number(attribute('s'))];
        cell = { column: place === null ? next : columnNumber(place), type, style };
        [value, formula] = [null, null];
      }
      if (name === 'f') formula = '';
      isFormula = name === 'f';
      isValue = name === 'v' && value === null;
      texts.open(name);
    },
    text(text) {
      if (isValue) value = (value ?? '') + text;
      if (isFormula) formula += text;
      texts.text(text);
    },
    close(name) {
      isValue = isFormula = false;
      texts.close(name);
      if (name === 'row') rows.push(row);
      if (name !== 'c') return;
      const inline = texts.take();
      // A library wrote the file, and no program has computed it yet.
      const isUnknown = formula !== null && cell.type !== 'str' && (value ?? '') === '';
      const known =
        cell.type === 'inlineStr' ? inline : shownValue(value ?? '', cell.type, cell.style, beside);
      const text = isUnknown ? `=${formula || '…'}` : known;
      put(text.replace(/\p{Cc}+/gu, ' ').trim());
    },
  });
  return rows;
}

/**
 * The cells of the rows of the first visible sheet of an .xlsx file. A line break in a cell becomes a blank, so that lines of
 * a text have the numbers of rows. Null if it cannot be read, or is too large.
 */
export function sheetIn(bytes: Uint8Array): string[][] | null {
  if (bytes.length > MAX_FILE) return null;
  try {
    const parts = new Parts(bytes);
    const findPath = (related: readonly Related[], kind: string, path: string) =>
      related.find((one) => one.kind === kind)?.path ?? path;
    const workbook = findPath(parts.from(''), 'officeDocument', 'xl/workbook.xml');
    const book = parts.at(workbook);
    if (book === null) return null;
    const related = parts.from(workbook);
    const { shown, offset } = sheetsIn(book);
    const sheets = shown.flatMap((id) => related.filter((one) => one.id === id));
    const first = sheets.find(({ kind }) => kind === 'worksheet' || kind === '');
    if (first === undefined) return [];
    const sheet = parts.at(first.path);
    if (sheet === null) return null;
    const beside = (name: string) => workbook.replace(/[^/]*$/, `${name}.xml`);
    const readPart = (kind: string) => parts.at(findPath(related, kind, beside(kind))) ?? '';
    const [strings, formats] = [sharedStrings(readPart('sharedStrings')), formatsIn(readPart('styles'))];
    return readRows(sheet, { strings, formats, offset });
  } catch {
    return null;
  }
}
