import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let link: RestLink;
beforeAll(async () => {
  server = await startTestServer();
  link = await (await server.caller()).link();
});
afterAll(() => server.stop());

test('values that exist already use up no ids', async () => {
  const db = server.database;
  const { alias } = link;
  const lastId = () => db.prisma.$queryRaw`SELECT "last_value"::int AS "last" FROM "VisitValue_id_seq"`;
  await visit(server.origin, `/${alias}`);
  await server.flush();
  const before = await lastId();
  // A process that has just started does not know them.
  const other = await startTestServer({ url: server.databaseUrl });
  await visit(other.origin, `/${alias}`);
  await other.flush();
  await other.stop();
  expect(await lastId()).toEqual(before);
});
