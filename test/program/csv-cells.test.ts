import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCell } from '../../console/src/data/save-file.ts';
import { csvRecords } from '../../src/domain/transfer/csv.ts';
import { csvLine, unguarded } from '../../src/engine/tools/csv-writer.ts';

/** Texts with many characters that are special in CSV. */
const anyText = fc.string({
  unit: fc.constantFrom(...'=+-@＝＋－＠\'";,|\t\r\n\u2060 a'.split('')),
  maxLength: 12,
});
const texts = fc.array(anyText, { maxLength: 3 });

async function cellsOf(line: string): Promise<readonly string[]> {
  for await (const record of csvRecords([Buffer.from(line)] as never, ','))
    if ('cells' in record) return record.cells;
  return [];
}

test('texts and lists stay the same when they are written as cells and read again', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, texts, async (one, list) => {
      const [, cell = '', json = ''] = await cellsOf(csvLine([1, one, [list]]));
      expect([unguarded(cell), JSON.parse(json)]).toEqual([one, [list]]);
    }),
  );
});

test.each([
  ["'=1", '=1'],
  ["''=1", "'=1"],
  ["a;'=1", 'a;=1'],
  ["'\t=1", '\t=1'],
  // Apostrophes elsewhere were the text's own.
  ["a,'=1", "a,'=1"],
  ["a\n'=1", "a\n'=1"],
  ['a;"\'=1', 'a;"\'=1'],
])('the cell %j of an older version is read as %j', (cell, given) => {
  expect(unguarded(cell)).toBe(given);
});

/** The cells that a reader with this separator finds. One that knows quotes takes text behind a closing quote as part of the cell. */
function readBy(separator: string, knowsQuotes: boolean, file: string): string[] {
  const quoted = knowsQuotes ? '"(?<quoted>(?:[^"]|"")*)(?:"|$)' : '(?!)';
  const cell = new RegExp(`(?:${quoted})?(?<plain>[^${separator}\r\n]*)(?:[${separator}\r\n]|$)`, 'g');
  return [...file.matchAll(cell)].map(
    ({ groups }) => (groups?.quoted?.replaceAll('""', '"') ?? '') + groups?.plain,
  );
}

const readers = [',', ';', '\t', '|'].flatMap((separator) => [
  [separator, true] as const,
  [separator, false] as const,
]);

test.each(readers)('no cell begins a formula for a reader that splits at %j (quotes: %j)', (...reader) => {
  // Some readers remove blanks and quotes around a cell.
  const formula = /^[\s"]*[=+\-@＝＋－＠]/;
  fc.assert(
    fc.property(anyText, texts, anyText, (one, list, other) => {
      const rows = [csvLine(['a', one, other]), csvLine([list.map((name) => ({ name })), one, [list]])];
      rows.push(`${['a', one, other, JSON.stringify([list])].map(formatCell).join(',')}\r\n`);
      for (const cell of readBy(...reader, rows.join(''))) expect(cell).not.toMatch(formula);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['in a list', ['a;=1'], '"[""a\\u003b=1""]"'],
  ['in a list, without a formula', ['a;b'], '"[""a\\u003bb""]"'],
  ['after a line break', 'a\n- b', '"a\n\'\u2060- b"'],
  ['after a separator with a quote', 'a;"=1"', '"a;""\'\u2060=1"""'],
  ['in a list, at the start', ['=1', '-2'], '"[""\\u003d1"",""\\u002d2""]"'],
  ['at the start', '=1', "'=1"],
  ['with a tab after a comma', 'a,\t1', '"a,\'\u2060\t1"'],
])('writes a text %s', (_, value, cell) => {
  expect(csvLine([value])).toBe(`${cell}\r\n`);
});

test('the console saves cells of the own export as they were', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, texts, async (one, list) => {
      const cells = await cellsOf(csvLine(['a', one, list]));
      expect(await cellsOf(`${cells.map(formatCell).join(',')}\n`)).toEqual(cells);
      const [json = ''] = await cellsOf(`${formatCell(JSON.stringify(['a', ...list]))}\n`);
      expect(JSON.parse(json)).toEqual(['a', ...list]);
    }),
  );
});
