import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { startProgram } from '../support/process.ts';
import { Caller } from '../support/server.ts';
import { startService } from '../support/service.ts';
import { type Visited, visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';

let url: string;
/** Ends each service by SIGTERM, and returns its exit code. */
let stops: (() => Promise<number | null>)[] = [];
/** The origins of two services on one database. */
let origins: string[];
let owner: Caller;

const env = () => ({ DATABASE_URL: url, BASE_URL: 'https://s.example', INITIAL_API_KEY: KEY });

async function start(): Promise<string> {
  const { origin, stop } = await startService(env());
  stops.push(() => stop().then(() => 0));
  return origin;
}

/** On SQLite in a process of its own, as two services in one process would never lock each other out. */
async function startOther(): Promise<string> {
  if (inject('database').provider !== 'sqlite') return start();
  const program = await startProgram(env());
  stops.push(async () => (await program.end('SIGTERM')).code);
  return program.origin;
}

beforeAll(async () => {
  url = await newDatabase();
  origins = [await start(), await startOther()];
  owner = new Caller(origins[0] ?? '', KEY);
});
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** Simultaneous visits, alternating between the processes. */
async function visits(count: number, alias: string, origins: string[]): Promise<Visited[]> {
  const visitOne = (_: unknown, index: number) => visit(origins[index % origins.length] ?? '', `/${alias}`);
  return Promise.all(Array.from({ length: count }, visitOne));
}

async function clicksOf(id: number): Promise<number> {
  const { body } = await owner.rest('GET', `/links/${id}`);
  return (body as { data: { clicks: number } }).data.clicks;
}

const tally = (answers: Visited[]) => {
  const count: Record<string, number> = {};
  for (const { status, location = 'page' } of answers) {
    const key = `${status} ${location}`;
    count[key] = (count[key] ?? 0) + 1;
  }
  return count;
};

test('1,000 simultaneous visits count as 1,000 clicks', async () => {
  const { id, alias } = await owner.link();
  expect(tally(await visits(1000, alias, origins.slice(0, 1)))).toEqual({ '302 https://example.com/': 1000 });
  await expect.poll(() => clicksOf(id)).toBe(1000);
});

test('redirects 7 of 60 simultaneous visits of a link with a limit of 7, on one process and on two', async () => {
  for (const among of [origins.slice(0, 1), origins]) {
    const { id, alias } = await owner.link({ expiration_clicks: 7 });
    const answers = await visits(60, alias, among);
    expect(tally(answers)).toEqual({ '302 https://example.com/': 7, '410 page': 53 });
    expect(await clicksOf(id)).toBe(7);
  }
});

test('a rotation is even across two processes', async () => {
  const { alias } = await owner.link({
    target_type: 4,
    'rotation[0][value]': 'https://example.com/1',
    'rotation[1][value]': 'https://example.com/2',
    'rotation[2][value]': 'https://example.com/3',
  });
  const answers = await visits(60, alias, origins);
  expect(tally(answers)).toEqual({
    '302 https://example.com/1': 20,
    '302 https://example.com/2': 20,
    '302 https://example.com/3': 20,
  });
});

// The last test, since it ends them.
test('a stop right after 200 visits, of two processes, loses none', async () => {
  const { id, alias } = await owner.link();
  await visits(200, alias, origins);
  expect(await Promise.all(stops.map((stop) => stop()))).toEqual([0, 0]);
  stops = [];
  owner = new Caller(await start(), KEY);
  // The last answer of a slow database may come after the stop.
  await expect.poll(() => clicksOf(id)).toBe(200);
});
