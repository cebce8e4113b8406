import { expect, test } from 'vitest';
import { type CsvRecord, csvRecords, MAX_RECORD_LENGTH } from '../../src/domain/transfer/csv.ts';

/** The records of a text that arrives in two parts. */
async function recordsOf(text: string, border: number): Promise<CsvRecord[]> {
  async function* parts() {
    yield Buffer.from(text.slice(0, border));
    yield Buffer.from(text.slice(border));
  }
  const records: CsvRecord[] = [];
  for await (const record of csvRecords(parts(), ',')) records.push(record);
  return records;
}

test('an unclosed quote affects one line, wherever the text is split', async () => {
  const cell = 'x'.repeat(MAX_RECORD_LENGTH / 100);
  const text = `"open,1\n${`${cell},""\n`.repeat(102)}`;
  const border = text.lastIndexOf('""') + 1;
  const records = await recordsOf(text, border);
  expect(records[0]).toMatchObject({ line: 1, fault: expect.stringContaining('never closed') });
  expect(records.length).toBe(103);
  expect(records.at(-1)).toMatchObject({ line: 103, cells: [cell, ''] });
});

const long = 'x'.repeat(MAX_RECORD_LENGTH);

test.each([
  ['in an earlier cell', `"a\nb\nc",${long}`, '\n', 4],
  ['of Windows', `1,${long}`, '\r\n', 2],
  ['of old Macs', `1,${long}`, '\r', 2],
])(
  'a record that is too long, with line breaks %s, affects no other record',
  async (_where, record, end, line) => {
    const text = `${record}${end}3,4${end}`;
    // Split after the first character of the line break, or before it.
    for (const border of end === '\n' ? [record.length] : [record.length, record.length + 1])
      expect(await recordsOf(text, border)).toMatchObject([
        { line: 1, fault: `has more than ${MAX_RECORD_LENGTH} bytes` },
        { line, cells: ['3', '4'] },
      ]);
  },
);
