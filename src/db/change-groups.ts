import type { Dialect } from '../engine/db/dialect.ts';
import { type Sql, sql } from '../engine/db/sql.ts';

// A change of a link keeps the spaces and tags that the link had before or after it, as a text: ",s3,t7,". A table of its own would
// be one more statement for each write.

/** Spaces and tags by their ids. */
interface Groups {
  readonly spaces?: readonly number[];
  readonly tags?: readonly number[];
}

/** The groups as the text of a change begins with them: ",s3,t7". */
export function listGroups({ spaces = [], tags = [] }: Groups): string {
  return [...spaces.map((id) => `,s${id}`), ...tags.map((id) => `,t${id}`)].join('');
}

/** Returns the text of a group that is in the text of a change if the link had it. */
export function findable(groups: Groups): string {
  return `${listGroups(groups)},`;
}

/**
 * An expression for the groups of a change of a link, whose id is in "recordId": those that it has now, and more.
 * @param more as `listGroups` gives them
 */
export function selectGroups({ concatenated }: Dialect, more: string): Sql {
  const space = sql`(SELECT ',s' || "spaceId" FROM "Link" WHERE "Link"."id" = "recordId")`;
  const tags = sql`(SELECT ${concatenated(sql`',t' || "tagId"`)} FROM "LinkTag" WHERE "linkId" = "recordId")`;
  return sql`NULLIF(COALESCE(${space}, '') || COALESCE(${tags}, '') || ${more} || ',', ',')`;
}
