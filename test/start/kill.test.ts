import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { newDatabase } from '../support/database.ts';
import { type Program, startProgram } from '../support/process.ts';
import { Caller } from '../support/server.ts';
import { visit } from '../support/visit.ts';

/** `KILL_ROUNDS=20 npx vitest run test/start/kill.test.ts` for more rounds. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 1);
/** A client's errors after the server was killed. */
const GONE = /fetch failed|ECONNRE|socket hang up|terminated/;
const KEY = 'the-first-key-of-an-empty-database';

let url: string;
let database: Database;
let program: Program & { origin: string };
beforeEach(async () => {
  url = await newDatabase();
  database = await Database.open(url);
});
afterEach(async () => {
  await program.end('SIGKILL');
  await database.close();
});

/** The acknowledged state of a link, and the title that was in flight, which may be stored or not. */
interface Acknowledged {
  title: string;
  sent: string;
  pixels: number;
}

/** Creates and changes links, one after the other, until the program is killed. */
async function write(caller: Caller, pixel: number, done: Map<number, Acknowledged>): Promise<void> {
  for (;;) {
    const { id } = await caller.link({ title: 'made', pixel_ids: pixel });
    const link = { title: 'made', sent: 'made', pixels: 1 };
    done.set(id, link);
    for (let change = 0; change < 3; change++) {
      link.sent = `changed ${change}`;
      const { status } = await caller.rest('PATCH', `/links/${id}`, { title: link.sent });
      if (status !== 200) throw new Error(`a change was answered ${status}`);
      link.title = link.sent;
    }
  }
}

/** Visits a link with a click limit, whose clicks are written before the answer. */
async function click(origin: string, alias: string, clicked: { times: number }): Promise<void> {
  for (;;) {
    const { status } = await visit(origin, `/${alias}`);
    if (status === 302) clicked.times++;
  }
}

/** The results of the database's own integrity check. */
async function faults(): Promise<unknown> {
  const { prisma } = database;
  if (inject('database').provider === 'postgresql') {
    await prisma.$executeRaw`CREATE EXTENSION IF NOT EXISTS amcheck`;
    await prisma.$queryRaw`SELECT bt_index_check("indexrelid", true)::text FROM pg_index
      JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
      JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE amname = 'btree' AND nspname = 'public'`;
    return [];
  }
  return [
    ...(await prisma.$queryRaw<
      object[]
    >`SELECT * FROM pragma_integrity_check WHERE "integrity_check" <> 'ok'`),
    ...(await prisma.$queryRaw<object[]>`SELECT * FROM pragma_foreign_key_check`),
  ];
}

test('acknowledged writes survive SIGKILL, and the database is consistent', async () => {
  const done = new Map<number, Acknowledged>();
  const clicked = { times: 0 };
  let capped: { id: number; alias: string } | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    program = await startProgram({ DATABASE_URL: url, BASE_URL: 'https://s.example', INITIAL_API_KEY: KEY });
    const caller = new Caller(program.origin, KEY);
    capped ??= await caller.link({ expiration_clicks: 1_000_000 });
    const pixel = await caller.pixel(`Pixel ${round}`);
    const before = done.size;
    const writers = Array.from({ length: 6 }, () => write(caller, pixel, done));
    const work = Promise.allSettled([...writers, click(program.origin, capped.alias, clicked)]);
    await expect.poll(() => done.size).toBeGreaterThan(before + 10);
    await setTimeout((round * 37) % 200);
    await program.end('SIGKILL');
    for (const outcome of await work)
      expect(String(outcome.status === 'rejected' && outcome.reason)).toMatch(GONE);
  }
  const { prisma } = database;
  const links = await prisma.link.findMany({ include: { pixels: true, counter: true } });
  const kept = new Map(links.map((link) => [link.id, link]));
  const lost = [...done].filter(([id, { title, sent, pixels }]) => {
    const link = kept.get(id);
    return !link || ![title, sent].includes(link.title ?? '') || link.pixels.length !== pixels;
  });
  expect(lost).toEqual([]);
  expect(links.filter(({ id, pixels }) => id !== capped?.id && pixels.length !== 1)).toEqual([]);
  expect(kept.get(capped?.id ?? 0)?.counter?.clicks).toBeGreaterThanOrEqual(clicked.times);
  expect((await prisma.accountTally.aggregate({ _sum: { links: true } }))._sum.links).toBe(links.length);
  expect(await faults()).toEqual([]);
});

