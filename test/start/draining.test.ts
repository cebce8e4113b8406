import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { subscribe } from '../support/events.ts';
import { type Program, signalUntilClosed, startProgram } from '../support/process.ts';
import { Caller, startTestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const running: Program[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((program) => program.end('SIGKILL')));
});

const statuses = (origin: string) =>
  Promise.all(
    ['/livez', '/livez/serving', '/readyz'].map(async (path) => (await fetch(origin + path)).status),
  );

/** Sends a request on a connection, and returns the answers so far and the end of the connection. */
async function connection(origin: string, request: string) {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let received = '';
  socket.on('data', (data: string) => {
    received += data;
  });
  await once(socket, 'connect');
  socket.write(request);
  return {
    send: (more: string) => socket.write(more),
    received: () => received,
    ended: once(socket, 'close').then(() => received),
  };
}

test('tells proxies to go elsewhere, and answers what still comes, also on new connections', async () => {
  const server = await startTestServer({ background: true });
  const owner = await server.caller();
  const { alias } = await owner.link();
  expect(await statuses(server.origin)).toEqual([200, 200, 200]);
  const live = 'GET /livez/serving HTTP/1.1\r\nHost: s.example\r\n\r\n';
  const kept = await connection(server.origin, live);
  await expect.poll(kept.received).toContain('HTTP/1.1 200');
  server.drain();
  expect(await statuses(server.origin)).toEqual([200, 503, 503]);
  const answers = await Promise.all([
    owner.rest('POST', '/spaces', { name: 'Stored', color: 1 }),
    owner.rest('GET', '/links'),
    owner.graphql('mutation { createSpace(input: { name: "Another" }) { __typename } }'),
    owner.fetch('/docs'),
    owner.fetch('/livez/serving', { method: 'HEAD' }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 503]);
  const visited = await visit(server.origin, `/${alias}`);
  expect(visited.status).toBe(302);
  for (const { headers } of answers) expect(headers.get('Connection')).toBe('close');
  expect(visited.headers.connection).toBe('close');
  kept.send(live);
  expect(await kept.ended).toMatch(/HTTP\/1.1 503[\s\S]*Connection: close/);
  await server.shutDown();
});

test('ends streams without complete, and refuses new ones', async () => {
  const server = await startTestServer({ background: true });
  const owner = await server.caller();
  const query = 'subscription { changes { id } }';
  const stream = await owner.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
  });
  expect(stream.status).toBe(200);
  server.drain();
  expect(await stream.text()).not.toContain('event: complete');
  const refused = await subscribe(owner, query);
  expect(refused.status).toBe(503);
  await server.shutDown();
});

// Over two seconds: a second signal is the same one before that.
test('npm start goes on accepting after a signal to all processes, and another one ends that', async () => {
  const KEY = 'k'.repeat(32);
  const program = await startProgram(
    { DATABASE_URL: await newDatabase(), INITIAL_API_KEY: KEY, DRAIN_SECONDS: '20' },
    ['setsid', 'npm', 'start'],
  );
  running.push(program);
  const owner = new Caller(program.origin, KEY);
  const signal = () => process.kill(-(program.child.pid ?? 0), 'SIGTERM');
  // Twice at once: two seconds later, the second one would end the draining.
  signal();
  signal();
  await expect.poll(() => statuses(program.origin)).toEqual([200, 503, 503]);
  for (let i = 0; i < 5; i++)
    expect((await owner.rest('POST', '/links', { url: 'https://example.com/' })).status).toBe(201);
  const begun = () => program.log.filter(({ msg }) => msg === 'stopping');
  await expect.poll(begun).toMatchObject([{ drainSeconds: 20 }]);
  await signalUntilClosed(program.origin, signal);
  expect((await program.end()).code).toBe(0);
  expect(program.log.at(-1)).toMatchObject({ msg: 'stopped' });
});
