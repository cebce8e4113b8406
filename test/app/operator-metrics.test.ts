import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Metrics } from '../../src/app/service/metrics.ts';
import { BUILD } from '../../src/engine/tools/own-files.ts';
import { runCommand } from '../support/command.ts';
import { Person, signedIn } from '../support/person.ts';
import { TestReceiver } from '../support/receiver.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const isSqlite = inject('database').provider === 'sqlite';

let server: TestServer;
let metrics: Metrics;
let takesMails = true;
beforeAll(async () => {
  metrics = new Metrics();
  server = await startTestServer({
    ...{ metrics, background: true, webhookInterval: 20, webhookDelays: [3_600_000] },
    sendMail: async () => takesMails,
    // The backup command has the machine's clock.
    now: new Date(),
  });
  await server.caller('default');
});
afterAll(() => server.stop());

/** The value of a metric, by its name and labels. */
async function metric(name: string, labels = ''): Promise<number | undefined> {
  const lines = (await metrics.text()).split('\n');
  const line = lines.find((one) => one.startsWith(`${name}${labels && `{${labels}}`} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

test('the build is told to those who run the service, or are signed in', async () => {
  const { version, commit } = BUILD;
  expect(await metric('linkspace_build_info', `version="${version}",commit="${commit}"`)).toBe(1);
  expect((await new Person(server).auth('about')).status).toBe(401);
  const owner = await signedIn(server, 1, 'OWNER');
  expect((await owner.auth('about')).body).toEqual({ version, commit, countriesAsOf: expect.anything() });
  const page = await (await fetch(server.origin, { headers: { Accept: 'text/html' } })).text();
  expect(page).toContain('Short links');
  expect(page).not.toContain(version);
});

test('readiness has its reason', async () => {
  const ready = async () => (await fetch(`${server.origin}/readyz`)).status;
  expect([await metric('linkspace_ready'), await ready()]).toEqual([1, 200]);
  const { prisma } = server.database;
  const rename = (from: string, to: string) =>
    prisma.$executeRawUnsafe(
      `UPDATE "_prisma_migrations" SET "migration_name" = '${to}' WHERE "migration_name" = '${from}'`,
    );
  await rename('20261129064500_disabled_accounts', 'another');
  expect([await metric('linkspace_ready'), await ready()]).toEqual([0, 503]);
  expect(await metric('linkspace_unready', 'reason="migrations"')).toBe(1);
  expect(await metric('linkspace_unready', 'reason="database"')).toBe(0);
  expect(server.log).toContainEqual(expect.objectContaining({ msg: 'not ready', reason: 'migrations' }));
  await rename('another', '20261129064500_disabled_accounts');
  expect([await metric('linkspace_ready'), await ready()]).toEqual([1, 200]);
  expect(await metric('linkspace_unready', 'reason="migrations"')).toBe(0);
});

test('mails that wait or are not taken are counted', async () => {
  const { userId } = await signedIn(server, 1, 'OWNER');
  const { email } = await server.database.prisma.user.findUniqueOrThrow({ where: { id: userId } });
  expect([await metric('linkspace_mails_failed_total'), await metric('linkspace_mails_waiting')]).toEqual([
    0, 0,
  ]);
  takesMails = false;
  await new Person(server).auth('forgot', { email });
  await expect.poll(() => metric('linkspace_mails_failed_total')).toBe(1);
  await server.database.prisma.addressChange.create({
    data: {
      ...{ userId, email: 'old@x.example', emailKey: 'old@x.example', at: server.clock.now, token: 't' },
      ...{ undoUntil: new Date(server.clock.now.getTime() + 1e9), hash: 'h' },
    },
  });
  await expect.poll(() => metric('linkspace_mails_waiting')).toBe(1);
});

test('a single webhook that fails shows, among many that work', async () => {
  const receiver = await TestReceiver.start();
  receiver.answer = ({ path }, res) => void res.writeHead(path === '/broken' ? 500 : 204).end();
  const caller = await server.caller('default');
  const hooks = ['/one', '/broken', '/two'];
  for (const path of hooks)
    await caller.data(
      `mutation { createWebhook(input: { url: "${receiver.url(path)}", events: [LINK_CREATED] }) { __typename } }`,
    );
  await caller.link();
  await expect.poll(() => metric('linkspace_webhooks_failing')).toBe(1);
  const before = server.clock.now;
  server.clock.now = new Date(before.getTime() + 600_000);
  expect(await metric('linkspace_webhook_failing_seconds')).toBeGreaterThanOrEqual(600);
  server.clock.now = before;
  receiver.stop();
});

test.runIf(isSqlite)('the age of the last backup is that of the data, until there is one', async () => {
  const before = server.clock.now;
  server.clock.now = new Date(before.getTime() + 7_200_000);
  expect(await metric('linkspace_backup_age_seconds')).toBe(7_200);
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-backup-'));
  await runCommand('backup', { DATABASE_URL: server.databaseUrl }, ['--to', join(folder, 'a.db')]);
  server.clock.now = new Date();
  const age = await metric('linkspace_backup_age_seconds');
  expect(age).toBeGreaterThanOrEqual(0);
  // It is noted in minutes; a slow machine makes it no older than the test.
  expect(age).toBeLessThan(7_000);
  server.clock.now = before;
  rmSync(folder, { recursive: true });
});

test.runIf(!isSqlite)('there is no age of backups that the service does not make', async () => {
  expect(await metric('linkspace_backup_age_seconds')).toBeUndefined();
});
