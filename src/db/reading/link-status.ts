import { type Sql, sql } from '../../engine/db/sql.ts';

/** A link's status, as `statusOf` of src/domain/link/status.ts calculates it; one table of cases tests both. */
export type Status = 'ACTIVE' | 'EXPIRED' | 'DISABLED';

const CLICKS = sql`(SELECT "clicks" FROM "LinkCounter" WHERE "linkId" = "Link"."id")`;

/** The condition of the partial index of links that can expire. */
const CAN_EXPIRE = sql`("expiresAt" IS NOT NULL OR "expirationClicks" IS NOT NULL)`;

/**
 * A condition: a link has the status.
 * @param clicks the expression for a link's clicks, used only for links with a click limit
 */
export function hasStatus(status: Status, now: Date, clicks = CLICKS): Sql {
  const conditions: Record<Status, Sql> = {
    ACTIVE: sql`NOT "disabled" AND ("expiresAt" IS NULL OR "expiresAt" > ${now})
      AND ("expirationClicks" IS NULL OR ${clicks} < "expirationClicks")`,
    EXPIRED: sql`NOT "disabled" AND ${CAN_EXPIRE} AND ("expiresAt" <= ${now}
      OR ("expirationClicks" IS NOT NULL AND ${clicks} >= "expirationClicks"))`,
    DISABLED: sql`"disabled"`,
  };
  return sql`(${conditions[status]})`;
}

/** A condition: a link has begun, as `hasBegun` of src/domain/link/status.ts says it of a row. */
export function hasBegun(now: Date): Sql {
  return sql`("startsAt" IS NULL OR "startsAt" <= ${now})`;
}
