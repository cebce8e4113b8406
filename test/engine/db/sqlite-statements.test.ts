import { type ArgType, ColumnTypeEnum, DriverAdapterError } from '@prisma/driver-adapter-utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FileConnection } from '../../../src/engine/db/sqlite/file-connection.ts';

let connection: FileConnection;
beforeAll(async () => {
  connection = await FileConnection.open('file::memory:', ['foreign_keys = ON']);
  connection.script(`
    CREATE TABLE "Value" ("id" INTEGER PRIMARY KEY, "big" BIGINT, "text" TEXT NOT NULL, "flag" BOOLEAN, "at" DATETIME,
      "real" REAL, "exact" DECIMAL, "bytes" BLOB, "json" JSONB, UNIQUE ("text", "flag"));
    CREATE UNIQUE INDEX "lower" ON "Value" (lower("text"));
    CREATE TABLE "Part" ("id" INTEGER PRIMARY KEY, "of" INTEGER REFERENCES "Value" ("id"), CHECK ("of" < 100));
    CREATE TRIGGER "kept" BEFORE DELETE ON "Value" WHEN OLD."id" = 3
      BEGIN SELECT RAISE(ABORT, 'is kept'); END;
    INSERT INTO "Value" ("id", "text", "flag", "at") VALUES (1, 'one', 0, 1700000000000), (3, 'three', 0, NULL);
    INSERT INTO "Part" VALUES (1, 1);
  `);
});
afterAll(() => connection.close());

const typed = (...types: ArgType['scalarType'][]) =>
  types.map((scalarType) => ({ scalarType, arity: 'scalar' }) satisfies ArgType);
const query = (sql: string) => connection.query({ sql, args: [], argTypes: [] });
const execute = (sql: string) => connection.execute({ sql, args: [], argTypes: [] });

test("stores the values of Prisma's client by their types, and returns them by their columns'", () => {
  const { Int32, Int64, Text, Boolean: Flag, DateTime, Double, Numeric, Bytes, Json } = ColumnTypeEnum;
  const sql = 'INSERT INTO "Value" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
  const argTypes = typed(
    ...(['int', 'bigint', 'string', 'boolean', 'datetime', 'float', 'decimal', 'bytes', 'json'] as const),
  );
  const time = '2026-01-01T00:00:00Z';
  const texts = ['2', '9007199254740993', 'two', true, time, '1.5', '2.25', 'AAEC', '{}'];
  expect(connection.execute({ sql, args: texts, argTypes })).toBe(1);
  const values = [4, 3n, 'four', false, new Date(5), 1, 2, null, null];
  expect(connection.execute({ sql, args: values, argTypes })).toBe(1);
  const { columnNames, columnTypes, rows } = query('SELECT * FROM "Value" WHERE "id" IN (2, 4)');
  expect(columnNames).toEqual(['id', 'big', 'text', 'flag', 'at', 'real', 'exact', 'bytes', 'json']);
  expect(columnTypes).toEqual([Int32, Int64, Text, Flag, DateTime, Double, Numeric, Bytes, Json]);
  expect(rows).toEqual([
    [
      ...[2, '9007199254740993', 'two', 1, '2026-01-01T00:00:00.000+00:00', 1.5, 2.25],
      ...[Buffer.from([0, 1, 2]), '{}'],
    ],
    [4, 3, 'four', 0, '1970-01-01T00:00:00.005+00:00', 1, 2, null, null],
  ]);
  expect(execute('DELETE FROM "Value" WHERE "id" IN (2, 4)')).toBe(2);
});

test('reads times that are stored as numbers', () => {
  expect(query('SELECT "at" FROM "Value" WHERE "id" = 1').rows).toEqual([['2023-11-14T22:13:20.000Z']]);
});

test('tells the types of expressions by their values, each time anew', () => {
  const sql = 'SELECT MAX("text"), SUM("id" * 1.5), COUNT(*), x\'00\', NULL FROM "Value" WHERE "id" < ?';
  const types = (below: number) => connection.query({ sql, args: [below], argTypes: typed('int') });
  const { Text, UnknownNumber, Int64, Bytes, Int32 } = ColumnTypeEnum;
  expect(types(9)).toMatchObject({
    columnTypes: [Text, UnknownNumber, Int64, Bytes, Int32],
    rows: [['three', 6, 2, Buffer.from([0]), null]],
  });
  expect(types(0).columnTypes).toEqual([Int32, Int32, Int64, Bytes, Int32]);
});

test('returns the rows of a write that has some, and none of others', () => {
  expect(query('INSERT INTO "Part" VALUES (2, 3) RETURNING "id"').rows).toEqual([[2]]);
  expect(query('DELETE FROM "Part" WHERE "id" = 2')).toEqual({ columnNames: [], columnTypes: [], rows: [] });
});

describe("an error has Prisma's kind, and the code of SQLite", () => {
  const unique = 'UniqueConstraintViolation';
  const foreignKey = { kind: 'ForeignKeyConstraintViolation', constraint: { foreignKey: {} } };
  const cases: [sql: string, code: string, cause: object][] = [
    [
      `INSERT INTO "Value" ("id", "text") VALUES (1, 'x')`,
      'SQLITE_CONSTRAINT_PRIMARYKEY',
      { kind: unique, constraint: { fields: ['id'] }, table: 'Value' },
    ],
    [
      `INSERT INTO "Value" ("text") VALUES ('ONE')`,
      'SQLITE_CONSTRAINT_UNIQUE',
      { kind: unique, constraint: { fields: ["index 'lower'"] }, table: undefined },
    ],
    [
      'INSERT INTO "Value" ("id") VALUES (9)',
      'SQLITE_CONSTRAINT_NOTNULL',
      { kind: 'NullConstraintViolation', constraint: { fields: ['text'] } },
    ],
    ['INSERT INTO "Part" VALUES (9, 50)', 'SQLITE_CONSTRAINT_FOREIGNKEY', foreignKey],
    ['DELETE FROM "Value" WHERE "id" = 3', 'SQLITE_CONSTRAINT_TRIGGER', foreignKey],
    [
      'INSERT INTO "Part" VALUES (9, 500)',
      'SQLITE_CONSTRAINT_CHECK',
      { kind: 'sqlite', extendedCode: 1, message: 'CHECK constraint failed: of' },
    ],
    ['SELECT * FROM "None"', 'SQLITE_ERROR', { kind: 'TableDoesNotExist', table: 'None' }],
    ['SELECT none FROM "Part"', 'SQLITE_ERROR', { kind: 'ColumnNotFound', column: 'none' }],
    ['INSERT INTO "Part" ("none") VALUES (1)', 'SQLITE_ERROR', { kind: 'ColumnNotFound', column: 'none' }],
  ];

  test.each(cases)('%s', (sql, originalCode, cause) => {
    for (const run of [query, execute]) {
      let thrown: unknown;
      try {
        run(sql);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(DriverAdapterError);
      expect(thrown).toMatchObject({ cause: { originalCode, ...cause } });
    }
  });
});
