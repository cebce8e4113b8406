// npm run failover: loses the PostgreSQL server that is the primary, once killed and once frozen, under load of writes, visits and
// subscriptions, and checks that nothing that counts was lost. Two servers under Patroni, etcd, HAProxy, two processes of the
// service and one with ROLE=redirects, all on this machine. Takes about five minutes. Needs Debian's packages etcd-server, patroni,
// haproxy and postgresql.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { Caller } from '../src/testing/caller.ts';
import { type Program, startProgram } from '../test/support/process.ts';
import { countClicks, findMissing, type Opened, Visitor, Watcher, Writer } from './failover/load.ts';
import { type Machine, startMachines, untilReady, versionsOfParts } from './failover/machines.ts';

const versions = versionsOfParts();
const missing = Object.keys(versions).filter((name) => versions[name] === undefined);
if (missing.length > 0) {
  console.error(`Install what is missing, on Debian by: apt-get install ${missing.join(' ')}`);
  process.exit(1);
}
console.log(Object.values(versions).join('\n'));

const KEY = 'the-first-key-of-an-empty-database';
/** Links that are asked for all the time, and links that are asked for once, after the primary is lost. */
const [HOT, COLD] = [40, 3_000];
/** Milliseconds in which everything must read a link again after a loss. */
const SETTLE = 90_000;

