// npm run bench -- zipf [--links 10000000] [--seconds 20] [--rounds 3] [--cache 64,512] [--database postgresql|URL]
// Visits by Zipf's law of many links on PostgreSQL: redirects a second, how many links were in the program's memory, how long
// visitors wait, and bytes on disk for each link. A database of a URL is kept, and filled only as far as it is not yet.
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { applyMigrations } from '../src/db/apply-migrations.ts';
import { Database } from '../src/db/database.ts';
import { freePort } from '../test/support/postgres-server.ts';
import { fill, memoryOf, startProgram, type Target, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '10000000' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    cache: { type: 'string', default: '64' },
    database: { type: 'string', default: 'postgresql' },
  },
});
const [links, seconds, rounds] = [values.links, values.seconds, values.rounds].map(Number) as [
  number,
  number,
  number,
];
const CONNECTIONS = 16;
/** Links in one statement. */
const BATCH = 100_000;

/** Adds the links that are missing, and gives the bytes on disk for each. */
async function prepare(url: string): Promise<number> {
  await applyMigrations(url);
  const database = await Database.open(url);
  const { prisma } = database;
  if ((await prisma.link.count()) === 0) await fill(url, 1);
  const { accountId, domainId } = await prisma.link.findFirstOrThrow();
  const has = await prisma.link.count();
  for (let from = has; from < links; from += BATCH)
    await prisma.$executeRaw`
      INSERT INTO "Link" ("accountId", "domainId", "alias", "aliasKey", "url", "urlKey", "title", "titleKey", "createdAt", "updatedAt")
      SELECT ${accountId}::int, ${domainId}::int, 'a' || n, 'a' || n, u, u, 'Title ' || n, 'title ' || n, now(), now()
      FROM generate_series(${from}::int, ${Math.min(from + BATCH, links) - 1}::int) AS n, LATERAL (SELECT 'https://example.com/some/longer/path/' || n) AS "url"(u)`;
  if (has < links) await prisma.$executeRaw`VACUUM ANALYZE`;
  const [size] = await prisma.$queryRaw<
    { bytes: bigint }[]
  >`SELECT pg_database_size(current_database()) AS "bytes"`;
  await database.close();
  return Number(size?.bytes) / links;
}

/** wrk's requests: the rank is the power of the number of links to a random share, which is Zipf's law; neighbours are far apart. */
const SCRIPT = `
  wrk.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
  math.randomseed(os.time())
  function request()
    local rank = math.floor(math.exp(math.random() * math.log(${links})))
    return wrk.format("GET", "/a" .. (rank * 7368787) % ${links})
  end
  function done(summary, latency)
    local errors = summary.errors
    local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
    io.write(string.format("RESULT %d %d %d %d %d\\n", summary.requests, summary.duration, failed, latency:percentile(50), latency:percentile(99)))
  end`;

async function visit({ origin }: Target, script: string, during: number) {
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${during}s`,
    '-s',
    script,
    origin,
  ]);
  const [requests = 0, duration = 1, failed = 0, half = 0, most = 0] =
    /RESULT (.*)/.exec(stdout)?.[1]?.split(' ').map(Number) ?? [];
  if (failed > 0 || requests === 0) throw new Error(`${failed} requests failed\n${stdout}`);
  return { rate: Math.round((requests / duration) * 1e6), half: half / 1_000, most: most / 1_000 };
}

/** Reads the numbers of links found in memory and not found there. */
async function looksOf(port: number): Promise<{ hits: number; misses: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lookups = (cache: string) =>
    Number(new RegExp(`^linkspace_link_lookups_total{cache="${cache}"} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { hits: lookups('hit'), misses: lookups('miss') };
}

await withDatabase(values.database, async (url, folder) => {
  const bytes = await prepare(url);
  console.log(JSON.stringify({ links, 'bytes on disk for a link': Math.round(bytes) }));
  const script = join(mkdtempSync(join(folder, 'wrk-')), 'visits.lua');
  writeFileSync(script, SCRIPT);
  for (const megabytes of values.cache.split(',')) {
    const port = await freePort();
    const target = await startProgram(url, undefined, '.', {
      LINK_CACHE_MB: megabytes,
      METRICS_PORT: String(port),
    });
    await visit(target, script, seconds);
    for (let round = 0; round < rounds; round++) {
      const before = await looksOf(port);
      const { rate, half, most } = await visit(target, script, seconds);
      const { hits, misses } = await looksOf(port);
      const found = hits - before.hits;
      console.log(
        JSON.stringify({
          LINK_CACHE_MB: megabytes,
          'redirects a second': rate,
          '50 %; 99 % (ms)': [half, most],
          'hit rate': Number((found / (found + misses - before.misses)).toFixed(3)),
          'memory (MB)': memoryOf(target),
        }),
      );
    }
    target.child.kill('SIGTERM');
  }
});
