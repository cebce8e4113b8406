import { expect, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { Notifications } from '../../src/engine/db/postgresql/notifications.ts';
import { newDatabase } from '../support/database.ts';

test('a listener that failed reconnects, over one connection only', async () => {
  const url = await newDatabase();
  const database = await Database.open(url);
  const payloads: string[] = [];
  let attempts = 0;
  const notifications = new Notifications(database, 'some_channel', {
    onNotification: (payload) => payloads.push(payload),
    onListening: async () => {
      if (++attempts < 3) throw new Error('not yet');
    },
  });
  notifications.start();
  await expect.poll(() => notifications.works).toBe(true);
  const connections = () => database.prisma.$queryRaw<object[]>`
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE ${'%pg_notify%'} AND pid <> pg_backend_pid()`;
  await expect.poll(connections).toHaveLength(1);
  await notifications.notify('once');
  await expect.poll(() => payloads).toEqual(['once']);
  await notifications.stop();
  await database.close();
});
