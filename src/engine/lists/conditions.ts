import { join, name, type Sql, sql } from '../db/sql.ts';

/** A part of a statement, such as a condition or a total, that a list is given. */
export type Expression = Sql;

/** A condition: the column has the value. Null equals nothing. */
export function is(column: string, value: string | number): Expression {
  return sql`${name(column)} = ${value}`;
}

export function isIn(column: string, values: readonly number[]): Expression {
  return sql`${name(column)} IN (${join([...values])})`;
}

export function isNotIn(column: string, values: readonly string[]): Expression {
  return sql`${name(column)} NOT IN (${join([...values])})`;
}

export function isNull(column: string): Expression {
  return sql`${name(column)} IS NULL`;
}

export function isSince(column: string, time: Date): Expression {
  return sql`${name(column)} >= ${time}`;
}

export function isEarlier(column: string, time: Date): Expression {
  return sql`${name(column)} < ${time}`;
}

export function isLater(column: string, time: Date): Expression {
  return sql`${name(column)} > ${time}`;
}
