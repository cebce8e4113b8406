import { empty, join, name, PLANNED_EACH_TIME, raw, type Sql, sql } from '../../engine/db/sql.ts';

/** The owner of statistics; those of a space or a tag are the sums over the links that it has now. */
export type Scope = 'link' | 'space' | 'tag' | 'account';

/** The owners whose statistics are read from those of each of their links. */
const groups = {
  space: { owner: sql`"Link"."spaceId"`, link: sql`"Link"."id"`, table: sql`"Link"` },
  tag: { owner: sql`"LinkTag"."tagId"`, link: sql`"LinkTag"."linkId"`, table: sql`"LinkTag"` },
};

export function isGroup(scope: Scope): scope is keyof typeof groups {
  return scope in groups;
}

/** The tables of counts, of links and of accounts, with their key columns besides the owner, and the columns that are summed. */
export const countTables = [
  { what: 'Hour', keys: ['hour'], sums: ['clicks', 'bots'] },
  { what: 'Day', keys: ['day'], sums: ['clicks', 'described', 'visitors', 'bots'] },
  { what: 'DayValue', keys: ['kind', 'day', 'valueId'], sums: ['clicks'] },
  { what: 'MonthValue', keys: ['kind', 'month', 'valueId'], sums: ['clicks'] },
] as const;

export type Counted = (typeof countTables)[number]['what'];

/** The tables with the counts of owners, as "count"; `owner` is the id of each row's owner. */
export function chooseSource(scope: Scope, what: Counted, ids: readonly number[]): { owner: Sql; from: Sql } {
  const listed = join([...ids]);
  if (isGroup(scope)) {
    const { owner, link, table } = groups[scope];
    // CROSS JOIN makes SQLite read the tables in this order: for each link its own rows.
    const tables = sql`${table} CROSS JOIN ${name(`Link${what}`)} AS "count"`;
    return { owner, from: sql`${tables} WHERE "count"."linkId" = ${link} AND ${owner} IN (${listed})` };
  }
  const owner = sql`"count".${name(scope === 'link' ? 'linkId' : 'accountId')}`;
  const table = scope === 'link' ? name(`Link${what}`) : withoutDeleted(what, listed);
  return { owner, from: sql`${table} AS "count" WHERE ${owner} IN (${listed})` };
}

/** The rows of accounts, and negative ones of deleted links whose statistics are still among those. */
function withoutDeleted(what: Counted, accountIds: Sql): Sql {
  const { keys = [], sums = [] } = countTables.find((one) => one.what === what) ?? {};
  const columns = (sum: (column: string) => Sql) => join([...keys.map(name), ...sums.map(sum)]);
  return sql`(
    SELECT "accountId", ${columns(name)} FROM ${name(`Account${what}`)} WHERE "accountId" IN (${accountIds})
    UNION ALL
    SELECT "deleted"."accountId", ${columns((sum) => sql`-${name(sum)}`)} FROM "DeletedStatistics" AS "deleted"
      CROSS JOIN ${name(`Link${what}`)} AS "own"
      WHERE "deleted"."accountId" IN (${accountIds}) AND "own"."linkId" = "deleted"."linkId"
  )`;
}

/** A SELECT of the links that owners have now, as "linkId", with the "id" of the owner. */
export function linksIn(scope: keyof typeof groups, ids: readonly number[]): Sql {
  const { owner, link, table } = groups[scope];
  return sql`SELECT ${owner} AS "id", ${link} AS "linkId" FROM ${table} WHERE ${owner} IN (${join([...ids])})`;
}

/** The prefix of a statement: the best plan for a group depends on the number of its links. */
export const choosePlan = (scope: Scope): Sql => (isGroup(scope) ? raw(PLANNED_EACH_TIME) : empty);
