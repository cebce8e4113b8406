import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { ClickBuffer } from '../../src/clicks/click-buffer.ts';
import { deleteOldReceipts } from '../../src/clicks/visit-writer.ts';
import { dateText } from '../../src/engine/db/driver.ts';
import { sql } from '../../src/engine/db/sql.ts';
import { addClicks, clickOn } from '../support/clicks.ts';
import { NOON, startTestServer, type TestServer } from '../support/server.ts';

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
  const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  await db.execute(sql`UPDATE "ClickReceipt" SET "at" = ${dateText(old)} WHERE "processId" = ${processId}`);
  await deleteOldReceipts(db);
  expect(await db.read(sql`SELECT "number" FROM "ClickReceipt"`)).toEqual([{ number: 1 }]);
});

// A thread of its own writes there.
test.runIf(inject('database').provider === 'sqlite')(
  'clicks count once if the thread that writes them ends before it answers',
  async () => {
    const db = server.database;
    const before = await clicks();
    const write = db.writeOnThread;
    let lost = 0;
    vi.spyOn(db, 'writeOnThread', 'get').mockReturnValue(async (module, question) => {
      const answer = await write?.(module, question);
      if (lost++ === 0) throw new Error('the thread has ended');
      return answer;
    });
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const buffer = new ClickBuffer(db, pino({ level: 'silent' }));
    buffer.add(clickOn(id, NOON));
    await buffer.flush();
    expect([await clicks(), buffer.unwritten]).toEqual([before + 1, 1]);
    buffer.add(clickOn(id, NOON));
    await buffer.stop();
    expect([await clicks(), lost]).toEqual([before + 2, 3]);
  },
);
