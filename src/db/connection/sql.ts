import { Prisma } from '../../generated/sqlite/client.ts';

/** A statement, or a part of one, with its parameters. */
export type Sql = Prisma.Sql;
export const { sql, join, raw, empty } = Prisma;

/** A table's or a column's name. */
export function name(identifier: string): Sql {
  return raw(`"${identifier}"`);
}
