import { Prisma } from '../../generated/sqlite/client.ts';

export type Sql = Prisma.Sql;
export const { sql, join, raw, empty } = Prisma;

export function name(identifier: string): Sql {
  return raw(`"${identifier}"`);
}
