import { Database } from '../src/db/database.ts';
import { fill } from './target.ts';

/** Number of links with a long history, and its first day. */
const VISITED = 33;
const FIRST_DAY = '2016-12-01';
const DAYS = 3_640;

/** Creates one account's links, with URLs of 1.9 kB, and ten years of statistics for some of them. */
export async function fillForStalls(url: string, links: number): Promise<void> {
  await fill(url, links);
  const database = await Database.open(url);
  const { prisma, provider } = database;
  const tail = 'abcdefghi/'.repeat(184);
  await prisma.$executeRaw`UPDATE "Link" SET "url" = "url" || '&path=' || ${tail}, "urlKey" = "urlKey" || '&path=' || ${tail}`;
  const day =
    provider === 'sqlite'
      ? `CAST(strftime('%Y%m%d', '${FIRST_DAY}', "i" || ' days') AS INTEGER)`
      : `CAST(to_char(DATE '${FIRST_DAY}' + "i"::int, 'YYYYMMDD') AS INTEGER)`;
  const days = `(WITH RECURSIVE "n"("i") AS (SELECT 0 UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < ${DAYS}) SELECT "i" FROM "n") AS "days"`;
  await prisma.$executeRawUnsafe(`INSERT INTO "LinkDay" ("linkId", "day", "clicks", "described", "visitors", "bots")
    SELECT "id", ${day}, "i" % 100 + 1, "i" % 50, 1, 1 FROM "Link", ${days} WHERE "id" <= ${VISITED}`);
  await prisma.$executeRawUnsafe(`INSERT INTO "AccountDay" ("accountId", "day", "clicks", "described", "visitors", "bots")
    SELECT "accountId", "day", SUM("clicks"), SUM("described"), SUM("visitors"), SUM("bots")
    FROM "LinkDay" JOIN "Link" ON "Link"."id" = "linkId" GROUP BY "accountId", "day"`);
  await database.close();
}
