import { join, name, type Sql, sql } from '../db/sql.ts';

/** A part of a statement, such as a condition or a total, that a list is given. */
export type Expression = Sql;

/** A condition: the column has the value. Null equals nothing. */
export function is(column: string, value: string | number): Expression {
  return sql`${name(column)} = ${value}`;
}

/** The first text, in the order of code points, after all that begin with the prefix; null if none is. */
function afterPrefix(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point < 0x10_ff_ff);
  if (last < 0) return null;
  // Surrogates are no characters.
  const next = points[last] === 0xd7_ff ? 0xe0_00 : (points[last] ?? 0) + 1;
  return String.fromCodePoint(...points.slice(0, last), next);
}

/** A condition: the column's text begins with the prefix. It is a range, since indexes have texts in order. */
export function beginsWith(column: string, prefix: string): Expression {
  const end = afterPrefix(prefix);
  const from = sql`${name(column)} >= ${prefix}`;
  return end === null ? from : sql`${from} AND ${name(column)} < ${end}`;
}

export function isIn(column: string, values: readonly (number | string)[]): Expression {
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

export function areAll(conditions: readonly Expression[]): Expression {
  return sql`(${join([...conditions], ' AND ')})`;
}

export function isAny(conditions: readonly Expression[]): Expression {
  return sql`(${join([...conditions], ' OR ')})`;
}
