import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { isUnavailable } from '../../../src/engine/db/errors.ts';
import { sql } from '../../../src/engine/db/sql.ts';
import { signedIn } from '../../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../../support/server.ts';
import { visit } from '../../support/visit.ts';

describe.runIf(inject('database').provider === 'sqlite')('a SQLite file that the process has lost', () => {
  let server: TestServer;
  let owner: Caller;
  beforeAll(async () => {
    server = await startTestServer();
    owner = await server.caller();
  });
  afterAll(() => server.stop());

  const create = (name: string) =>
    `mutation { createSpace(input: { name: "${name}" }) { ... on Space { name } ... on Error { message } } }`;
  const keyed = (name: string) =>
    owner.fetch('/api/v1/spaces', {
      method: 'POST',
      body: new URLSearchParams({ name }),
      headers: { 'Idempotency-Key': name },
    });

  test.each([
    ['is moved', '', false],
    ['is replaced by a copy', '', true],
    ['has lost its log', '-wal', false],
    ['has another log', '-wal', true],
  ])('is not written to: it %s', async (what, suffix, isReplaced) => {
    const path = `${server.databaseUrl.slice('file:'.length)}${suffix}`;
    const { alias, id } = await owner.link();
    const limited = await owner.link({ expiration_clicks: 5 });
    const person = await signedIn(server, 1, 'OWNER');
    await server.flush();
    renameSync(path, `${path}-away`);
    if (isReplaced) copyFileSync(`${path}-away`, path);

    const { status, headers, body } = await owner.rest('POST', '/spaces', { name: `First, ${what}` });
    expect([status, headers.get('Retry-After'), body]).toEqual([
      503,
      '1',
      { message: 'The database is not available. Try again shortly.', status: 503 },
    ]);
    const { errors } = await owner.graphql(create(`Second, ${what}`));
    expect(errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
    expect((await keyed(`Third, ${what}`)).status).toBe(503);
    expect((await owner.rest('PATCH', `/links/${id}`, { title: 'Changed' })).status).toBe(503);
    expect((await owner.rest('DELETE', `/links/${id}`)).status).toBe(503);
    expect((await person.auth('sign-out', {})).status).toBe(503);
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(503);
    expect((await visit(server.origin, `/${limited.alias}`)).status).toBe(503);
    expect((await visit(server.origin, `/${alias}`)).status).toBe(302);
    await server.flush();
    expect(server.log.at(-1)?.msg).toBe('clicks cannot be written');
    expect(server.log.map(({ err }) => (err as Error | undefined)?.message).join()).toContain(
      `${path} ${isReplaced ? 'is another file than at the start' : 'was removed or moved'}: restart the service`,
    );

    // Back in its place, it is written to again, and only the first write may be in it.
    renameSync(`${path}-away`, path);
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    expect((await owner.rest('POST', '/spaces', { name: `Last, ${what}` })).status).toBe(201);
    await server.flush();
    const link = await server.database.prisma.linkCounter.findUniqueOrThrow({ where: { linkId: id } });
    expect(link.clicks).toBe(1);
    const spaces = await server.database.prisma.space.findMany({ where: { name: { endsWith: what } } });
    expect(spaces.map(({ name }) => name).filter((name) => /^(Second|Third)/.test(name))).toEqual([]);
  });

  test('also by a first write without a transaction, and by the thread that counts visits', async () => {
    const { alias, id } = await owner.link();
    const path = server.databaseUrl.slice('file:'.length);
    const { prisma } = server.database;
    const lost = (name: string) => ({ data: { name, createdAt: server.clock.now } });
    const writes = {
      statement: () => prisma.$executeRaw`UPDATE "Account" SET "name" = "name"`,
      create: () => prisma.account.create(lost('One')),
      insert: () =>
        server.database.read(
          sql`INSERT INTO "RetentionClock" ("name", "at") VALUES ('x', 0) RETURNING "name"`,
        ),
      transaction: () => server.database.transaction((tx) => tx.prisma.account.create(lost('Two'))),
    };
    for (const [name, write] of Object.entries(writes)) {
      renameSync(path, `${path}-away`);
      const written = write();
      await expect(written).rejects.toThrow('restart the service');
      expect(isUnavailable(await written.catch((error: unknown) => error))).toBe(true);
      renameSync(`${path}-away`, path);
      await owner.space(name);
    }
    await visit(server.origin, `/${alias}`);
    renameSync(path, `${path}-away`);
    await server.flush();
    renameSync(`${path}-away`, path);
    await server.flush();
    const { clicks } = await prisma.linkCounter.findUniqueOrThrow({ where: { linkId: id } });
    expect(clicks).toBe(1);
  });

  test('no new thread reads another file', async () => {
    const other = await startTestServer();
    const path = other.databaseUrl.slice('file:'.length);
    renameSync(path, `${path}-away`);
    await expect(other.database.long.read(sql`SELECT 1`)).rejects.toThrow('restart the service');
    expect(existsSync(path)).toBe(false);
    rmSync(`${path}-away`);
    await other.stop();
  });
});
