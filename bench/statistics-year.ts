// Fills a database with a year of statistics, for bench/statistics.ts.

import { randomUUID } from 'node:crypto';
import { PendingVisits, type Visit } from '../src/clicks/pending-visits.ts';
import { VisitWriter } from '../src/clicks/visit-writer.ts';
import type { Database } from '../src/db/database.ts';
import { type Day, daysAfter, startOf } from '../src/db/statistics/calendar.ts';
import { join, raw, sql } from '../src/engine/db/sql.ts';
import type { Prisma } from '../src/generated/sqlite/client.ts';

const browsers = ['Chrome/143.0', 'Firefox/140.0', 'Edg/143.0', 'OPR/120.0', 'Vivaldi/7.0'];
const systems = [
  'Windows NT 10.0',
  'Macintosh; Intel Mac OS X 10_15_7',
  'X11; Linux x86_64',
  'Linux; Android 15',
];
export const countries = ['DE', 'AT', 'CH', 'FR', 'US', 'GB', 'IT', 'ES', 'PL', 'NL', 'SE', 'JP'];
const languages = ['de-DE,de;q=0.9', 'en-US,en;q=0.9', 'fr-FR', 'it', 'es-ES,es;q=0.9', 'pl', 'nl', 'ja'];

/** A visit of a link. Its number determines its properties, in all combinations. */
export function visitOf(
  link: { id: number; url: string },
  number: number,
  at: Date,
  ownReferrer = false,
): Visit {
  const pick = <Item>(items: readonly Item[], by: number): Item =>
    items[Math.floor(number / by) % items.length] as Item;
  const letters = (n: number) => String.fromCharCode(65 + (n % 26), 65 + (Math.floor(n / 26) % 26));
  return {
    link,
    at,
    visitor: {
      country: ownReferrer ? letters(number) : pick(countries, 1),
      userAgent: `Mozilla/5.0 (${pick(systems, 3)}) AppleWebKit/537.36 (KHTML, like Gecko) ${pick(browsers, 2)} Safari/537.36 ${ownReferrer ? number : ''}`,
      platformHint: null,
      acceptLanguage: pick(languages, 5),
      optedOut: false,
      passwordGiven: false,
      counts: true,
      query: '',
    },
    address: `10.${(number >> 16) % 256}.${(number >> 8) % 256}.${number % 256}`,
    referrer: ownReferrer
      ? `https://site${number}.example/`
      : number % 2
        ? `https://site${number % 97}.example/`
        : '',
    destination: link.url,
    alreadyCounted: null,
  };
}

/** Spreads visits over links and the days before `last`: a hundredth of the links have half of the visits. */
export async function writeYear(
  database: Database,
  links: readonly { id: number; url: string }[],
  { days, visits, last }: { days: number; visits: number; last: Day },
): Promise<void> {
  const writer = new VisitWriter(database);
  const processId = randomUUID();
  let number = 0;
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let back = days - 1; back >= 0; back--) {
    const day = daysAfter(last, -back);
    const pending = new PendingVisits();
    for (let i = 0; i < visits / days; i++) {
      const link = links[Math.floor(random() ** 3.3 * links.length)];
      if (link)
        pending.add(visitOf(link, Math.floor(random() * 1e7), startOf(day, Math.floor(random() * 24))));
    }
    while (pending.links > 0) await writer.write(pending.take(500), { processId, number: ++number });
    await database.prisma.$executeRaw`DELETE FROM "DayVisitor"`;
  }
}

/** Adds visits of all links on every day, with three values of each kind per day; one link gets ten million visits. */
export async function fillEveryDay(
  database: Database,
  linkIds: readonly number[],
  { days, last }: { days: number; last: Day },
): Promise<void> {
  const all = Array.from({ length: days }, (_, back) => daysAfter(last, -back));
  const dayRows =
    database.dialect.name === 'sqlite'
      ? sql`(SELECT "value" AS "day" FROM json_each(${JSON.stringify(all)}))`
      : sql`(SELECT "day" FROM unnest(${`{${all}}`}::integer[]) AS "day")`;
  const links = sql`"Link"."id" IN (${join([...linkIds])})`;
  const [big = 0] = linkIds;
  const clicks = sql`CASE WHEN "Link"."id" = ${big} THEN 27400 ELSE 9 END`;
  const run = (statement: Prisma.Sql) => database.prisma.$executeRaw(statement);
  await run(sql`INSERT INTO "LinkDay" ("linkId", "day", "clicks", "described", "visitors", "bots")
    SELECT "Link"."id", "day", ${clicks}, ${clicks}, 5, 1 FROM "Link" CROSS JOIN ${dayRows} AS "days" WHERE ${links}
    ON CONFLICT ("linkId", "day") DO UPDATE SET "clicks" = "LinkDay"."clicks" + EXCLUDED."clicks",
      "described" = "LinkDay"."described" + EXCLUDED."described"`);
  await run(sql`INSERT INTO "LinkHour" ("linkId", "hour", "clicks")
    SELECT "Link"."id", "day" * 100 + 12, ${clicks} FROM "Link" CROSS JOIN ${dayRows} AS "days" WHERE ${links}
    ON CONFLICT ("linkId", "hour") DO UPDATE SET "clicks" = "LinkHour"."clicks" + EXCLUDED."clicks"`);
  // Each link has different values; the one with many visits has two hundred of each kind.
  await run(sql`INSERT INTO "LinkDayValue" ("linkId", "kind", "day", "valueId", "clicks")
    SELECT "Link"."id", "kind", "day", "VisitValue"."id", CASE WHEN "Link"."id" = ${big} THEN 137 ELSE 3 END
    FROM "Link" CROSS JOIN "VisitValue" CROSS JOIN ${dayRows} AS "days"
    WHERE ${links} AND "VisitValue"."id" <= 1000 AND (
      ("Link"."id" = ${big} AND "VisitValue"."id" <= 800) OR ("VisitValue"."id" + "Link"."id") % 333 = 0)
    ON CONFLICT ("linkId", "kind", "day", "valueId") DO NOTHING`);
  await sumUp(database);
}

/** Makes the sums of months and of accounts from those of links and days. */
export async function sumUp(database: Database): Promise<void> {
  const run = (statement: Prisma.Sql) => database.prisma.$executeRaw(statement);
  for (const table of ['Hour', 'Day', 'DayValue', 'MonthValue'])
    await run(raw(`DELETE FROM "Account${table}"`));
  await run(raw('DELETE FROM "LinkMonthValue"'));
  await run(
    raw(`INSERT INTO "LinkMonthValue" SELECT "linkId", "kind", "day" / 100, "valueId", SUM("clicks")
    FROM "LinkDayValue" GROUP BY "linkId", "kind", "day" / 100, "valueId"`),
  );
  for (const [table, keys, sums] of [
    ['Hour', '"hour"', ['clicks', 'bots']],
    ['Day', '"day"', ['clicks', 'described', 'visitors', 'bots']],
    ['DayValue', '"kind", "day", "valueId"', ['clicks']],
    ['MonthValue', '"kind", "month", "valueId"', ['clicks']],
  ] as const)
    await run(
      raw(`INSERT INTO "Account${table}" SELECT "accountId", ${keys}, ${sums.map((sum) => `SUM("${table}"."${sum}")`)}
        FROM "Link${table}" AS "${table}" JOIN "LinkCounter" USING ("linkId") GROUP BY "accountId", ${keys}`),
    );
  await run(raw(database.dialect.name === 'sqlite' ? 'ANALYZE' : 'VACUUM ANALYZE'));
}
