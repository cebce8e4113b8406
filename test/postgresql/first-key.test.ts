import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { freePort } from '../support/postgres-server.ts';
import { type Program, startProgram } from '../support/process.ts';
import { type StartedService, startService } from '../support/service.ts';

const INITIAL_API_KEY = 'k'.repeat(32);

let program: Program | StartedService | undefined;
afterEach(() => program?.end('SIGKILL'));

/** The status of the first answer. */
async function firstAnswer(port: number): Promise<number> {
  const headers = { Authorization: `Bearer ${INITIAL_API_KEY}` };
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/spaces`, { headers }).catch(() => null);
    if (answer) return answer.status;
    await setTimeout(5);
  }
}

test.each([
  ['one process', {}, startService],
  ['two workers', { WORKERS: '2' }, startProgram],
])('%s: answers the first requests only once the first key exists', async (_what, env, start) => {
  const port = await freePort();
  const DATABASE_URL = await newDatabase({ migrated: false });
  const starting = start({ DATABASE_URL, PORT: String(port), INITIAL_API_KEY, ...env });
  const statuses = await Promise.all(Array.from({ length: 8 }, () => firstAnswer(port)));
  program = await starting;
  expect(new Set(statuses)).toEqual(new Set([200]));
  await expect.poll(() => program?.stdout).toContain('-H "Authorization: Bearer $KEY"');
});
