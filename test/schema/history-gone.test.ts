import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { backups } from '../../src/db/backups.ts';
import { recordingChanges } from '../../src/domain/change/change.ts';
import { changeRetention } from '../../src/engine/changes/log.ts';
import { newDatabase, settled } from '../support/database.ts';
import { type Events, subscribe } from '../support/events.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

const DAY = 86_400_000;

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  owner = await server.caller(`account ${Math.random()}`);
});

interface Page {
  readonly changes: {
    readonly edges: {
      readonly cursor: string;
      readonly node: { readonly cursor: string; readonly recordId: string };
    }[];
  };
}

const PAGE = `query ($after: String, $order: ChangeOrder) {
  changes(first: 100, after: $after, orderBy: $order) { edges { cursor node { cursor recordId } } }
}`;

const ask = (after: string | null, caller = owner, order?: object) =>
  caller.graphql(PAGE, { after, ...(order && { order }) });

/** The code of the error of a query that goes on from a cursor; the ids of the records that were changed if there is none. */
async function readFrom(after: string | null, caller = owner, order?: object): Promise<unknown> {
  const { data, errors } = await ask(after, caller, order);
  if (errors) return errors.map(({ extensions }) => extensions.code).join();
  return (data as Page).changes.edges.map(({ node }) => Number(node.recordId));
}

let today = 0;

/** Makes a space on each of the next days. Returns the first day, and the ids of the spaces with the cursors of their changes. */
async function makeSpaces(days: number, at: TestServer = server, caller = owner) {
  const ids: number[] = [];
  const from = today;
  for (; today < from + days; today++) {
    at.clock.now = new Date(NOON.getTime() + today * DAY);
    ids.push(await caller.space(`Space ${today}`));
  }
  await settled(at.database);
  const { changes } = await caller.data<Page>(PAGE);
  return { from, ids, cursors: changes.edges.map(({ cursor }) => cursor) };
}

/** Deletes all changes from before a day, as the service does each hour. */
async function deleteBefore(day: number, at: TestServer = server): Promise<void> {
  const now = new Date(NOON.getTime() + (day + 1) * DAY);
  await changeRetention(at.database, 1, () => now, pino({ level: 'silent' })).deleteOld();
}

const QUERY = 'subscription ($after: String) { changes(after: $after) { cursor recordId } }';
interface Told {
  readonly data: { readonly changes: { readonly cursor: string; readonly recordId: string } } | null;
  readonly errors?: { readonly message: string; readonly extensions: Record<string, unknown> }[];
}
const listen = (after: unknown, caller = owner) => subscribe<Told>(caller, QUERY, { after });
const told = ({ seen }: Events<Told>) => seen.map(({ data }) => Number(data?.changes.recordId));

/** The error of a subscription from a cursor on, or the records of its first events. */
async function followFrom(after: string, count = 1, caller = owner): Promise<unknown> {
  const events = await listen(after, caller);
  await expect.poll(() => events.seen.length).toBeGreaterThanOrEqual(count);
  events.close();
  const [first] = events.seen;
  return first?.errors?.[0]?.extensions.code ?? told(events);
}

describe('after old changes are deleted', () => {
  test('a reader goes on from the last deleted change, and no earlier one', async () => {
    const { from, ids, cursors } = await makeSpaces(4);
    const [first = '', second = '', third = ''] = cursors;
    await deleteBefore(from + 2);
    expect(await readFrom(null)).toEqual(ids.slice(2));
    expect(await readFrom(first)).toBe('HISTORY_GONE');
    expect(await followFrom(first)).toBe('HISTORY_GONE');
    expect(await readFrom(second)).toEqual(ids.slice(2));
    expect(await followFrom(second, 2)).toEqual(ids.slice(2));
    expect(await readFrom(third)).toEqual(ids.slice(3));
    expect(await followFrom(third)).toEqual(ids.slice(3));
  });

  test('every process knows it, also one that starts later', async () => {
    const { from, ids, cursors } = await makeSpaces(3);
    const [first = '', second = ''] = cursors;
    await deleteBefore(from + 2);
    const later = await startTestServer({ url: server.databaseUrl, background: true });
    onTestFinished(() => later.stop());
    const caller = later.callerWith(owner.key);
    expect(await readFrom(first, caller)).toBe('HISTORY_GONE');
    expect(await readFrom(second, caller)).toEqual(ids.slice(2));
    expect(await followFrom(first, 1, caller)).toBe('HISTORY_GONE');
  });

  test('a list from the newest change on ends where they are deleted', async () => {
    const { from, ids, cursors } = await makeSpaces(4);
    await deleteBefore(from + 2);
    const newestFirst = { direction: 'DESC' };
    expect(await readFrom(cursors[3] ?? '', owner, newestFirst)).toEqual([ids[2]]);
    expect(await readFrom(cursors[0] ?? '', owner, newestFirst)).toEqual([]);
  });

  test('the message says what to do', async () => {
    const { from, cursors } = await makeSpaces(2);
    await deleteBefore(from + 2);
    const message =
      'The log does not have all changes after this cursor any more. Read everything again, and go on with a new cursor.';
    const { status, errors } = await ask(cursors[0] ?? '');
    expect([status, errors]).toMatchObject([200, [{ message, path: ['changes'] }]]);
    const events = await listen(cursors[0]);
    await events.ended;
    expect(events.seen).toMatchObject([{ errors: [{ message, extensions: { code: 'HISTORY_GONE' } }] }]);
  });
});