const machines = await startMachines();
const { a, b } = machines;
let isOver = false;
const programs: Program[] = [];
process.on('exit', (code) => {
  for (const { child } of programs) child.kill('SIGKILL');
  machines.stop(code !== 0);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Waits until something holds; fails with what was found last. */
async function eventually<T>(what: string, ask: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  const started = performance.now();
  for (;;) {
    const found = await ask().catch((error: unknown) => error as T);
    if (!(found instanceof Error) && holds(found)) return found;
    if (performance.now() - started > SETTLE) throw new Error(`${what}: ${JSON.stringify(found)}`);
    await setTimeout(250);
  }
}

await eventually(
  'the first server is the primary',
  () => a.role(),
  (role) => role === 'leader',
);
b.start();
await untilReady(a, b);
const setUp = new pg.Client(a.urlOf('postgres'));
await setUp.connect();
await setUp.query('CREATE DATABASE linkspace');
await setUp.end();

const url = machines.urlOf('linkspace');
const env = { DATABASE_URL: url, BASE_URL: 'http://s.example', INITIAL_API_KEY: KEY, NODE_ENV: 'production' };
const first = await startProgram(env);
const second = await startProgram(env);
programs.push(first, second);
const callers = [first, second].map(({ origin }) => new Caller(origin, KEY));
const [caller] = callers as [Caller, Caller];

/** The aliases of new links. */
async function links(count: number, more: object = {}): Promise<string[]> {
  const aliases: string[] = [];
  while (aliases.length < count) {
    const inputs = Array.from({ length: Math.min(100, count - aliases.length) }, () => ({
      url: 'https://example.com/',
      ...more,
    }));
    const { createLinks } = await caller.data<{ createLinks: { alias: string }[] }>(
      'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { ... on Link { alias } } }',
      { inputs },
    );
    aliases.push(...createLinks.map(({ alias }) => alias));
  }
  return aliases;
}
const hot = await links(HOT);
const cold = await links(COLD);
const limited = await links(1, { expiration: { clicks: 1_000_000 } });

const visitorsOnly = await startProgram({
  ...env,
  ROLE: 'redirects',
  DATABASE_READ_URLS: [a, b].map((machine) => machine.urlOf('linkspace')).join(),
});
programs.push(visitorsOnly);

const watchers = callers.map((one) => new Watcher(one));
await eventually(
  'subscriptions are open',
  async () => watchers.map(({ connections }) => connections),
  (open) => open.every((count) => count > 0),
);
await setTimeout(1_000);
const writers = callers.map((one) => new Writer(one));
const turn = (aliases: readonly string[]) => {
  let number = 0;
  return () => aliases[number++ % aliases.length];
};
const visitors = [first, second, visitorsOnly].map(({ origin }) => new Visitor(origin, 25, turn(hot)));
const unknown = new Visitor(visitorsOnly.origin, 100, () => (isOver ? undefined : cold.pop()));
const bounded = new Visitor(visitorsOnly.origin, 500, turn(limited));

/** Loses the primary, and waits until all is as before, but for that machine. */
async function lose(how: string, loss: (primary: Machine) => void, recover: (primary: Machine) => void) {
  const { primary, standby } = await untilReady(a, b);
  // A minute in which each link is asked for, and everything goes on.
  await setTimeout(20_000);
  for (const writer of writers) writer.longestPause();
  const lostAt = performance.now();
  loss(primary);
  await eventually(
    'the standby is the primary',
    () => standby.role(),
    (role) => role === 'leader',
  );
  const promoted = Math.round((performance.now() - lostAt) / 100) / 10;
  const written = writers.map(({ ids }) => ids.length);
  await eventually(
    'writes go on',
    async () => writers.map(({ ids }) => ids.length),
    (now) => now.every((count, i) => count > (written[i] ?? 0) + 20),
  );
  const refused = writers.map((writer) => writer.longestPause());
  await setTimeout(5_000);
  recover(primary);
  await untilReady(a, b);
  const back = writers.map((writer) => writer.longestPause());
  console.log(
    `${how}: the standby was the primary after ${promoted} s, writes were refused for ${refused.join(' and ')} s (Patroni's ttl is 30 s), and for ${Math.max(...back)} s when the machine came back`,
  );
}

await lose(
  'killed',
  (primary) => primary.kill(),
  (primary) => primary.start(),
);
await lose(
  'frozen',
  (primary) => primary.freeze(true),
  (primary) => primary.freeze(false),
);
await setTimeout(5_000);
isOver = true;
await Promise.all([...writers, ...visitors, unknown, bounded].map((one) => one.stop()));

const db = new pg.Client(url);
await db.connect();
const faults: string[] = [];
const check = (what: string, holds: boolean) => {
  if (!holds) faults.push(what);
  console.log(`${holds ? 'ok' : 'FAILED'}: ${what}`);
};

const ids = writers.flatMap((writer) => writer.ids);
const lost = await findMissing(db, ids);
check(`${ids.length} acknowledged writes, ${lost.length} lost`, lost.length === 0);
const {
  rows: [{ twice }],
} = await db.query(
  `SELECT count(*)::int - count(DISTINCT "url")::int AS "twice" FROM "Link" WHERE "url" LIKE 'https://example.com/_%'`,
);
check(`${twice} writes made twice`, twice === 0);

const failed = (opened: readonly Opened[]) => opened.filter(({ status }) => status !== 302).length;
for (const [index, { opened }] of visitors.entries())
  check(
    `process ${index + 1}: ${opened.length} redirects of links of the last minute, ${failed(opened)} failed`,
    failed(opened) === 0,
  );
check(
  `${unknown.opened.length} redirects of links that were never asked for, ${failed(unknown.opened)} failed`,
  failed(unknown.opened) === 0,
);
const statuses = [...new Set(bounded.opened.map(({ status }) => status))].sort();
const refusals = bounded.opened.filter(({ status }) => status === 503).length;
check(
  `a link with a click limit: ${bounded.opened.length} asked, ${refusals} of them answered 503 (${statuses})`,
  statuses.every((status) => status === 302 || status === 503),
);

const answered = new Map<string, number>();
for (const { alias, status } of [...visitors, unknown, bounded].flatMap(({ opened }) => opened))
  if (status === 302) answered.set(alias, (answered.get(alias) ?? 0) + 1);
const wrong = async () => {
  const counted = await countClicks(db, [...answered.keys()]);
  return [...answered]
    .filter(([alias, clicks]) => counted.get(alias) !== clicks)
    .map(([alias, clicks]) => [alias, clicks, counted.get(alias)]);
};
const wrongClicks = await eventually(
  'each visit is counted once',
  wrong,
  (found) => found.length === 0,
).catch((error: Error) => error.message);
check(
  `${[...answered.values()].reduce((sum, one) => sum + one, 0)} visits, each counted once${typeof wrongClicks === 'string' ? `: ${wrongClicks.slice(0, 300)}` : ''}`,
  typeof wrongClicks !== 'string',
);

for (const [index, watcher] of watchers.entries()) {
  const heard = new Map<string, number>();
  for (const id of watcher.created) heard.set(id, (heard.get(id) ?? 0) + 1);
  const unheard = ids.filter((id) => !heard.has(id)).length;
  const again = [...heard.values()].filter((times) => times > 1).length;
  check(
    `subscription ${index + 1}: ${watcher.connections} connection, ${unheard} changes not heard of, ${again} twice`,
    unheard === 0 && again === 0,
  );
  watcher.stop();
}
await db.end();
await Promise.all([first, second, visitorsOnly].map((one) => one.end('SIGTERM')));
assert.deepEqual(faults, []);
process.exit(0);
