import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { freePort } from '../support/postgres-server.ts';
import { Caller } from '../support/server.ts';
import { type StartedService, startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';

let program: StartedService;
let port: number;
beforeAll(async () => {
  port = await freePort();
  program = await startService({
    DATABASE_URL: await newDatabase({ migrated: false }),
    BASE_URL: 'https://s.example',
    INITIAL_API_KEY: KEY,
    METRICS_PORT: String(port),
  });
});
afterAll(() => program.end());

/** The sum of the samples whose name and labels contain all of the texts. */
async function sample(...texts: string[]): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get('Content-Type')).toContain('text/plain');
  const lines = (await response.text())
    .split('\n')
    .filter((line) => !line.startsWith('#') && texts.every((one) => line.includes(one)));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('counts requests by surface and operation, uses of v1 by key, clicks, lookups and statements', async () => {
  const caller = new Caller(program.origin, KEY);
  const { alias } = await caller.link();
  await caller.rest('GET', '/links/1');
  await caller.rest('GET', '/links/999');
  await caller.rest('GET', '/links/998');
  await caller.data('query Dashboard { links { totalCount } }');
  for (let i = 0; i < 3; i++) await visit(program.origin, `/${alias}`);

  const requests = 'linkspace_request_duration_seconds_count';
  await expect.poll(() => sample(requests, 'surface="visit"', 'status="302"')).toBe(3);
  await expect
    .poll(() => sample(requests, 'surface="v1"', 'operation="POST /links"', 'status="201"'))
    .toBe(1);
  await expect
    .poll(() => sample(requests, 'surface="v1"', 'operation="GET /links/:id"', 'status="404"'))
    .toBe(2);
  await expect
    .poll(() => sample(requests, 'surface="graphql"', 'operation="Dashboard"', 'status="200"'))
    .toBe(1);
  await expect
    .poll(() => sample('linkspace_v1_requests_total', 'key="1"', 'operation="GET /links/:id"'))
    .toBe(3);
  await expect.poll(() => sample('linkspace_clicks_total ')).toBe(3);
  await expect.poll(() => sample('linkspace_link_lookups_total', 'cache="miss"')).toBe(1);
  await expect.poll(() => sample('linkspace_link_lookups_total', 'cache="hit"')).toBe(2);
  await expect.poll(() => sample('linkspace_database_duration_seconds_count')).toBeGreaterThan(5);
  await expect.poll(() => sample('nodejs_eventloop_lag_seconds ')).toBeGreaterThan(0);
});

test('counts delivered and waiting webhook messages', async () => {
  const caller = new Caller(program.origin, KEY);
  // Private addresses are refused: the attempt fails, and waits for a retry.
  await caller.data(
    `mutation { createWebhook(input: { url: "http://127.0.0.1:${port}/", events: [SPACE_CREATED] }) { __typename } }`,
  );
  await expect.poll(() => sample('linkspace_webhook_pending ')).toBe(0);
  await caller.space('Told of');
  await expect.poll(() => sample('linkspace_webhook_attempts_total', 'outcome="retried"')).toBe(1);
  await expect.poll(() => sample('linkspace_webhook_pending ')).toBe(1);
  await expect.poll(() => sample('linkspace_webhook_lag_seconds ')).toBeLessThan(600);
});

test('counts refused attempts to sign in, and tells the size of the database and what is left on its disk', async () => {
  const failures = () => sample('linkspace_sign_in_failures_total', 'way="password"');
  expect(await failures()).toBe(0);
  const answer = await fetch(`${program.origin}/auth/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong' }),
  });
  expect(answer.status).toBe(401);
  await expect.poll(failures).toBe(1);
  await expect.poll(() => sample('linkspace_database_bytes ')).toBeGreaterThan(100_000);
  if (inject('database').provider === 'sqlite')
    await expect.poll(() => sample('linkspace_disk_free_bytes ')).toBeGreaterThan(0);
});

test('the log has the operation', async () => {
  await expect
    .poll(() => program.log.filter(({ msg }) => msg === 'request').map(({ operation }) => operation))
    .toEqual(expect.arrayContaining(['POST /links', 'GET /links/:id', 'Dashboard']));
});

test('limits names chosen by clients in the metrics', async () => {
  const caller = new Caller(program.origin, KEY);
  const before = (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).length;
  const names = Array.from({ length: 40 }, (_, index) => `${'N'.repeat(90)}${index}`);
  for (const name of [...names, 'N'.repeat(900_000)]) await caller.graphql(`query ${name} { __typename }`);
  const after = (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).length;
  expect(after - before).toBeLessThan(200_000);
});

test.each([
  ['GET', '/', 404],
  ['GET', '/metric', 404],
  ['POST', '/metrics', 405],
  ['GET', '/metrics?name=x', 200],
])('%s %s on the metrics port returns %s', async (method, path, status) => {
  expect((await fetch(`http://127.0.0.1:${port}${path}`, { method })).status).toBe(status);
});

test('the service itself serves no metrics', async () => {
  const response = await fetch(`${program.origin}/metrics`);
  expect(response.status).toBe(404);
});

test('tells a proxy on this port, too, which hosts are served', async () => {
  const statusOf = async (host: string, method = 'GET') =>
    (await fetch(`http://127.0.0.1:${port}/tls/ask?domain=${host}`, { method })).status;
  expect([await statusOf('s.example'), await statusOf('no.example')]).toEqual([200, 404]);
  expect([await statusOf('S.example.', 'HEAD'), await statusOf('s.example', 'POST')]).toEqual([200, 405]);
});