describe('a cursor that the log did not give is gone', () => {
  test('that of another database', async () => {
    const other = await startTestServer({ url: await newDatabase() });
    onTestFinished(() => other.stop());
    const stranger = await other.caller();
    const { cursors } = await makeSpaces(60, other, stranger);
    await makeSpaces(1);
    for (const cursor of cursors.slice(-2)) {
      expect(await readFrom(cursor)).toBe('HISTORY_GONE');
      expect(await followFrom(cursor)).toBe('HISTORY_GONE');
    }
  });

  test('that of another account', async () => {
    const stranger = await server.caller('stranger');
    await makeSpaces(1);
    const { cursors } = await makeSpaces(1, server, stranger);
    expect(await readFrom(cursors[0] ?? '')).toBe('HISTORY_GONE');
    expect(await followFrom(cursors[0] ?? '')).toBe('HISTORY_GONE');
  });

  test.each([
    ['an epoch that has not begun', [2 ** 42, 1]],
    ['a change that is not made yet', [0, 2_000_000_000]],
    ['a position before all changes', [-1, 0]],
  ])('%s', async (_what, position) => {
    await makeSpaces(1);
    const cursor = Buffer.from(JSON.stringify(['Change', 'tx', ...position])).toString('base64url');
    expect(await readFrom(cursor)).toBe('HISTORY_GONE');
    expect(await followFrom(cursor)).toBe('HISTORY_GONE');
  });

  test.runIf(inject('database').provider === 'sqlite')(
    'one from after the backup that is restored, also once the log is as long again',
    async () => {
      const url = await newDatabase();
      const copy = await newDatabase({ migrated: false });
      const before = await startTestServer({ url });
      const caller = await before.caller();
      const { cursors: kept } = await makeSpaces(1, before, caller);
      backups.backUp(url, copy.slice('file:'.length));
      const { cursors: lost } = await makeSpaces(1, before, caller);
      await before.stop();
      await applyMigrations(copy);
      const restored = await startTestServer({ url: copy, background: true });
      onTestFinished(() => restored.stop());
      const again = restored.callerWith(caller.key);
      const id = await again.space('Made again');
      expect(await readFrom(lost.at(-1) ?? '', again)).toBe('HISTORY_GONE');
      expect(await followFrom(lost.at(-1) ?? '', 1, again)).toBe('HISTORY_GONE');
      expect(await readFrom(kept[0] ?? '', again)).toEqual([id]);
      expect(await followFrom(kept[0] ?? '', 1, again)).toEqual([id]);
    },
  );
});

