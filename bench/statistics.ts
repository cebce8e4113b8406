// npm run bench -- statistics [--links 10000] [--days 365] [--visits 1000000] [--database sqlite|postgresql] [--rounds 5]
// [--seconds 2] [--variants] The cost of statistics: 2,000 links in a second, the size of a million visits, a year of a link, of a space of
// 1,000 links that are visited every day and of an account, and a redirect with statistics compared with one without. With
// --variants, a rule with a split leads all visits.

import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { pino } from 'pino';
import { ClickBuffer } from '../src/clicks/click-buffer.ts';
import { Database } from '../src/db/database.ts';
import { dayOf } from '../src/db/statistics/calendar.ts';
import { fillEveryDay, visitOf, writeYear } from './statistics-year.ts';
import { fill, KEY, median, start, startProgram, type Target, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '10000' },
    days: { type: 'string', default: '365' },
    visits: { type: 'string', default: '1000000' },
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    variants: { type: 'boolean', default: false },
  },
});
const [links, days, visits, rounds] = [values.links, values.days, values.visits, values.rounds].map(
  Number,
) as [number, number, number, number];
const now = new Date();
const results: Record<string, string> = {};

function tell(what: string, result: string): void {
  results[what] = result;
  console.log(`${what}: ${result}`);
}

const to = [2, 3].map((id) => ({ id, name: `${id}`, url: `https://example.com/${id}`, weight: id }));
const split = JSON.stringify({ next: 4, rules: [{ id: 1, name: 'All', when: [], to }] });

/** Gives all links a rule with two targets. */
async function giveRules(url: string): Promise<void> {
  const database = await Database.open(url, { pool: { poolSize: 5, statementTimeout: 0 } });
  await database.prisma.link.updateMany({ data: { rules: split } });
  await database.close();
}

/** The size of the database on disk, in bytes. */
async function sizeOf({ prisma, provider }: Database): Promise<number> {
  if (provider !== 'sqlite') {
    const [row] = await prisma.$queryRaw<
      { size: bigint }[]
    >`SELECT pg_database_size(current_database()) AS "size"`;
    return Number(row?.size);
  }
  const [row] = await prisma.$queryRaw<{ size: bigint }[]>`
    SELECT "page_count" * "page_size" AS "size" FROM pragma_page_count, pragma_page_size`;
  return Number(row?.size);
}

/** Measures the write of visits of 2,000 links, each with values of its own; then twice more with the same values. */
async function measureSecond(database: Database, all: readonly { id: number; url: string }[]): Promise<void> {
  const buffer = new ClickBuffer(database, pino({ level: 'warn' }));
  const took: number[] = [];
  for (let second = 0; second < 4; second++) {
    for (const [i, link] of all.slice(0, 2_000).entries()) {
      const variant = { ruleId: 1, targetId: 2 + (i % 2) };
      buffer.add({ ...visitOf(link, i, now, true), ...(values.variants && { variant }) });
    }
    await new Promise((resolve) => setImmediate(resolve));
    const begun = performance.now();
    await buffer.flush();
    took.push(Math.round(performance.now() - begun));
  }
  tell('2,000 links of a second, written in ms (first with new values)', took.join(', '));
}

async function measureQuery(origin: string, what: string, query: string): Promise<void> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { errors } = (await response.json()) as { errors?: unknown };
    if (errors) throw new Error(`${what}: ${JSON.stringify(errors)}`);
    took.push(performance.now() - begun);
  }
  tell(what, `${median(took).toFixed(0)} ms (${took.map((one) => one.toFixed(0)).join(', ')})`);
}

/** Measures the public page of a link's statistics. */
async function measurePage(origin: string, alias: string, period: number): Promise<void> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    const response = await fetch(`${origin}/${alias}+?days=${period}`);
    await response.text();
    if (response.status !== 200) throw new Error(`the page was answered ${response.status}`);
    took.push(performance.now() - begun);
  }
  const shown = took.map((one) => one.toFixed(0)).join(', ');
  tell(
    `the page of a link with 10 million clicks, ${period} days`,
    `${median(took).toFixed(0)} ms (${shown})`,
  );
}

