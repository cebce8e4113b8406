import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOldReceipts } from '../../src/clicks/visit-writer.ts';
import { addClicks } from '../support/clicks.ts';
import { NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let id: number;
beforeAll(async () => {
  server = await startTestServer();
  id = (await (await server.caller()).link()).id;
});
afterAll(() => server.stop());

const clicks = async () =>
  (await server.database.prisma.linkCounter.findUniqueOrThrow({ where: { linkId: id } })).clicks;

test('a write of clicks that is repeated after a lost answer counts once', async () => {
  const db = server.database;
  const processId = crypto.randomUUID();
  const send = (number: number, count: number) =>
    addClicks(db, new Map([[id, { count, last: NOON }]]), { processId, number });
  await Promise.all([send(1, 5), send(1, 5), send(1, 5)]);
  expect(await clicks()).toBe(5);
  await send(2, 1);
  await send(1, 5);
  expect(await clicks()).toBe(6);
  await addClicks(db, new Map([[id, { count: 1, last: NOON }]]), {
    processId: crypto.randomUUID(),
    number: 1,
  });
  expect(await clicks()).toBe(7);
  await db.prisma
    .$executeRaw`UPDATE "ClickReceipt" SET "at" = now() - interval '8 days' WHERE "processId" = ${processId}::uuid`;
  await deleteOldReceipts(db);
  expect(await db.prisma.$queryRaw`SELECT COUNT(*)::int AS "left" FROM "ClickReceipt"`).toEqual([
    { left: 1 },
  ]);
});

test('values that exist already use up no ids', async () => {
  const db = server.database;
  const { alias } = await db.prisma.link.findUniqueOrThrow({ where: { id } });
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
