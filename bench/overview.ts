// npm run bench -- overview [--links 1000000] [--days 730] [--visits 3000000] [--skew 3.3] [--database sqlite|postgresql|URL] [--times 9]
// The time of an account's overview, of its top links, and of a list of links with their clicks of a period: medians of
// sequential requests. With a skew of 1, all links are visited equally often. A database that already has links is used
// unchanged.

import { parseArgs } from 'node:util';
import { Database } from '../src/db/database.ts';
import { migrations } from '../src/db/migrations.ts';
import { dayOf, daysAfter, startOf } from '../src/db/statistics/calendar.ts';
import { kinds, type Value, visitValue } from '../src/db/statistics/value.ts';
import { raw } from '../src/engine/db/sql.ts';
import { requireProvider } from '../src/engine/db/url.ts';
import { fillAtOnce } from './fill.ts';
import { countries, sumUp } from './statistics-year.ts';
import { KEY, median, startProgram, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '730' },
    visits: { type: 'string', default: '3000000' },
    skew: { type: 'string', default: '3.3' },
    database: { type: 'string', default: 'sqlite' },
    times: { type: 'string', default: '9' },
  },
});
const [links, days, visits] = [values.links, values.days, values.visits].map(Number) as [
  number,
  number,
  number,
];
const today = dayOf(new Date());
const before = (back: number) => startOf(daysAfter(today, -back)).toISOString().slice(0, 10);

const browsers = ['Chrome', 'Firefox', 'Edge', 'Opera', 'Safari'];
const systems = [
  ['Windows', 'desktop'],
  ['macOS', 'desktop'],
  ['Android', 'mobile'],
  ['iOS', 'mobile'],
] as const;
const languages = ['de', 'en', 'fr', 'it', 'es', 'pl', 'nl', 'ja'];
/** The values of visits, each list the ids of a kind; the last country is rare. */
const all: Value[][] = [
  browsers.flatMap((browser) =>
    systems.map(([os, device]) => visitValue(kinds.CLIENT, { browser, os, device })),
  ),
  countries.flatMap((country) =>
    languages.map((language) => visitValue(kinds.LOCALE, { country, language })),
  ),
  Array.from({ length: 97 }, (_, i) => visitValue(kinds.REFERRER, { referrer: `site${i}.example` })),
];
const rare = visitValue(kinds.LOCALE, { country: 'IS', language: 'is' });

/** Visits of links on the days, of which each has its values, by a few statements. */
async function visit(url: string): Promise<void> {
  const database = await Database.open(url, { pool: { poolSize: 1, statementTimeout: 3_600_000 } });
  const { prisma, provider } = database;
  const run = (text: string) => prisma.$executeRaw(raw(text));
  const isSqlite = provider === 'sqlite';
  const random = isSqlite ? '(abs(random() % 1000000007) / 1000000007.0)' : 'random()';
  const below = (most: number) => `CAST(floor(${random} * ${most}) AS integer)`;
  const series = isSqlite
    ? `(WITH RECURSIVE "n"("i") AS (VALUES (1) UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < ${visits}) SELECT "i" FROM "n")`
    : `generate_series(1, ${visits})`;
  const listed = [...all.flat(), rare];
  await prisma.visitValue.createMany({
    data: listed.map(({ kind, columns, hash }, i) => ({ id: i + 1, kind, ...columns, hash, month: 300_000 })),
  });
  const dayList = Array.from({ length: days }, (_, back) => `(${back}, ${daysAfter(today, -back)})`);
  await run('CREATE TABLE "BenchDay" ("back" integer PRIMARY KEY, "date" integer)');
  await run(`INSERT INTO "BenchDay" VALUES ${dayList}`);
  await run(`CREATE TABLE "BenchVisit" AS SELECT 1 + CAST(floor(pow(${random}, ${values.skew}) * ${links}) AS integer) AS "linkId",
    ${below(days)} AS "back", 1 + ${below(20)} AS "client", 21 + ${below(96)} AS "locale", 117 + ${below(194)} AS "referrer" FROM ${series} AS "numbers"`);
  await run(`INSERT INTO "LinkDay" ("linkId", "day", "clicks", "described", "visitors", "bots")
    SELECT "linkId", "date", COUNT(*), COUNT(*), COUNT(*), 1 FROM "BenchVisit" JOIN "BenchDay" USING ("back") GROUP BY 1, 2 ORDER BY 2, 1`);
  for (const [kind, value] of [
    [1, '"client"'],
    [2, `CASE WHEN "locale" = 21 AND "back" % 9 = 0 THEN ${listed.length} ELSE "locale" END`],
    [3, '"referrer"'],
  ] as const)
    await run(`INSERT INTO "LinkDayValue" ("linkId", "kind", "day", "valueId", "clicks")
      SELECT "linkId", ${kind}, "date", ${value}, COUNT(*) FROM "BenchVisit" JOIN "BenchDay" USING ("back")
      WHERE ${kind} <> 3 OR "referrer" <= ${listed.length - 1} GROUP BY 1, 3, 4 ORDER BY 3, 1`);
  for (const table of ['BenchVisit', 'BenchDay']) await run(`DROP TABLE "${table}"`);
  await run(`UPDATE "LinkCounter" SET "clicks" =
    COALESCE((SELECT SUM("clicks") FROM "LinkDay" WHERE "LinkDay"."linkId" = "LinkCounter"."linkId"), 0)`);
  await sumUp(database);
  await database.close();
}

