import { strToU8, zipSync } from 'fflate';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

export interface Sheet {
  readonly rows: string;
  readonly state?: 'hidden' | 'veryHidden';
  readonly kind?: 'worksheet' | 'chartsheet';
  /** The target of its relationship, by default its path below the workbook. */
  readonly target?: string;
}

interface Options {
  readonly sheets: readonly Sheet[];
  readonly strings?: readonly string[];
  readonly workbook?: string;
  /** The target of the shared strings, and their part, which may differ. */
  readonly stringsTarget?: string;
  readonly stringsPart?: string | null;
  readonly separator?: '/' | '\\';
  readonly hasRoot?: boolean;
}

/** A row of cells: numbers are places in the shared strings. */
export const row = (number: number, ...cells: readonly (number | string)[]): string =>
  `<row r="${number}">${cells
    .map((cell, index) => {
      const place = `r="${String.fromCharCode(65 + index)}${number}"`;
      return typeof cell === 'number'
        ? `<c ${place} t="s"><v>${cell}</v></c>`
        : `<c ${place} t="inlineStr"><is><t xml:space="preserve">${cell}</t></is></c>`;
    })
    .join('')}</row>`;

/** A workbook as programs write it, with the paths and the case that they choose. */
export function workbookOf(options: Options): Buffer {
  const { sheets, strings = [], workbook = 'xl/workbook.xml', separator = '/', hasRoot = true } = options;
  const { stringsTarget = 'sharedStrings.xml', stringsPart = stringsTarget } = options;
  const [folder = '', base = ''] = [workbook.replace(/[^/]*$/, ''), workbook.replace(/^.*\//, '')];
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const relations = (...all: readonly string[]) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`;
  const sheetPath = (index: number) => `${sheets[index]?.kind ?? 'worksheet'}s/sheet${index + 1}.xml`;
  const parts: Record<string, string> = {
    ...(hasRoot && { '_rels/.rels': relations(relation('rId1', 'officeDocument', workbook)) }),
    [workbook]: `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets
      .map(({ state }, index) => {
        const hidden = state ? ` state="${state}"` : '';
        return `<sheet name="S${index}" sheetId="${index + 1}"${hidden} r:id="rId${index + 1}"/>`;
      })
      .join('')}</sheets></workbook>`,
    [`${folder}_rels/${base}.rels`]: relations(
      ...sheets.map(({ kind = 'worksheet', target }, index) =>
        relation(`rId${index + 1}`, kind, target ?? sheetPath(index)),
      ),
      relation('rId99', 'sharedStrings', stringsTarget),
    ),
    ...(stringsPart !== null && {
      [folder + stringsPart]:
        `<sst xmlns="${MAIN}">${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    }),
  };
  for (const [index, { rows }] of sheets.entries())
    parts[folder + sheetPath(index)] =
      `<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`;
  const entries = Object.entries(parts).map(([name, xml]) => [
    name.replaceAll('/', separator),
    strToU8(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${xml}`),
  ]);
  return Buffer.from(zipSync(Object.fromEntries(entries)));
}
