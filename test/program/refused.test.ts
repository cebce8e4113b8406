import { expect, test } from 'vitest';
import { isRefused } from '../../src/engine/db/errors.ts';

test.each([
  ['22', ['22000', '22001', '22003', '22021', '22P02', '22P05', '2200H']],
  ['23', ['23000', '23001', '23502', '23503', '23505', '23514', '23P01']],
  ['SQLite', ['SQLITE_CONSTRAINT', 'SQLITE_CONSTRAINT_TRIGGER', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG']],
])('the database refuses data by errors of %s', (_class, codes) => {
  for (const originalCode of codes) {
    const cause = { originalCode, kind: 'postgres' };
    expect([originalCode, isRefused({ code: 'P2010', meta: { driverAdapterError: { cause } } })]).toEqual([
      originalCode,
      true,
    ]);
  }
});

test.each([
  ['the connection', ['08000', '08006', '57P01', 'ECONNREFUSED', 'P1001', 'P2022', 'P2028']],
  ['resources', ['53100', '53200', '53300', '54000', 'SQLITE_FULL', 'SQLITE_NOMEM']],
  ['others’ work', ['40001', '40P01', '55P03', 'SQLITE_BUSY', 'SQLITE_LOCKED', 'P2034']],
  ['limits of time', ['57014', 'P2024']],
  ['rights', ['42501', '25006', 'SQLITE_READONLY', 'SQLITE_PERM']],
  ['the disk', ['58030', 'XX001', 'SQLITE_IOERR_WRITE', 'SQLITE_CORRUPT']],
  ['the schema', ['42P01', '42703', 'SQLITE_ERROR', '0A000']],
])('errors of %s may end by themselves', (_what, codes) => {
  for (const code of codes) expect([code, isRefused({ cause: { code } })]).toEqual([code, false]);
  expect(isRefused(new Error('Connection terminated'))).toBe(false);
});
