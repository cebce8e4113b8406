import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { newDatabase } from '../support/database.ts';
import { startProgram } from '../support/process.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

const emptyDatabase = () => newDatabase({ migrated: false });

test('several simultaneous first starts succeed, and one creates the first key', async () => {
  const DATABASE_URL = await emptyDatabase();
  // SQLite waits for its lock within a process.
  const start = inject('database').provider === 'sqlite' ? startProgram : startService;
  const programs = await Promise.all([1, 2, 3].map(() => start({ DATABASE_URL })));
  try {
    expect(programs.filter(({ stdout }) => stdout.includes('ls_'))).toHaveLength(1);
    const migrated = programs.flatMap(({ log }) => log.filter(({ msg }) => msg === 'migrations applied'));
    const folder = `prisma/migrations/${inject('database').provider}`;
    const migrations = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(migrated.reduce((sum, line) => sum + Number(line.migrations), 0)).toBe(migrations.length);
    for (const { origin } of programs) expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  } finally {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
  }
});

test('/readyz returns 503 while migrations are missing, /livez and /livez/serving 200', async () => {
  const server = await startTestServer();
  const states = async () =>
    Promise.all(
      ['/readyz', '/livez', '/livez/serving'].map(async (path) => (await fetch(server.origin + path)).status),
    );
  try {
    expect(await states()).toEqual([200, 200, 200]);
    await server.database.prisma.$executeRawUnsafe('DELETE FROM "_prisma_migrations"');
    expect(await states()).toEqual([503, 200, 200]);
  } finally {
    await server.stop();
  }
});

test('migrate lists pending migrations and applies them', async () => {
  const DATABASE_URL = await emptyDatabase();
  const migrate = async (...args: string[]) => (await runCommand('migrate', { DATABASE_URL }, args)).stdout;
  expect(await migrate('--status')).toMatch(/^Pending:\n( {2}\d+_\w+\n)+$/);
  expect(await migrate()).toMatch(/^Applied:\n( {2}\d+_\w+\n)+$/);
  expect(JSON.parse(await migrate('--status', '--json'))).toEqual({ pending: [], unknown: [] });
});

// What the commands do in the database is tested with the APIs.
describe.runIf(inject('database').provider === 'sqlite')('commands beside a running server', () => {
  let server: TestServer;
  let owner: Caller;
  beforeAll(async () => {
    server = await startTestServer({ background: true, verifiesDomains: true });
    owner = await server.caller();
  });
  afterAll(() => server.stop());
  const run = (command: 'keys' | 'domains', ...args: string[]) =>
    runCommand(command, { DATABASE_URL: server.databaseUrl }, args);

  test('keys creates, lists and revokes keys', async () => {
    const json = async (...args: string[]) => JSON.parse((await run('keys', ...args, '--json')).stdout);
    const made = await json('create', '--account', 'Team', '--scopes', 'read', '--expires', '2100-01-31');
    expect(made).toEqual({
      id: expect.any(Number),
      account: 'Team',
      key: expect.stringMatching(/^ls_[\w-]{43}$/),
      created: true,
    });
    const caller = server.callerWith(made.key);
    const status = async () => (await caller.rest('GET', '/spaces')).status;
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
    expect((await run('keys', 'revoke', String(made.id))).stdout).toBe(`Key ${made.id} is revoked.\n`);
    await expect.poll(status).toBe(401);
  });

  test('domains lists domains, verifies one without DNS, and removes it with its links', async () => {
    const { alias } = await owner.link({ domain_id: await owner.domain('go.example') });
    const status = async () =>
      (await visit(server.origin, `/${alias}`, { headers: { Host: 'go.example' } })).status;
    expect(await status()).toBe(404);
    const { stdout } = await run('domains', 'list');
    expect(stdout).toMatch(/ s\.example +\(shared\) +yes +0\n.* go\.example +owner +no +1\n$/);
    expect((await run('domains', 'verify', 'Go.Example')).stdout).toBe('Go.Example is verified.\n');
    await expect.poll(status).toBe(302);
    const removed = await run('domains', 'remove', 'go.example', '--with-links');
    expect(removed.stdout).toBe('go.example is removed, with its link.\n');
    await expect.poll(status).toBe(404);
  });
});
