import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { newDatabase } from '../support/database.ts';
import { type Program, startProgram } from '../support/process.ts';
import { Caller } from '../support/server.ts';
import { visit } from '../support/visit.ts';

/** Unique texts, which are found only if stored in plain text. */
const secrets = {
  key: 'secret-of-a-key-0123456789-0123456789',
  wrongKey: 'secret-of-a-wrong-key',
  password: 'secret-of-a-link',
  newPassword: 'secret-of-a-changed-link',
  wrongPassword: 'secret-of-a-wrong-guess',
  privacyPassword: 'secret-of-statistics',
  inFault: 'secret-in-a-fault',
  inQuery: 'secret-in-a-query-string',
} as const;

let url: string;
let database: Database;
let program: Program & { origin: string };
beforeAll(async () => {
  url = await newDatabase();
  database = await Database.open(url);
  program = await startProgram({
    DATABASE_URL: url,
    BASE_URL: 'https://s.example',
    INITIAL_API_KEY: secrets.key,
    LOG_LEVEL: 'trace',
  });
});
afterAll(() => database.close());

/** The whole content of the database: for SQLite the bytes of its files, for PostgreSQL the text of all rows. */
async function stored(): Promise<string> {
  if (inject('database').provider === 'sqlite') {
    const file = url.slice('file:'.length);
    const files = readdirSync(dirname(file)).map((name) => join(dirname(file), name));
    return files
      .filter((name) => name.startsWith(file))
      .map((name) => readFileSync(name, 'latin1'))
      .join();
  }
  const { prisma } = database;
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT tablename::text AS "name" FROM pg_tables WHERE schemaname = 'public'`;
  const rows = tables.map(({ name }) => prisma.$queryRawUnsafe(`SELECT "row"::text FROM "${name}" AS "row"`));
  return JSON.stringify(await Promise.all(rows));
}

test('no secret appears in the log or in the database', async () => {
  const owner = new Caller(program.origin, secrets.key);
  await new Caller(program.origin, secrets.wrongKey).rest('GET', `/links?password=${secrets.inQuery}`);
  const { id, alias } = await owner.link({
    title: 'to be found',
    password: secrets.password,
    privacy: 2,
    privacy_password: secrets.privacyPassword,
  });
  for (const password of [secrets.wrongPassword, secrets.password])
    await visit(program.origin, `/${alias}?password=${secrets.inQuery}`, { form: { password } });
  await owner.rest('PATCH', `/links/${id}`, { password: secrets.newPassword });
  await owner.graphql(
    `mutation { createLink(input: { url: "nowhere", password: "${secrets.password}" }) { __typename } }`,
  );

  const { prisma } = database;
  await prisma.$executeRaw`ALTER TABLE "LinkPixel" RENAME TO "Elsewhere"`;
  const fault = { url: 'https://example.com/', password: secrets.inFault, pixel_ids: await owner.pixel() };
  expect((await owner.rest('POST', '/links', fault)).status).toBe(500);
  await prisma.$executeRaw`ALTER TABLE "Elsewhere" RENAME TO "LinkPixel"`;

  const kept = await stored();
  expect(kept).toContain('to be found');
  expect(kept).toMatch(/\$scrypt\$ln=14,r=8,p=5\$[\w+/=]{24}\$[\w+/=]{44}/);
  const { stderr } = await program.end('SIGTERM');
  // The key is printed in the greeting of the first start, which is not part of the log.
  const log = JSON.stringify(program.log);
  expect(log).toContain('unexpected error');
  const told = Object.entries(secrets).filter(([, secret]) => `${kept}${log}${stderr}`.includes(secret));
  expect(told).toEqual([]);
});
