import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { runCommand } from '../support/command.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

// A demo is made in docs-commands.test.ts.
const run = (...args: string[]) => runCommand('demo', { DATABASE_URL: server.databaseUrl }, args);

test.each([
  [['--seed', 'x'], '--seed is "x"; it may be a whole number from 0 to 999999999.'],
  [['--seed', '-1'], 'See --help.'],
  [['--days', '731'], '--days is "731"; it may be a whole number from 1 to 730.'],
  [['--until', 'soon'], '--until is "soon"; it may be a time such as 2026-11-22T12:00:00Z.'],
  [['--until', '2026-02-30'], '--until is "2026-02-30"; it may be a time such as 2026-11-22T12:00:00Z.'],
])('refuses a demo with %o, with a message', async (args, expected) => {
  const { code, stderr } = await run(...args);
  expect(stderr).toContain(expected);
  expect(code).toBe(1);
  expect(await server.database.prisma.link.count()).toBe(0);
});

test('demo --help prints its help', async () => {
  const DATABASE_URL = server.databaseUrl;
  const { code, stdout } = await runCommand('demo', { DATABASE_URL, BASE_URL: 'https://go.example' }, [
    '--help',
  ]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('It refuses a\ndatabase that has links.')]);
  expect(stdout).toContain('Links are on the host of BASE_URL, now https://go.example');
});

test('refuses a database that has links', async () => {
  const owner = await server.caller();
  const { alias } = await owner.link();
  const { code, stderr } = await run();
  expect([code, stderr]).toEqual([1, 'The database has links already: the demo is for an empty one.\n']);
  const links = await server.database.prisma.link.findMany({ select: { alias: true } });
  expect(links).toEqual([{ alias }]);
  expect(await server.database.prisma.account.count()).toBe(1);
});