/** Measures redirects with statistics against redirects without, in alternating rounds. */
async function measureRedirects(url: string): Promise<void> {
  const targets = {
    on: await start(['--import', 'tsx', 'bench/statistics-server.ts', 'on', url]),
    off: await start(['--import', 'tsx', 'bench/statistics-server.ts', 'off', url]),
  };
  const rate = async ({ origin }: Target) => {
    const requests = Array.from({ length: 200 }, (_, i) => {
      const { visitor, address, referrer } = visitOf({ id: 1, url: '' }, i * 7, now);
      const headers: Record<string, string> = {
        'user-agent': visitor.userAgent,
        'accept-language': visitor.acceptLanguage,
        'x-forwarded-for': address,
        'x-country': visitor.country ?? '',
      };
      if (referrer !== '') headers.referer = referrer;
      return { method: 'GET' as const, path: `/a${i % 50}`, headers };
    });
    const result = await autocannon({
      url: origin,
      requests,
      connections: 16,
      duration: Number(values.seconds),
    });
    return result.requests.total / result.duration;
  };
  await rate(targets.on);
  await rate(targets.off);
  const ratios: number[] = [];
  const rates: [number, number][] = [];
  for (let round = 0; round < rounds; round++) {
    const pair: [number, number] = [await rate(targets.on), await rate(targets.off)];
    rates.push(pair);
    ratios.push(pair[0] / pair[1]);
  }
  const shown = rates.map(([on, off]) => `${on.toFixed(0)}/${off.toFixed(0)}`).join(', ');
  tell('redirects with statistics against without', `${median(ratios).toFixed(2)} (${shown} a second)`);
}

await withDatabase(values.database, async (url) => {
  await fill(url, links);
  if (values.variants) await giveRules(url);
  await measureRedirects(url);
  const database = await Database.open(url, { pool: { poolSize: 5, statementTimeout: 0 } });
  const { prisma } = database;
  const all = await prisma.link.findMany({ select: { id: true, url: true }, orderBy: { id: 'asc' } });
  await measureSecond(database, all);
  const before = await sizeOf(database);
  const begun = performance.now();
  await writeYear(database, all, { days, visits, last: dayOf(now) });
  const seconds = (performance.now() - begun) / 1000;
  const grown = ((await sizeOf(database)) - before) / visits;
  const [rows] = await prisma.$queryRaw<{ days: bigint }[]>`SELECT COUNT(*) AS "days" FROM "LinkDay"`;
  tell('visits of a year written', `${visits} in ${seconds.toFixed(0)} s, on ${rows?.days} days of links`);
  tell('size of a million of them', `${grown.toFixed(0)} MB`);
  const space = await prisma.space.create({
    data: { accountId: 1, name: 'All', nameKey: 'all', color: 1, createdAt: now, updatedAt: now },
  });
  const ids = all.slice(0, 1_000).map(({ id }) => id);
  await prisma.link.updateMany({ where: { id: { in: ids } }, data: { spaceId: space.id } });
  await fillEveryDay(database, ids, { days, last: dayOf(now) });
  const program = await startProgram(url);
  const from = new Date(now.getTime() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
  const dimensions = ['BROWSER', 'OS', 'DEVICE', 'COUNTRY', 'LANGUAGE', 'REFERRER', 'DESTINATION'];
  const tops = dimensions.map((by) => `${by}: top(by: ${by}) { rows { value clicks } others }`).join(' ');
  const totals = 'clicks visitors bots series { start clicks visitors bots }';
  for (const [what, open, close] of [
    ['a link with 10 million clicks', `link(id: "${ids[0]}") {`, '}'],
    [`a space of ${ids.length} links`, `space(id: "${space.id}") {`, '}'],
    ['the account', 'viewer { account {', '} }'],
  ] as const) {
    const ask = (period: string, fields: string) => `{ ${open} statistics${period} { ${fields} } ${close} }`;
    const year = `(from: "${from}")`;
    await measureQuery(program.origin, `${what}, ${days} days: totals and series`, ask(year, totals));
    for (const by of ['COUNTRY', 'DESTINATION'])
      await measureQuery(
        program.origin,
        `${what}, ${days} days: top by ${by}`,
        ask(year, `top(by: ${by}) { rows { value clicks } others }`),
      );
    await measureQuery(program.origin, `${what}, ${days} days: all of it`, ask(year, `${totals} ${tops}`));
    await measureQuery(program.origin, `${what}, 30 days: all of it`, ask('', `${totals} ${tops}`));
  }
  for (const period of [365, 30]) await measurePage(program.origin, 'a0', period);
  await database.close();
  console.log({ database: values.database, links, days, visits, ...results });
});
