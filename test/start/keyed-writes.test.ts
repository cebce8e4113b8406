import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { type Program, startProgram } from '../support/process.ts';
import { Caller } from '../support/server.ts';

const KEY = 'the-first-key-of-an-empty-database';
/** The number of writes, and of kills during them. */
const WRITES = 60;
const KILLS = 1;

let program: (Program & { origin: string }) | undefined;
afterEach(async () => {
  await program?.end('SIGKILL');
});

const CREATE = `mutation ($name: String!) {
  createSpace(input: { name: $name }) { ... on Space { id name } }
  createLink(input: { url: "https://example.com/", title: $name }) { ... on Link { id title } }
}`;

/** Sends a write by its number: over v1, or two in one document over GraphQL. */
async function write(caller: Caller, number: number): Promise<string> {
  const headers = { 'Idempotency-Key': `write-${number}`, 'Content-Type': 'application/json' };
  const name = `Space ${number}`;
  const [path, body] =
    number % 2 ? ['/api/v1/spaces', { name }] : ['/graphql', { query: CREATE, variables: { name } }];
  for (;;) {
    const response = await caller.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (response.status === 409) await setTimeout(100);
    else if (response.ok) return text;
    else throw new Error(`${response.status}: ${text}`);
  }
}

test('keyed writes that are repeated after SIGKILL are executed once', async () => {
  const settings = { DATABASE_URL: await newDatabase(), BASE_URL: 'https://s.example', INITIAL_API_KEY: KEY };
  const answered = new Map<number, string>();
  for (let kill = 0; kill <= KILLS; kill++) {
    program = await startProgram({ ...settings, RATE_LIMIT: '0' });
    const caller = new Caller(program.origin, KEY);
    let next = 0;
    const sender = async () => {
      for (let number = next++; number < WRITES; number = next++) {
        const text = await write(caller, number);
        // A repeated answer must be the same.
        expect(text).toBe(answered.get(number) ?? text);
        answered.set(number, text);
      }
    };
    const work = Promise.allSettled(Array.from({ length: 8 }, sender));
    if (kill < KILLS) {
      const goal = (WRITES * (kill + 1)) / (KILLS + 1);
      await expect.poll(() => answered.size, { interval: 5 }).toBeGreaterThan(goal);
      await program.end('SIGKILL');
    }
    const outcomes = await work;
    if (kill === KILLS) expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    else continue;
    const totals = await caller.data('{ spaces { totalCount } links { totalCount } }');
    expect(totals).toEqual({ spaces: { totalCount: WRITES }, links: { totalCount: WRITES / 2 } });
  }
  expect(answered.size).toBe(WRITES);
});