/** Changes, deletes and restores links and their spaces, alone and together, until the program is killed. */
async function change(caller: Caller, acknowledged: Set<string>): Promise<void> {
  const send = async (mutation: string): Promise<string[]> => {
    const response = await caller.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: `mutation { ${mutation} }`, extensions: { changes: true } }),
    });
    const { errors, extensions } = Object(await response.json());
    if (errors) throw new Error(JSON.stringify(errors));
    for (const id of extensions.changes) acknowledged.add(id);
    return extensions.changes;
  };
  for (let round = 0; ; round++) {
    const space = await caller.space('Space');
    const ids = [await caller.link({ space_id: space }), await caller.link({ space_id: space })].map(
      ({ id }) => id,
    );
    const inputs = (title: string) =>
      ids.map((id) => `{ id: ${id}, input: { title: "${title} ${round}", disabled: true } }`);
    await send(`updateLinks(inputs: [${inputs('together')}]) { __typename }`);
    await send(`updateLink(id: ${ids[0]}, input: { title: "alone ${round}" }) { __typename }`);
    const emptied = await send(`deleteSpace(id: ${space}) { __typename }`);
    await send(`revertChange(id: ${emptied.at(-1)}) { __typename }`);
    const deleted = await send(`deleteLinks(ids: [${ids}]) { __typename }`);
    await send(`revertChange(id: ${deleted[0]}) { __typename }`);
  }
}

test('a change is in the database with its values and the record as it says, or not at all, after SIGKILL', async () => {
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    program = await startProgram({ DATABASE_URL: url, BASE_URL: 'https://s.example', INITIAL_API_KEY: KEY });
    const caller = new Caller(program.origin, KEY);
    const before = acknowledged.size;
    const work = Promise.allSettled(Array.from({ length: 6 }, () => change(caller, acknowledged)));
    await expect.poll(() => acknowledged.size, { interval: 5 }).toBeGreaterThan(before + 150);
    await program.end('SIGKILL');
    for (const outcome of await work)
      expect(String(outcome.status === 'rejected' && outcome.reason)).toMatch(GONE);
  }
  const { prisma } = database;
  const kept = await prisma.changeValues.findMany({ select: { id: true, values: true } });
  const values = new Map(kept.map((one) => [one.id, one.values]));
  const changes = await prisma.change.findMany({
    where: { kind: { in: ['LINK', 'SPACE'] } },
    orderBy: { id: 'asc' },
  });
  expect(changes.filter(({ id, action }) => values.has(id) !== (action !== 'CREATED'))).toEqual([]);
  const known = new Set(changes.map(({ id }) => id));
  expect(kept.filter(({ id }) => !known.has(id))).toEqual([]);
  expect([...acknowledged].filter((id) => !known.has(Number(id)))).toEqual([]);
  // The newest change of each record says what it is.
  const links = new Map((await prisma.link.findMany()).map((link) => [link.id, link]));
  const spaces = new Set((await prisma.space.findMany()).map(({ id }) => id));
  const last = new Map(changes.map((one) => [`${one.kind} ${one.recordId}`, one]));
  const wrong = [...last.values()].filter(({ kind, recordId, action }) => {
    const isThere = kind === 'LINK' ? links.has(recordId) : spaces.has(recordId);
    return isThere !== (action !== 'DELETED');
  });
  expect(wrong).toEqual([]);
  const titles = new Map<number, unknown>();
  for (const { id, kind, recordId, action } of changes)
    if (kind === 'LINK' && action === 'UPDATED')
      for (const [name, , after] of JSON.parse(values.get(id) ?? '[]'))
        if (name === 'title') titles.set(recordId, JSON.parse(after));
  expect([...links.values()].filter(({ id, title }) => (titles.get(id) ?? null) !== title)).toEqual([]);
  expect(await faults()).toEqual([]);
});
