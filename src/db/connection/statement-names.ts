import { LRUCache } from 'lru-cache';

/** How many statements have a name at most: each connection keeps all of them prepared. */
const NAMED = 200;
/** How often a statement is sent before it gets one. */
const OFTEN = 5;
/** How many others are remembered. */
const REMEMBERED = 1_000;

/**
 * What a statement begins with whose plan depends on its values much more than it costs: PostgreSQL plans it each time it is sent.
 */
export const PLANNED_EACH_TIME = '/* planned each time */';

/** Names the statements that are sent often, so that PostgreSQL keeps them parsed and planned; the others are called ''. */
export function namesOfStatements(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  const sent = new LRUCache<string, number>({ max: REMEMBERED });
  return ({ sql }) => {
    if (sql.startsWith(PLANNED_EACH_TIME)) return '';
    const known = names.get(sql);
    if (known !== undefined || names.size === NAMED) return known ?? '';
    const times = (sent.get(sql) ?? 0) + 1;
    sent.set(sql, times);
    if (times < OFTEN) return '';
    const name = `linkspace_${names.size}`;
    names.set(sql, name);
    sent.delete(sql);
    return name;
  };
}
