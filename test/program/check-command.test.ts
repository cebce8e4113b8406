import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { Database } from '../../src/db/database.ts';
import { hashDocument } from '../../src/domain/operation/checks.ts';
import { startTestServer } from '../../src/testing/server.ts';
import { runCommand } from '../support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-check-'));
const env = { DATABASE_URL: `file:${folder}/linkspace.db`, BASE_URL: 'https://s.example' };
const older = { ...env, DATABASE_URL: `file:${folder}/older.db` };
const OLD = '{ links { nodes { gone } } }';

beforeAll(async () => {
  await applyMigrations(env.DATABASE_URL);
  const db = await Database.open(env.DATABASE_URL);
  const at = { createdAt: new Date(), updatedAt: new Date() };
  for (const [name, documents] of [
    ['First', { fine: '{ viewer { role } }' }],
    [
      'Second',
      {
        fine: '{ viewer { role } }',
        broken: OLD,
        'old-rule': '{ checkLinks(inputs: []) { fields { rule } } }',
      },
    ],
  ] as const)
    await db.prisma.account.create({
      data: {
        name,
        createdAt: new Date(),
        savedOperations: {
          create: Object.entries(documents).map(([one, document]) => ({
            ...{ name: one, document, hash: hashDocument(document) },
            ...at,
          })),
        },
      },
    });
  await db.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const reason = 'Cannot query field "gone" on type "Link".';

test('npm run check names what a version breaks, and why', async () => {
  const { code, stdout, stderr } = await runCommand('check', env, []);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    `Second: broken is broken: ${reason}`,
    'Second: old-rule uses what is deprecated: FieldError.rule',
    '4 saved operations, 1 broken.',
    '',
  ]);
  const json = await runCommand('check', env, ['--json']);
  expect(
    json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { account: 'First', operations: 1, broken: [] },
    { account: 'Second', operations: 3, broken: [{ name: 'broken', reason }] },
  ]);
});

test('npm run check reads a database that has no saved operations yet', async () => {
  await applyMigrations(older.DATABASE_URL);
  const db = await Database.open(older.DATABASE_URL);
  for (const statement of [
    'DROP TABLE "OperationDay"',
    'DROP TABLE "SavedOperation"',
    'DELETE FROM "_prisma_migrations" WHERE "migration_name" LIKE \'%saved_operations\'',
  ])
    await db.prisma.$executeRawUnsafe(statement);
  await db.close();
  expect(await runCommand('check', older, [])).toEqual({
    code: 0,
    stdout: '0 saved operations, 0 broken.\n',
    stderr: '',
  });
});

test('one process checks all after an upgrade, and logs a line for each account', async () => {
  const messages = async () => {
    const server = await startTestServer({ url: env.DATABASE_URL, background: true });
    const found = () => server.log.filter(({ msg }) => String(msg).startsWith('saved operations'));
    try {
      await expect
        .poll(async () => (await server.database.prisma.revision.findMany()).map(({ topic }) => topic))
        .toContain('operations');
      await server.shutDown();
      return found();
    } catch (error) {
      await server.stop();
      throw error;
    }
  };
  expect(await messages()).toMatchObject([
    { msg: 'saved operations checked', account: 'First', operations: 1 },
    {
      msg: 'saved operations are broken in this version',
      account: 'Second',
      broken: [{ name: 'broken', reason }],
    },
  ]);
  expect(await messages()).toEqual([]);
});

test('exports have saved operations, and imports create those that are missing and fit this version', async () => {
  for (const format of ['json', 'csv']) {
    const file = join(folder, `second.${format}`);
    await runCommand('export', env, ['--account', 'Second', '--format', format, '--file', file]);
    const account = ['--account', format, '--format', 'csv', '--file', file];
    await runCommand('accounts', env, ['create', '--account', format]);
    const { stdout } = await runCommand('import', env, account);
    expect(stdout).toContain(`"operations" cannot be saved: ${reason.replace(/\.$/, '')}`);
    const db = await Database.open(env.DATABASE_URL);
    const made = await db.prisma.savedOperation.findMany({
      where: { account: { name: format } },
      select: { name: true, document: true, description: true, isTool: true, hash: true },
      orderBy: { name: 'asc' },
    });
    const before = await db.prisma.savedOperation.findMany({
      where: { account: { name: 'Second' }, name: { not: 'broken' } },
      select: { name: true, document: true, description: true, isTool: true, hash: true },
      orderBy: { name: 'asc' },
    });
    await db.close();
    expect(made).toEqual(before);
    expect(made).toHaveLength(2);
    expect((await runCommand('import', env, account)).code).toBe(0);
  }
});
