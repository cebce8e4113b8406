// Converts values between Prisma's client and SQLite. SQLite only stores texts, numbers and bytes, so the declared types
// of columns say what Prisma makes of them. Columns of expressions have no type: their values say it.
import { type ArgType, type ColumnType, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import { dateText } from '../driver.ts';

/** Columns' types as Prisma's migrations and SQLite's catalogue declare them. */
const TYPES: ReadonlyMap<string | null, ColumnType> = new Map([
  ['INT', ColumnTypeEnum.Int32],
  ['INTEGER', ColumnTypeEnum.Int32],
  ['BIGINT', ColumnTypeEnum.Int64],
  ['REAL', ColumnTypeEnum.Double],
  ['DECIMAL', ColumnTypeEnum.Numeric],
  ['BOOLEAN', ColumnTypeEnum.Boolean],
  ['TEXT', ColumnTypeEnum.Text],
  ['DATETIME', ColumnTypeEnum.DateTime],
  ['BLOB', ColumnTypeEnum.Bytes],
  ['JSONB', ColumnTypeEnum.Json],
]);

/** Returns null if only the column's values tell its type. */
export function declaredType(type: string | null): ColumnType | null {
  return TYPES.get(type) ?? null;
}

function inferType(value: unknown): ColumnType {
  if (typeof value === 'string') return ColumnTypeEnum.Text;
  if (typeof value === 'bigint') return ColumnTypeEnum.Int64;
  if (typeof value === 'number') return ColumnTypeEnum.UnknownNumber;
  if (value instanceof Uint8Array) return ColumnTypeEnum.Bytes;
  throw new TypeError(`SQLite has no values of the type ${typeof value}`);
}

/** Returns the types of columns; null in `declared` stands for that of the column's first value. */
export function columnTypes(
  declared: readonly (ColumnType | null)[],
  rows: readonly (readonly unknown[])[],
): ColumnType[] {
  return declared.map((type, column) => {
    if (type !== null) return type;
    const row = rows.find((one) => one[column] !== null);
    return row === undefined ? ColumnTypeEnum.Int32 : inferType(row[column]);
  });
}

const isWhole = (type: ColumnType | undefined) =>
  type === ColumnTypeEnum.Int32 || type === ColumnTypeEnum.Int64;

/** Returns a stored value in Prisma's form: whole numbers as numbers, or as texts where a number would lose digits. */
export function fromSqlite(value: unknown, type: ColumnType | undefined): unknown {
  if (typeof value !== 'bigint' && typeof value !== 'number') return value;
  const number = Number(value);
  if (type === ColumnTypeEnum.DateTime) return new Date(number).toISOString();
  if (typeof value === 'bigint') return Number.isSafeInteger(number) ? number : value.toString();
  return isWhole(type) ? Math.trunc(value) : value;
}

/** Reads texts of Prisma's client whose values are no texts, by their types. */
const PARSERS: Readonly<Partial<Record<ArgType['scalarType'], (text: string) => unknown>>> = {
  int: (text) => Number.parseInt(text, 10),
  float: Number.parseFloat,
  decimal: Number.parseFloat,
  bigint: BigInt,
  datetime: (text) => dateText(new Date(text)),
  bytes: (text) => Buffer.from(text, 'base64'),
};

/** Returns a value as SQLite stores it. @param type of a value of Prisma's client */
export function toSqlite(value: unknown, type?: ArgType): unknown {
  if (typeof value === 'string') {
    const parse = type && PARSERS[type.scalarType];
    return parse ? parse(value) : value;
  }
  if (value instanceof Date) return dateText(value);
  return typeof value === 'boolean' ? Number(value) : value;
}
