import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRecords } from '../../src/domain/transfer/csv.ts';
import { cellOf, unguarded } from '../../src/domain/transfer/csv-writer.ts';

/** Texts with many characters that are special in CSV. */
const text = fc.string({
  unit: fc.constantFrom(...'=+-@＝＋－＠\'";,\t\r\n a'.split('')),
  maxLength: 12,
});

async function cellsOf(line: string, delimiter: string): Promise<readonly string[]> {
  for await (const record of csvRecords([Buffer.from(`${line}\r\n`)] as never, delimiter))
    if ('cells' in record) return record.cells;
  return [''];
}

test('any text stays the same when it is written as a cell and read again', async () => {
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      const [, cell = ''] = await cellsOf(`1,${cellOf(given)}`, ',');
      expect(unguarded(cell)).toBe(given);
    }),
  );
});

test('no cell starts like a formula, also in a reader that splits at semicolons', () => {
  fc.assert(
    fc.property(text, (given) => {
      const formulas = /^[=+\-@＝＋－＠]/;
      const cell = cellOf(given);
      expect(cell).not.toMatch(formulas);
      for (const part of cell.replace(/^"|"$/g, '').split(';')) expect(part).not.toMatch(formulas);
    }),
  );
});
