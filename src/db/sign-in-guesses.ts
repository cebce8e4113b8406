import { type Sql, sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';
import { lifetimes } from './stranger-rows.ts';

const AN_HOUR = lifetimes.SignInGuesses;

/** The guesses of one email address in the hour that began with the first. */
export interface SignInGuesses {
  readonly count: number;
  readonly until: Date;
}

interface Row {
  readonly count: number;
  readonly since: string | Date;
}

/** The time up to which the hour of guesses is over. */
const hourAgo = (now: Date) => new Date(now.getTime() - AN_HOUR);

async function readGuesses(db: Data, statement: Sql): Promise<SignInGuesses | null> {
  const [row] = await db.prisma.$queryRaw<Row[]>(statement);
  return row ? { count: Number(row.count), until: new Date(new Date(row.since).getTime() + AN_HOUR) } : null;
}

/** Counts one more guess, over all processes, of an address that was guessed for within the hour; null if there is none. */
export function countMore(db: Data, emailHash: string, now: Date): Promise<SignInGuesses | null> {
  return readGuesses(
    db,
    sql`UPDATE "SignInGuesses" SET "count" = "count" + 1
    WHERE "emailHash" = ${emailHash} AND "since" > ${hourAgo(now)} RETURNING "count", "since"`,
  );
}

/** Counts the first guess of an hour; more than that if others came meanwhile. */
export async function countFirst(
  db: Data,
  emailHash: string,
  network: string | null,
  now: Date,
): Promise<SignInGuesses> {
  const isOver = sql`"SignInGuesses"."since" <= ${hourAgo(now)}`;
  const begun = (column: Sql, first: Sql) => sql`CASE WHEN ${isOver} THEN ${first} ELSE ${column} END`;
  const made = await readGuesses(
    db,
    sql`INSERT INTO "SignInGuesses" ("emailHash", "since", "count", "network")
    VALUES (${emailHash}, ${now}, 1, ${network}) ON CONFLICT ("emailHash") DO UPDATE SET
      "count" = ${begun(sql`"SignInGuesses"."count" + 1`, sql`1`)},
      "since" = ${begun(sql`"SignInGuesses"."since"`, sql`excluded."since"`)},
      "network" = ${begun(sql`"SignInGuesses"."network"`, sql`excluded."network"`)}
    RETURNING "count", "since"`,
  );
  if (made === null) throw new Error('an upsert returns its row');
  return made;
}

/** Takes a guess back that turned out to be right. */
export async function forgiveGuess(db: Data, emailHash: string): Promise<void> {
  const { count } = await db.prisma.signInGuesses.deleteMany({ where: { emailHash, count: { lte: 1 } } });
  if (count === 0)
    await db.prisma.signInGuesses.updateMany({ where: { emailHash }, data: { count: { decrement: 1 } } });
}
