import { Prisma } from '../generated/sqlite/client.ts';

export type Sql = Prisma.Sql;
export const { sql, join, raw, empty } = Prisma;

export function name(identifier: string): Sql {
  return raw(`"${identifier}"`);
}

/** The prefix of statements whose best plan depends on their values: PostgreSQL plans them each time. */
export const PLANNED_EACH_TIME = '/* planned each time */';
