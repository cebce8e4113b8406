import { type ColumnType, ColumnTypeEnum, type SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Sql } from '../reading/list.ts';
import type { Db, StatementListener } from './client.ts';

/** What reads past Prisma's client go by: its own connections. */
interface Direct {
  readonly adapter: SqlDriverAdapter;
  readonly parametersOf: (statement: Sql) => string;
  readonly onStatement: StatementListener | undefined;
}

const directs = new WeakMap<object, Direct>();

/** Has `readRows` read by the client's own connections, once there are any. */
export function readDirectly(
  db: Db,
  adapter: SqlDriverAdapter,
  onStatement: StatementListener | undefined,
): void {
  const parametersOf = ({ text, sql }: Sql) => (adapter.provider === 'postgres' ? text : sql);
  directs.set(db, { adapter, parametersOf, onStatement });
}

/** How a column's values become what Prisma's client would give; undefined where they are that already. */
function conversionOf(type: ColumnType): ((value: unknown) => unknown) | undefined {
  if (type === ColumnTypeEnum.DateTime) return (value) => new Date(String(value));
  if (type === ColumnTypeEnum.Boolean) return Boolean;
  const isLarge = type === ColumnTypeEnum.Int64 || type === ColumnTypeEnum.Numeric;
  return isLarge ? Number : undefined;
}

const text = { scalarType: 'string', arity: 'scalar' } as const;

/** A row of the client's own, whose large numbers are BigInts. */
function withNumbers<Row>(row: Row): Row {
  const columns = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(columns))
    if (typeof value === 'bigint') columns[name] = Number(value);
  return row;
}

/**
 * The rows of a statement. It goes past Prisma's client, where that has a connection and no transaction: the client takes as
 * long for a list of ten as the database itself. Large numbers come as numbers.
 */
export async function readRows<Row>(db: Pick<Db, '$queryRaw'>, statement: Sql): Promise<Row[]> {
  const direct = directs.get(db);
  if (direct === undefined) return (await db.$queryRaw<Row[]>(statement)).map(withNumbers);
  const { adapter, parametersOf, onStatement } = direct;
  const sql = parametersOf(statement);
  const startedAt = performance.now();
  const { columnNames, columnTypes, rows } = await adapter.queryRaw({
    sql,
    args: statement.values,
    argTypes: statement.values.map(() => text),
  });
  onStatement?.(sql, (performance.now() - startedAt) / 1000);
  const conversions = columnTypes.map(conversionOf);
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columnNames.length; i++) {
      const value = values[i];
      const convert = conversions[i];
      row[columnNames[i] as string] = value === null || convert === undefined ? value : convert(value);
    }
    return row as Row; // The caller says what the statement selects.
  });
}
