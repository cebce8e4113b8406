// Not from the generated client, which threads that only run statements do not need.
import { raw, type Sql } from '@prisma/client/runtime/client';

export { empty, join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';

export function name(identifier: string): Sql {
  return raw(`"${identifier}"`);
}

/** The prefix of statements whose best plan depends on their values: PostgreSQL plans them each time. */
export const PLANNED_EACH_TIME = '/* planned each time */';
