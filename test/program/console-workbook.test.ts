import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { sheetIn } from '../../console/src/data/workbook.ts';
import { scanXml } from '../../console/src/data/xml.ts';
import { row, workbookOf } from '../support/workbook.ts';

const sheetWith = (rows: string): string[][] | null => sheetIn(workbookOf({ sheets: [{ rows }] }));

/** The findings of a scanner, in order. */
function foundIn(xml: string): string[] {
  const found: string[] = [];
  scanXml(xml, {
    open: (name, attribute) => found.push(`<${name} ${attribute('a')}`),
    text: (text) => found.push(text),
    close: (name) => found.push(`/${name}`),
  });
  return found;
}

test.each([
  ['<x:y a="1" b:a="2"/>', ['<y 1', '/y']],
  ['<y b:a=\'2>&lt;\' a="1&#x41;&#66;&amp;lt;">&gt;&unknown;</y>', ['<y 1AB&lt;', '>&unknown;', '/y']],
  ['<?xml version="1.0"?><!-- <y> --><y><![CDATA[<&amp;]]></y>', ['<y null', '<&amp;', '/y']],
])('scans %s', (xml, found) => {
  expect(foundIn(xml)).toEqual(found);
});

test.each([
  '<y>',
  '</y>',
  '<x><y></x></y>',
  '<y a="1>',
  '<y <z/>',
  '<!DOCTYPE y [<!ENTITY z "z">]><y>&z;</y>',
  '<!-- y',
])('refuses %s', (xml) => {
  expect(() => foundIn(xml)).toThrow();
});

test('reads a wrong tag of megabytes in little time', () => {
  for (const part of ['<y a', ' a="1"', ' a', "'", '&', '<'])
    expect(() => foundIn(`<y ${part.repeat(1_000_000)}`)).toThrow();
});

test('reads what cells show', () => {
  const rows =
    row(2, 'a &amp; <![CDATA[<b>]]>', '') +
    '<row><c><v>1.10</v></c><c t="b"><v>1</v></c><c t="str"><f>"x"</f><v>x_x0041_</v></c><c r="E3"><v>2</v></c></row>' +
    '<row><c t="inlineStr"><is><r><t>f</t></r><r><t>oo</t></r><rPh sb="0" eb="1"><t>bar</t></rPh></is></c></row>';
  expect(sheetWith(rows)).toEqual([[], ['a & <b>'], ['1.1', 'true', 'xA', '', '2'], ['foo']]);
});

test('reads 200,000 cells and no more, and no row or column that no spreadsheet has', () => {
  const cells = (count: number) => `<row>${'<c/>'.repeat(count)}</row>`;
  expect(sheetWith(cells(200_000))).toEqual([[]]);
  expect(sheetWith(cells(200_001))).toBeNull();
  expect(sheetWith('<row r="1048577"><c><v>1</v></c></row>')).toBeNull();
  expect(sheetWith('<row r="1"><c r="XFE1"><v>1</v></c></row>')).toBeNull();
});

test('unzips 20 MB in all and no more', () => {
  // It takes long to zip so much.
  const ofSize = (size: number) => `<row>${' '.repeat(size)}</row>`;
  const strings = [' '.repeat(10_000_000)];
  expect(sheetIn(workbookOf({ sheets: [{ rows: ofSize(9_990_000) }], strings }))).toEqual([[]]);
  expect(sheetIn(workbookOf({ sheets: [{ rows: ofSize(10_000_000) }], strings }))).toBeNull();
});

test('unzips no more of a part than the file says that it has', () => {
  const name = 'xl/workbook.xml';
  const zip = Buffer.from(zipSync({ [name]: strToU8(`<workbook>${' '.repeat(50_000_000)}</workbook>`) }));
  // In the directory at the end, the size is 24 bytes behind the beginning of an entry.
  const entry = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  zip.writeUInt32LE(100, entry + 24);
  const before = process.memoryUsage().arrayBuffers;
  expect(sheetIn(zip)).toBeNull();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
});

/** The texts of cells with these formats of numbers. */
function shownWith(formats: readonly { id: number; code?: string }[], rows: string): string[][] | null {
  const codes = formats.flatMap(({ id, code }) => (code === undefined ? [] : [{ id, code }]));
  const styles = `<styleSheet><numFmts>${codes
    .map(({ id, code }) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`)
    .join(
      '',
    )}</numFmts><cellXfs>${formats.map(({ id }) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`;
  const parts = {
    'xl/workbook.xml': '<workbook><sheets><sheet id="a"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="a" Target="s.xml"/><Relationship Id="b" Type="/styles" Target="styles.xml"/></Relationships>',
    'xl/styles.xml': styles,
    'xl/s.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  };
  return sheetIn(
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))),
  );
}

test.each([
  ['a day', { id: 14 }, '47848', '2030-12-31'],
  ['a day of Chinese and Japanese Excel', { id: 57 }, '47848', '2030-12-31'],
  ['another one', { id: 31 }, '47848', '2030-12-31'],
  ['a day with its language', { id: 164, code: '[$-407]d. mmmm yyyy;@' }, '47848', '2030-12-31'],
  ['no day, but a number that no calendar has', { id: 14 }, '1936000000', '1936000000'],
  ['no day before the first one', { id: 14 }, '-1', '-1'],
  ['a number with a width of letters', { id: 164, code: '#,##0_D_M' }, '1234', '1234'],
  ['a number filled with a letter', { id: 164, code: '*s#,##0' }, '1234', '1234'],
  ['zeros before a number', { id: 164, code: '000' }, '7', '007'],
  ['a number longer than its zeros', { id: 164, code: '000' }, '1234', '1234'],
])('shows %s', (_what, format, value, shown) => {
  expect(shownWith([{ id: 0 }, format], `<row><c s="1"><v>${value}</v></c></row>`)).toEqual([[shown]]);
});

test('shows the formula of a cell that no program has computed, and nothing for an empty text', () => {
  const rows =
    '<row><c><f>TODAY()+30</f><v></v></c><c><f>A1&amp;"x"</f></c><c t="str"><f>""</f><v></v></c><c><f>1+1</f><v>2</v></c></row>';
  expect(sheetWith(rows)).toEqual([['=TODAY()+30', '=A1&"x"', '', '2']]);
});

test('reads booleans in words, and cells in any order and case', () => {
  const rows =
    '<row><c t="b"><v>TRUE</v></c><c t="b"><v>false</v></c></row><row><c r="c2"><v>3</v></c><c r="A2"><v>1</v></c></row>';
  expect(sheetWith(rows)).toEqual([
    ['true', 'false'],
    ['1', '', '3'],
  ]);
});