const counts = 'clicks visitors bots';
const top = (by: string) => `${by}: top(by: ${by}, first: 5) { rows { value clicks } others }`;
const topLinks = (args: string) => `topLinks(${args}) { nodes { link { id shortUrl title } clicks } }`;

/** The query of the console's first view: a period with the one before. */
function overview(length: number): string {
  const since = `from: "${before(length - 1)}"`;
  return `statistics(${since}) { ${counts} series { start ${counts} } ${['COUNTRY', 'REFERRER', 'DEVICE'].map(top).join(' ')} }
    before: statistics(from: "${before(2 * length - 1)}", to: "${before(length)}") { ${counts} } ${topLinks(`first: 10, ${since}`)}`;
}

const by = (length: number, dimension: string, value: string) =>
  topLinks(`first: 10, from: "${before(length - 1)}", by: { dimension: ${dimension}, value: ${value} }`);
const ofAccount = (fields: string) => `{ viewer { account { ${fields} } } }`;
const list = (fields: string) => `{ links(first: 50) { nodes { id shortUrl title clicks ${fields} } } }`;
const tags = (fields: string) =>
  `{ tags(first: 50) { nodes { id name links(first: 0) { totalCount } ${fields} } } }`;
const questions: Record<string, string> = {
  'tags with their totals': tags(''),
  'tags with their totals, and clicks of 30 days': tags('statistics { clicks }'),
};
for (const length of [30, 90, days]) {
  questions[`overview, ${length} days`] = ofAccount(overview(length));
  questions[`its top links alone, ${length} days`] = ofAccount(
    topLinks(`first: 10, from: "${before(length - 1)}"`),
  );
  questions[`of a frequent country, ${length} days`] = ofAccount(by(length, 'COUNTRY', '"DE"'));
  questions[`of a rare country, ${length} days`] = ofAccount(by(length, 'COUNTRY', '"IS"'));
  questions[`of a referrer, ${length} days`] = ofAccount(by(length, 'REFERRER', '"site7.example"'));
  questions[`without a referrer, ${length} days`] = ofAccount(by(length, 'REFERRER', 'null'));
  questions[`overview of a space, ${length} days`] = `{ space(id: 7) { ${overview(length)} } }`;
  questions[`overview of a tag, ${length} days`] = `{ tag(id: 3) { ${overview(length)} } }`;
}
questions['50 links'] = list('');
questions['50 links with their clicks of 30 days'] = list('clicksIn');

await withDatabase(values.database, async (url) => {
  if ((await migrations.stateAt(url)).pending.length === migrations.known(requireProvider(url)).length) {
    const started = performance.now();
    await fillAtOnce(url, links, KEY);
    await visit(url);
    console.log(JSON.stringify({ filled: Math.round(performance.now() - started) }));
  }
  const { origin } = await startProgram(url);
  const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' };
  for (const [name, query] of Object.entries(questions)) {
    const took: number[] = [];
    for (let round = -2; round < Number(values.times); round++) {
      const started = performance.now();
      const response = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query }),
      });
      const text = await response.text();
      if (text.includes('"errors"')) throw new Error(text);
      if (round >= 0) took.push(performance.now() - started);
    }
    console.log(JSON.stringify({ name, ms: Math.round(median(took)), least: Math.round(Math.min(...took)) }));
  }
});