describe.runIf(inject('database').provider === 'sqlite')('on SQLite', () => {
  /** A server on a database, which stops with the test. */
  async function serve(url: string): Promise<TestServer> {
    const own = await startTestServer({ url, background: true });
    onTestFinished(() => own.stop());
    return own;
  }

  test('a new database takes no cursor of another one with the same changes', async () => {
    const own = await serve(await newDatabase());
    const another = await serve(await newDatabase());
    const caller = await own.caller();
    const { cursors } = await makeSpaces(2, own, caller);
    const same = await another.caller();
    const { cursors: others } = await makeSpaces(2, another, same);
    expect(await readFrom(others[1] ?? '', same)).toEqual([]);
    expect(await readFrom(cursors[1] ?? '', same)).toBe('HISTORY_GONE');
    expect(await followFrom(cursors[1] ?? '', 1, same)).toBe('HISTORY_GONE');
  });

  test('two restores of a backup take no cursor of each other', async () => {
    const url = await newDatabase();
    const copies = [await newDatabase({ migrated: false }), await newDatabase({ migrated: false })];
    const before = await startTestServer({ url });
    const caller = await before.caller();
    const { cursors: kept } = await makeSpaces(1, before, caller);
    for (const copy of copies) backups.backUp(url, copy.slice('file:'.length));
    await before.stop();
    const restored = [];
    for (const copy of copies) {
      await applyMigrations(copy);
      const own = await serve(copy);
      const again = own.callerWith(caller.key);
      const { cursors, ids } = await makeSpaces(2, own, again);
      expect(await readFrom(kept[0] ?? '', again)).toEqual(ids);
      restored.push({ again, cursors });
    }
    const [one, other] = restored;
    expect(await readFrom(one?.cursors[1] ?? '', other?.again)).toBe('HISTORY_GONE');
    expect(await readFrom(other?.cursors[1] ?? '', one?.again)).toBe('HISTORY_GONE');
  });

  test('a database of an earlier version keeps its cursors, also after a restart', async () => {
    const url = await newDatabase();
    const before = await startTestServer({ url });
    await before.database.prisma.revision.deleteMany({ where: { topic: 'timeline' } });
    const caller = await before.caller();
    const { cursors: kept } = await makeSpaces(1, before, caller);
    await before.stop();
    const own = await serve(url);
    const again = own.callerWith(caller.key);
    const { cursors, ids } = await makeSpaces(2, own, again);
    expect(await readFrom(kept[0] ?? '', again)).toEqual(ids);
    expect(await readFrom(cursors[1] ?? '', again)).toEqual(ids.slice(1));
    expect(await own.database.prisma.revision.count({ where: { topic: 'timeline' } })).toBe(0);
  });
});

test.each(['', 'x', Buffer.from('["Link","id",1,1]').toString('base64url'), 'x'.repeat(20_000)])(
  'refuses what is no cursor of changes as a wrong field: %#',
  async (after) => {
    const wrong = {
      code: 'VALIDATION',
      fields: [{ path: ['after'], messages: ['must be a cursor that this list gave, in the same order'] }],
    };
    const { errors } = await ask(after);
    expect(errors?.[0]?.extensions).toMatchObject(wrong);
    const events = await listen(after);
    await events.ended;
    expect(events.seen).toMatchObject([{ errors: [{ extensions: wrong }] }]);
  },
);

describe('a subscription from a cursor on', () => {
  test('has all changes after it once and in order: those of the log, and those of two processes that write meanwhile', async () => {
    const other = await startTestServer({ url: server.databaseUrl, background: true });
    onTestFinished(() => other.stop());
    const { cursors } = await makeSpaces(1);
    const db = server.database;
    const { id: keyId, accountId } = await db.prisma.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const old = Array.from({ length: 700 }, (_, index) => index + 1);
    await recordingChanges(db, { keyId, accountId }, NOON, ({ record }) => record('UPDATED', 'LINK', old));
    await settled(db);
    const all = [await listen(cursors[0]), await listen(cursors[0], other.callerWith(owner.key))];
    const writers = [server, other].map(async (at) => {
      const made: number[] = [];
      for (let i = 0; i < 10; i++) made.push(await at.callerWith(owner.key).space(`Space ${i}`));
      return made;
    });
    const made = (await Promise.all(writers)).flat();
    for (const events of all) {
      await expect.poll(() => events.seen.length).toBe(old.length + made.length);
      expect(told(events).slice(0, old.length)).toEqual(old);
      expect(told(events).slice(old.length).sort()).toEqual(made.sort());
      const cursorsSeen = events.seen.map(({ data }) => data?.changes.cursor);
      const listed: unknown[] = [];
      for (let after: string | undefined = cursors[0]; after !== undefined; ) {
        const { changes }: Page = await owner.data<Page>(PAGE, { after });
        listed.push(...changes.edges.map(({ node }) => node.cursor));
        after = changes.edges.at(-1)?.cursor;
      }
      expect(cursorsSeen).toEqual(listed);
      events.close();
    }
  });

  test('goes on from the cursor of its last event', async () => {
    const { ids, cursors } = await makeSpaces(5);
    const events = await listen(cursors[0]);
    await expect.poll(() => told(events)).toEqual(ids.slice(1));
    events.close();
    const next = events.seen[1]?.data?.changes.cursor;
    expect(next).toBe(cursors[2]);
    expect(await followFrom(next ?? '', 2)).toEqual(ids.slice(3));
  });

  test('applies its filter to the log, too', async () => {
    const { ids, cursors } = await makeSpaces(1);
    const tag = await owner.tag('A tag');
    await owner.space('Another space');
    await settled(server.database);
    const query =
      'subscription ($after: String) { changes(after: $after, filter: { kind: TAG }) { recordId } }';
    const events = await subscribe<Told>(owner, query, { after: cursors[0] });
    const next = await owner.tag('Another tag');
    await expect.poll(() => told(events)).toEqual([tag, next]);
    expect(ids).toHaveLength(1);
    events.close();
  });
});
