import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseFilePath } from '../../src/engine/db/sqlite/file.ts';
import { HELD, keepOpen } from '../support/database.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const IN_ALL = 20_000;
const MAX = 10;
const never = new Promise<string[]>(() => {});

/** The ids of so many domains of an account whose name servers give no answer. */
function silent(server: TestServer, caller: Caller, name: string, count: number): Promise<string[]> {
  const hosts = Array.from({ length: count }, (_, index) => `${name}-${index}.example`);
  return Promise.all(
    hosts.map(async (host) => {
      server.dns.set(`_linkspace.${host}`, never);
      return String(await caller.domain(host));
    }),
  );
}

const verify = (id: string | undefined) =>
  `verifyDomain(id: "${id}") { __typename ... on ValidationError { fields { rule } } }`;
const create = (name: string) => `createSpace(input: { name: "${name}" }) { __typename }`;

describe('after its time, a mutation', () => {
  let server: TestServer;
  let owner: Caller;
  let id: number;
  let domain: string | undefined;
  beforeAll(async () => {
    const timeouts = { mutation: 400, nameServers: IN_ALL };
    server = await startTestServer({ timeouts, maxInFlight: MAX, verifiesDomains: true });
    owner = await server.caller();
    id = await owner.space('Space');
    [domain] = await silent(server, owner, 'slow', 1);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.database.prisma.space.deleteMany({ where: { id: { not: id } } });
  });

  const rename = (name: string) => `updateSpace(id: "${id}", input: { name: "${name}" }) { __typename }`;
  const names = async () => {
    const rows = await server.database.prisma.space.findMany({ orderBy: { id: 'asc' } });
    return rows.map(({ name }) => name);
  };

  /** Keeps writes of the space waiting during the work; on SQLite, all writes. */
  async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
    const { url, dialect } = server.database;
    if (dialect.runsInProcess) {
      const other = new Sqlite(parseFilePath(url));
      other.exec('BEGIN IMMEDIATE');
      return work().finally(() => other.close());
    }
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = server.database.transaction(async (tx) => {
      await keepOpen(tx.prisma);
      await tx.lockRow('Space', id);
      begun.resolve();
      await ended.promise;
    }, HELD);
    await begun.promise;
    return work().finally(() => {
      ended.resolve();
      return holding;
    });
  }

  /** Waits until the places of earlier requests are free: then their work has ended. */
  const ended = () =>
    expect
      .poll(async () => {
        const all = await Promise.all(Array.from({ length: MAX / 2 }, () => owner.rest('GET', '/pixels')));
        return all.map(({ status }) => status);
      })
      .not.toContain(503);

  const message = 'The operation takes too long: what it has not done yet is not done any more.';
  const tooSlow = { status: 503, data: null, errors: [{ message, extensions: { code: 'UNAVAILABLE' } }] };

  test('begins no further field, and keeps what was done', async () => {
    const answer = await owner.graphql(
      `mutation { a: ${create('A')} b: ${verify(domain)} c: ${create('C')} }`,
    );
    expect(answer).toMatchObject(tooSlow);
    expect(answer.headers.get('Retry-After')).toBe('1');
    await ended();
    expect(await names()).toEqual(['Space', 'A']);
  });

  test('rolls back what waits, on both APIs', async () => {
    const [changed, created, v1] = await whileLocked(() =>
      Promise.all([
        owner.graphql(`mutation { ${rename('A')} }`),
        server.database.dialect.runsInProcess ? owner.graphql(`mutation { ${create('B')} }`) : null,
        owner.rest('PATCH', `/spaces/${id}`, { name: 'C' }),
      ]),
    );
    expect(changed).toMatchObject(tooSlow);
    expect(created ?? tooSlow).toMatchObject(tooSlow);
    expect([v1.status, v1.headers.get('Retry-After'), v1.body]).toEqual([503, '1', { message, status: 503 }]);
    await ended();
    expect(await names()).toEqual(['Space']);
  });

  test('does and keeps nothing with an Idempotency-Key', async () => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'slow' };
    const send = async (query: string) => {
      const sent = await owner.fetch('/graphql', {
        method: 'POST',
        headers,
        body: JSON.stringify({ query }),
      });
      return {
        status: sent.status,
        replayed: sent.headers.get('Idempotency-Replayed'),
        ...Object(await sent.json()),
      };
    };
    const slow = `mutation { a: ${verify(domain)} b: ${create('B')} }`;
    expect(await send(slow)).toMatchObject(tooSlow);
    // SQLite has one writer, which would not begin.
    if (!server.database.dialect.runsInProcess)
      expect(await whileLocked(() => send(`mutation { a: ${create('A')} b: ${rename('B')} }`))).toMatchObject(
        tooSlow,
      );
    await ended();
    expect(await names()).toEqual(['Space']);
    const done = { status: 200, data: { createSpace: { __typename: 'Space' } } };
    expect(await send(`mutation { ${create('A')} }`)).toEqual({ ...done, replayed: null });
    expect(await send(`mutation { ${create('A')} }`)).toEqual({ ...done, replayed: 'true' });
  });
});

describe('name servers', () => {
  const TIME = 300;
  let server: TestServer;
  let owner: Caller;
  beforeAll(async () => {
    const timeouts = { mutation: IN_ALL, nameServers: TIME };
    server = await startTestServer({ timeouts, verifiesDomains: true });
    owner = await server.caller();
  });
  afterAll(() => server.stop());

  test('are waited for by an operation for a limited time in all', async () => {
    const ids = await silent(server, owner, 'all', 19);
    const before = server.asked.length;
    const fields = ids.map((id, index) => `v${index}: ${verify(id)}`);
    const answers = await owner.data<object>(`mutation { ${fields.join(' ')} }`);
    const unread = { __typename: 'ValidationError', fields: [{ rule: 'TXT_UNREAD' }] };
    expect(Object.values(answers)).toEqual(ids.map(() => unread));
    expect(server.asked.length - before).toBe(1);
  });

  test('are asked by an account for four at once, whose turns do not count as waiting', async () => {
    const caller = await server.caller('many');
    const stranger = await server.caller('stranger');
    const ids = await silent(server, caller, 'many', 9);
    const [other] = await silent(server, stranger, 'strange', 1);
    const before = server.asked.length;
    const answers = ids.map((id) => caller.data(`mutation { ${verify(id)} }`));
    await expect.poll(() => server.asked.length - before).toBe(4);
    const elsewhere = stranger.data(`mutation { ${verify(other)} }`);
    await Promise.race(answers);
    expect(server.asked.slice(before, before + 5)).toContain('_linkspace.strange-0.example');
    await Promise.all([...answers, elsewhere]);
    expect(server.asked.length - before).toBe(10);
  });
});
