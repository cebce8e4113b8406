// npm run bench -- webhooks [--changes 100000] [--database sqlite|postgresql|URL]
// Makes changes as fast as one client can, for a webhook whose receiver fails a third of the time. Reports whether each was
// delivered, how many twice and in which order, the memory of the server, and how much slower its requests are meanwhile.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { Database } from '../src/db/database.ts';
import { FLAGS, fill, KEY, median, memoryOf, start, type Target, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '100000' },
    database: { type: 'string', default: 'sqlite' },
  },
});
const changes = Number(values.changes);
/** The number of changed records, and of changes in one request. */
const LINKS = 1_000;
const TOGETHER = 50;
/** Number of measurements with the webhook disabled, and with it enabled. */
const ROUNDS = 7;
/** The last of seven attempts always succeeds. */
const TRIES = 7;

/** The accepted messages, in order, and the number of attempts for each. */
const accepted: { id: string; record: number }[] = [];
const asked = new Map<string, number>();

const receiver = createServer(async (req, res) => {
  let body = '';
  for await (const chunk of req.setEncoding('utf8')) body += chunk;
  const id = String(req.headers['webhook-id']);
  const times = (asked.get(id) ?? 0) + 1;
  asked.set(id, times);
  if (Math.random() < 1 / 3 && times < TRIES) return void res.writeHead(500).end();
  accepted.push({ id, record: JSON.parse(body).data.id });
  res.writeHead(204).end();
}).listen(0, '127.0.0.1');

async function graphql<T>({ origin }: Target, query: string): Promise<T> {
  const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

let titles = 0;

async function change(target: Target, from: number): Promise<void> {
  const updates = Array.from({ length: TOGETHER }, (_, i) => {
    const id = 1 + ((from + i) % LINKS);
    return `u${i}: updateLink(id: ${id}, input: { title: "Title ${titles++}" }) { __typename }`;
  });
  await graphql(target, `mutation { ${updates.join(' ')} }`);
}

/** The requests per second, of which each reads one link, and every tenth changes one. */
async function speed(target: Target, seconds = 4): Promise<number> {
  const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/x-www-form-urlencoded' };
  const read = { method: 'GET' as const, path: '/api/v1/links/7', headers };
  const write = {
    method: 'PATCH' as const,
    path: '/api/v1/links/7',
    headers,
    setupRequest: (request: autocannon.Request) => ({
      ...request,
      path: `/api/v1/links/${1 + (titles % LINKS)}`,
      body: `title=${titles++}`,
    }),
  };
  const requests = [write, ...Array.from({ length: 9 }, () => read)];
  const result = await autocannon({ url: target.origin, connections: 10, duration: seconds, requests });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} requests were refused`);
  return result.requests.average;
}

await withDatabase(values.database, async (url) => {
  await fill(url, LINKS);
  const target = await start([...FLAGS, '--import', 'tsx', 'bench/webhook-server.ts'], { DATABASE_URL: url });
  const database = await Database.open(url);
  const { prisma } = database;
  await graphql(
    target,
    `mutation { createWebhook(input: { url: "http://127.0.0.1:${(receiver.address() as AddressInfo).port}/",
      events: [LINK_UPDATED] }) { __typename } }`,
  );
  const disable = (disabled: boolean) =>
    graphql(target, `mutation { updateWebhook(id: 1, input: { disabled: ${disabled} }) { __typename } }`);
  await speed(target);
  // As PostgreSQL does by itself a minute after a table's first rows: until then it plans without knowing them.
  if (database.provider === 'postgresql') await prisma.$executeRaw`ANALYZE`;
  const rounds: { quiet: number; busy: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await disable(true);
    const quiet = await speed(target);
    await disable(false);
    rounds.push({ quiet, busy: await speed(target) });
  }
  const pending = () => prisma.webhookDelivery.count({ where: { status: 'PENDING' } });
  while ((await pending()) > 0) await setTimeout(1_000);
  // What was made so far is not counted: while it is disabled, the webhook gets nothing.
  const first = await prisma.change.findFirstOrThrow({ orderBy: { id: 'desc' } });
  const before = await prisma.webhookDelivery.count();
  accepted.length = 0;
  asked.clear();
  const memory: number[] = [];
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 100) / 10;
  const sampler = setInterval(() => memory.push(memoryOf(target)), 2_000);
  for (let from = 0; from < changes; from += TOGETHER) await change(target, from);
  const madeAfter = seconds();
  const waiting = await pending();
  const made = () => prisma.change.count({ where: { kind: 'LINK', id: { gt: first.id } } });
  for (;;) {
    const [waits, there, all] = [
      await pending(),
      (await prisma.webhookDelivery.count()) - before,
      await made(),
    ];
    console.error(JSON.stringify({ seconds: seconds(), waits, there, all, accepted: accepted.length }));
    if (waits === 0 && there >= all) break;
    await setTimeout(2_000);
  }
  const doneAfter = seconds();
  clearInterval(sampler);

  const deliveries = await prisma.webhookDelivery.findMany({
    where: { createdAt: { gt: first.at } },
    select: { id: true, messageId: true, status: true },
  });
  const placeOf = new Map(deliveries.map(({ id, messageId }) => [messageId, id]));
  const lastOf = new Map<number, number>();
  let disordered = 0;
  for (const { id, record } of accepted) {
    const place = placeOf.get(id) ?? 0;
    if (place < (lastOf.get(record) ?? 0)) disordered++;
    lastOf.set(record, place);
  }
  const different = new Set(accepted.map(({ id }) => id)).size;
  const third = Math.max(1, Math.floor(memory.length / 3));
  console.log(
    JSON.stringify({
      database: database.provider,
      changes: await made(),
      deliveries: deliveries.length,
      notDelivered: deliveries.filter(({ status }) => status !== 'DELIVERED').length,
      missingAtReceiver: deliveries.length - different,
      twice: accepted.length - different,
      disordered,
      attempts: [...asked.values()].reduce((sum, one) => sum + one, 0),
      seconds: { made: madeAfter, delivered: doneAfter },
      waitingWhenMade: waiting,
      requests: {
        quiet: Math.round(median(rounds.map(({ quiet }) => quiet))),
        delivering: Math.round(median(rounds.map(({ busy }) => busy))),
        ratio: Number(median(rounds.map(({ quiet, busy }) => busy / quiet)).toFixed(2)),
      },
      memory: { early: Math.max(...memory.slice(0, third)), late: Math.max(...memory.slice(-third)) },
    }),
  );
  await database.close();
});
receiver.closeAllConnections();
receiver.close();
