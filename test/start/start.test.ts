import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { type Program, runProgram, startProgram } from '../support/process.ts';
import { A_SECOND, startTestServer } from '../support/server.ts';

const running: Program[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((program) => program.end('SIGKILL')));
});

async function start(env: Record<string, string>, command?: [string, ...string[]]) {
  const program = await startProgram(env, command);
  running.push(program);
  return program;
}

const emptyDatabase = () => newDatabase({ migrated: false });

test('the first start prints a key once, with commands that can be pasted; later starts print none', async () => {
  const DATABASE_URL = await emptyDatabase();
  const first = await start({ DATABASE_URL });
  await expect.poll(() => first.stdout).toContain('/graphql\n');
  const keys = new Set(first.stdout.match(/ls_[\w-]{43}/g));
  expect(keys.size).toBe(1);
  const answers = [];
  for (const [command] of first.stdout.matchAll(/^ {2}curl .*$/gm)) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl', 'curl -s')]);
    answers.push(JSON.parse(stdout));
  }
  expect(answers).toMatchObject([
    { data: { name: 'Launch', color: 3 }, status: 201 },
    {
      data: {
        title: 'Example',
        domain: { name: new URL(first.origin).host.replace('127.0.0.1', 'localhost') },
      },
    },
    { meta: { total: 1 }, status: 200 },
    { data: { viewer: { account: { name: 'default' } }, links: { totalCount: 1 } } },
  ]);
  await first.end('SIGTERM');
  const second = await start({ DATABASE_URL });
  expect(second.stdout).not.toContain('ls_');
  const [key] = keys;
  const answer = await fetch(`${second.origin}/api/v1/spaces`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect(await answer.json()).toMatchObject({ meta: { total: 1 } });
  expect(`${JSON.stringify(second.log)}${JSON.stringify(first.log)}`).not.toContain(key);
});

test('the first key may be given, and is then accepted', async () => {
  const INITIAL_API_KEY = 'k'.repeat(32);
  const program = await start({ DATABASE_URL: await emptyDatabase(), INITIAL_API_KEY });
  const headers = { Authorization: `Bearer ${INITIAL_API_KEY}` };
  expect((await fetch(`${program.origin}/api/v1/spaces`, { headers })).status).toBe(200);
});

test('several first starts at once: all come up, one makes the first key', async () => {
  const DATABASE_URL = await emptyDatabase();
  const programs = await Promise.all([1, 2, 3].map(() => start({ DATABASE_URL })));
  expect(programs.filter(({ stdout }) => stdout.includes('ls_'))).toHaveLength(1);
  const migrated = programs.flatMap(({ log }) => log.filter(({ msg }) => msg === 'migration applied'));
  expect(new Set(migrated.map(({ migration }) => migration)).size).toBe(migrated.length);
  for (const { origin } of programs) expect((await fetch(`${origin}/readyz`)).status).toBe(200);
});

test('SIGTERM finishes what is in flight, and exits with 0', async () => {
  const program = await start({ DATABASE_URL: await emptyDatabase(), INITIAL_API_KEY: 'k'.repeat(32) });
  const headers = { Authorization: `Bearer ${'k'.repeat(32)}` };
  const inFlight = Array.from({ length: 20 }, (_, index) =>
    fetch(`${program.origin}/api/v1/spaces`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ name: `S${index}` }),
    }),
  );
  await Promise.race(inFlight);
  const { code } = await program.end('SIGTERM');
  const answers = await Promise.allSettled(inFlight);
  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(code).toBe(0);
  // What had not been accepted may be refused; what was answered was answered whole.
  expect(answers.length - refused.length).toBeGreaterThan(0);
  for (const answer of answers) if (answer.status === 'fulfilled') expect(answer.value.status).toBe(201);
});

test('SIGTERM to npm start reaches the server, and npm exits with 0', async () => {
  const program = await start({ DATABASE_URL: await emptyDatabase() }, ['npm', 'start']);
  expect((await program.end('SIGTERM')).code).toBe(0);
  await expect(fetch(`${program.origin}/livez`)).rejects.toThrow();
});

test('readyz says 503 where migrations are missing, livez 200 all the same', async () => {
  const server = await startTestServer({ url: await emptyDatabase(), migrated: false });
  try {
    const states = await Promise.all(
      ['/readyz', '/livez'].map(async (path) => (await fetch(server.origin + path)).status),
    );
    expect(states).toEqual([503, 200]);
  } finally {
    await server.stop();
  }
});

test('migrate says what is pending, and applies it', async () => {
  const DATABASE_URL = await emptyDatabase();
  const migrate = async (...args: string[]) =>
    (await runProgram('cli/migrate', { DATABASE_URL }, args)).stdout;
  expect(await migrate('--status')).toMatch(/^Pending:\n( {2}\d+_\w+\n)+$/);
  expect(await migrate()).toMatch(/^Applied:\n( {2}\d+_\w+\n)+$/);
  expect(JSON.parse(await migrate('--status', '--json'))).toEqual({ pending: [] });
});

test('keys makes, lists and revokes keys, of a running server too', async () => {
  const DATABASE_URL = await emptyDatabase();
  const program = await start({ DATABASE_URL });
  const keys = (...args: string[]) => runProgram('cli/keys', { DATABASE_URL }, args);
  const json = async (...args: string[]) => JSON.parse((await keys(...args, '--json')).stdout);
  const made = await json('create', '--account', 'Team', '--scopes', 'read', '--expires', '2100-01-31');
  expect(made).toEqual({
    id: expect.any(Number),
    account: 'Team',
    key: expect.stringMatching(/^ls_[\w-]{43}$/),
  });
  const status = async () =>
    (await fetch(`${program.origin}/api/v1/spaces`, { headers: { Authorization: `Bearer ${made.key}` } }))
      .status;
  expect(await status()).toBe(200);
  expect(await json('list')).toContainEqual(
    expect.objectContaining({
      account: 'Team',
      prefix: made.key.slice(0, 8),
      scopes: ['read'],
      expiresAt: '2100-01-31T00:00:00.000Z',
      revokedAt: null,
    }),
  );
  expect((await keys('revoke', String(made.id))).stdout).toBe(`Key ${made.id} is revoked.\n`);
  await expect.poll(status, { timeout: A_SECOND }).toBe(401);
});
