import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The maximum number of named statements: each connection keeps all of them prepared. */
const MAX_NAMED = 200;
/** How often a statement is sent before it gets a name. */
const NAMED_FROM = 5;
/** How many other statements are counted. */
const MAX_COUNTED = 1_000;

/** The prefix of statements whose best plan depends on their values: PostgreSQL plans them each time. */
export const PLANNED_EACH_TIME = '/* planned each time */';

/** Names frequent statements, so that PostgreSQL keeps them parsed and planned; the others get the name ''. */
export function namesOfStatements(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  const sent = new LRUCache<string, number>({ max: MAX_COUNTED });
  return ({ sql }) => {
    if (sql.startsWith(PLANNED_EACH_TIME)) return '';
    const known = names.get(sql);
    if (known !== undefined || names.size === MAX_NAMED) return known ?? '';
    const times = (sent.get(sql) ?? 0) + 1;
    sent.set(sql, times);
    if (times < NAMED_FROM) return '';
    // Behind a pooler, processes share connections: a name must stand for the same statement in all of them.
    const name = `linkspace_${hash('sha256', sql).slice(0, 16)}`;
    names.set(sql, name);
    sent.delete(sql);
    return name;
  };
}
