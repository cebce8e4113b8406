import type { Data } from './database.ts';
import { sql } from './sql.ts';

const AN_HOUR = 60 * 60 * 1000;

/** The guesses of one email address in the hour that began with the first. */
export interface SignInGuesses {
  readonly count: number;
  readonly until: Date;
}

/** Counts a guess, or a mail, over all processes, and deletes what is older than the hour. */
export async function countGuess(db: Data, emailHash: string, now: Date): Promise<SignInGuesses> {
  const hourAgo = new Date(now.getTime() - AN_HOUR);
  await db.prisma.signInGuesses.deleteMany({ where: { since: { lte: hourAgo } } });
  const [guesses] = await db.prisma.$queryRaw<{ count: number; since: string | Date }[]>(sql`
    INSERT INTO "SignInGuesses" ("emailHash", "since", "count") VALUES (${emailHash}, ${now}, 1)
    ON CONFLICT ("emailHash") DO UPDATE SET "count" = "SignInGuesses"."count" + 1 RETURNING "count", "since"`);
  if (guesses === undefined) throw new Error('an upsert returns its row');
  return { count: Number(guesses.count), until: new Date(new Date(guesses.since).getTime() + AN_HOUR) };
}

/** Takes a guess back that turned out to be right. */
export async function forgiveGuess(db: Data, emailHash: string): Promise<void> {
  await db.prisma.signInGuesses.updateMany({
    where: { emailHash, count: { gt: 0 } },
    data: { count: { decrement: 1 } },
  });
}
