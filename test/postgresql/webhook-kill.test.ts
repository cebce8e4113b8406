import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { type Program, startProgram } from '../support/process.ts';
import { TestReceiver } from '../support/receiver.ts';
import { Caller } from '../support/server.ts';

/** `KILL_ROUNDS=20 npx vitest run test/postgresql/webhook-kill.test.ts` for more rounds. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 1);
/** A client's errors after the server was killed. */
const GONE = /fetch failed|ECONNRE|socket hang up|terminated/;
const KEY = 'the-first-key-of-an-empty-database';
const WRITERS = 4;

let url: string;
let receiver: TestReceiver;
let program: Program & { origin: string };
beforeEach(async () => {
  url = await newDatabase();
  receiver = await TestReceiver.start();
});
afterEach(async () => {
  await program.end('SIGKILL');
  receiver.stop();
});

const start = () =>
  startProgram({
    DATABASE_URL: url,
    BASE_URL: 'https://s.example',
    INITIAL_API_KEY: KEY,
    WEBHOOK_ALLOW_PRIVATE: 'on',
  });

/** The names of a space, in their order. */
const names = ['made', 'changed', 'changed again'];

/** Creates and changes spaces, until the program is killed; records how many changes of each are acknowledged. */
async function write(caller: Caller, done: Map<number, number>): Promise<void> {
  for (;;) {
    const [made = '', ...changed] = names;
    const id = await caller.space(made);
    done.set(id, 1);
    for (const [index, name] of changed.entries()) {
      const { status } = await caller.rest('PATCH', `/spaces/${id}`, { name });
      if (status !== 200) throw new Error(`a change was answered ${status}`);
      done.set(id, index + 2);
    }
  }
}

test('delivers all changes acknowledged before SIGKILL, those of each record in order', async () => {
  const done = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round++) {
    program = await start();
    const caller = new Caller(program.origin, KEY);
    if (round === 0)
      await caller.data(
        `mutation ($url: String!) { createWebhook(input: { url: $url, events: [SPACE_CREATED, SPACE_UPDATED] }) {
          __typename } }`,
        { url: receiver.url() },
      );
    const before = done.size;
    const work = Promise.allSettled(Array.from({ length: WRITERS }, () => write(caller, done)));
    await expect.poll(() => done.size).toBeGreaterThan(before + 20);
    await setTimeout((round * 137) % 600);
    await program.end('SIGKILL');
    for (const outcome of await work)
      expect(String(outcome.status === 'rejected' && outcome.reason)).toMatch(GONE);
  }
  program = await start();
  const of = (id: number) => receiver.received.filter(({ message }) => message.data.id === id);
  const ids = (id: number) => [...new Set(of(id).map(({ headers }) => headers['webhook-id']))];
  /** The number of a space's changes that its last message shows. */
  const told = (id: number) => names.indexOf(String(of(id).at(-1)?.message.data.name)) + 1;
  const missing = () =>
    [...done].filter(([id, changes]) => told(id) < changes || ids(id).length < Math.min(changes, 2));
  // The queue of the killed process is taken over after 5 seconds.
  await expect.poll(missing, { interval: 250 }).toEqual([]);
  for (const [id] of done) {
    const first = ids(id).map((one) => of(id).find(({ headers }) => headers['webhook-id'] === one));
    // Updates join one that nobody has begun to send.
    const expected = ['space.created', 'space.updated', 'space.updated'].slice(0, first.length);
    expect(first.map((one) => one?.message.type)).toEqual(expected);
  }
  const sent = receiver.received.length;
  const different = new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size;
  // Messages in flight at a kill: at most four, and those whose outcome was not written yet.
  expect(sent - different).toBeLessThanOrEqual(ROUNDS * 8);
});
