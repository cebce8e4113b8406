import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { newDatabase } from '../support/database.ts';
import { Caller } from '../support/server.ts';
import { type StartedService, startService } from '../support/service.ts';

const KEY = 'the-first-key-of-an-empty-database';

let service: StartedService;
let caller: Caller;
let elsewhere: Database;
beforeAll(async () => {
  const url = await newDatabase({ migrated: false });
  service = await startService({
    DATABASE_URL: url,
    BASE_URL: 'https://s.example',
    INITIAL_API_KEY: KEY,
    DATABASE_POOL_SIZE: '1',
  });
  caller = new Caller(service.origin, KEY);
  elsewhere = await Database.open(url);
});
afterAll(async () => {
  await elsewhere.close();
  await service.stop();
});

/** Reads lists and records in every way, with different queries each time. */
async function readAll(round: number): Promise<void> {
  const { status } = await caller.rest('GET', `/links?round=${round}`);
  expect(status).toBe(200);
  await caller.data(
    `query Round${round} {
      links(first: 5) { totalCount edges { node { title domain { name } space { name } pixels { name } } } }
      spaces(first: 5) { edges { node { name } } }
      byTitle: links(first: 5, orderBy: { field: TITLE }) { edges { node { title } } }
    }`,
  );
}

test('continues with prepared statements while a newer version adds columns', async () => {
  const space = await caller.space('Space');
  await caller.link({ space_id: space, pixel_ids: await caller.pixel('Pixel') });
  for (let round = 0; round < 10; round++) await readAll(round);
  for (const table of ['Link', 'Space', 'Pixel', 'Domain', 'Account'])
    await elsewhere.prisma.$executeRawUnsafe(`ALTER TABLE "${table}" ADD COLUMN "later" integer`);
  for (let round = 10; round < 13; round++) await readAll(round);
});

test('recovers after at most one failure when the type of a column changes, with and without a key', async () => {
  const { id } = await caller.link();
  const keyed = () =>
    caller.fetch('/api/v1/links', {
      method: 'POST',
      headers: { 'Idempotency-Key': randomUUID() },
      body: new URLSearchParams({ url: 'https://a.example/' }),
    });
  const writeAll = async (title: string) => {
    await caller.link({ title });
    expect((await caller.rest('PATCH', `/links/${id}`, { title })).status).toBe(200);
  };
  for (let round = 20; round < 30; round++) {
    await readAll(round);
    await writeAll(`Round ${round}`);
    expect((await keyed()).status).toBe(201);
  }
  await elsewhere.prisma.$executeRawUnsafe('ALTER TABLE "Link" ALTER COLUMN "title" TYPE varchar(5000)');
  await keyed();
  expect((await keyed()).status).toBe(201);
  await elsewhere.prisma.$executeRawUnsafe('ALTER TABLE "Link" ALTER COLUMN "title" TYPE varchar(4000)');
  await readAll(30);
  await elsewhere.prisma.$executeRawUnsafe('ALTER TABLE "Link" ALTER COLUMN "title" TYPE varchar(3000)');
  await writeAll('Afterwards');
});
