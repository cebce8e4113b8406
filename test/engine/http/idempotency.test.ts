import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Data, Database } from '../../../src/db/database.ts';
import { actorFor, generateToken, hashToken } from '../../../src/domain/access/actor.ts';
import { makeKeyCaller } from '../../../src/domain/access/key-caller.ts';
import { createSpace } from '../../../src/domain/space.ts';
import { answerRetention, deleteOldAnswers } from '../../../src/engine/db/idempotency-answers.ts';
import { KeyedWrite } from '../../../src/engine/db/idempotent-write.ts';
import { SHOWN_ONCE } from '../../../src/engine/db/left-out.ts';
import type { AgeRetention } from '../../../src/engine/db/retention.ts';
import { raw, sql } from '../../../src/engine/db/sql.ts';
import type { Writer } from '../../../src/engine/rules/caller.ts';
import { enclose, newDatabase } from '../../support/database.ts';
import { subscribe } from '../../support/events.ts';
import { signedIn } from '../../support/person.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../../support/server.ts';
import { visit } from '../../support/visit.ts';

const isSqlite = inject('database').provider === 'sqlite';

let server: TestServer;
/** A second server, which is another process for the database. */
let other: TestServer;
let owner: Caller;
let keys = 0;
/** @param hours after noon */
const noonPlus = (hours: number) => new Date(NOON.getTime() + hours * 3_600_000);
let key: string;
beforeAll(async () => {
  const url = await newDatabase();
  server = await startTestServer({ url });
  other = await startTestServer({ url });
  owner = await server.caller();
});
afterAll(async () => {
  await server.stop();
  await other.stop();
});
beforeEach(() => {
  key = `key ${keys++}`;
  server.clock.now = NOON;
});

interface Sent {
  status: number;
  text: string;
  replayed: string | null;
  type: string | null;
  headers: Headers;
}

async function send(caller: Caller, path: string, init: RequestInit, withKey: string | null): Promise<Sent> {
  const headers = { ...init.headers, ...(withKey !== null && { 'Idempotency-Key': withKey }) };
  const response = await caller.fetch(path, { ...init, headers });
  const { status, headers: got } = response;
  return {
    status,
    text: await response.text(),
    replayed: got.get('Idempotency-Replayed'),
    type: got.get('Content-Type'),
    headers: got,
  };
}

const v1 = (
  method: string,
  path: string,
  form: Record<string, string> | null,
  withKey: string | null = key,
  caller = owner,
) => send(caller, `/api/v1${path}`, { method, ...(form && { body: new URLSearchParams(form) }) }, withKey);

const graphql = (
  query: string,
  variables: object = {},
  withKey: string | null = key,
  caller = owner,
  accept = '*/*',
) =>
  send(
    caller,
    '/graphql',
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: accept },
      body: JSON.stringify({ query, variables }),
    },
    withKey,
  );

const CREATE = `mutation ($name: String!) {
  createSpace(input: { name: $name }) { __typename ... on Space { id name } ... on ValidationError { message } }
}`;

async function spacesNamed(name: string, caller = owner): Promise<number> {
  const { spacePage } = await caller.data<{ spacePage: { total: number } }>(
    'query ($name: String!) { spacePage(filter: { search: $name }) { total } }',
    { name },
  );
  return spacePage.total;
}

/** One write over each API. */
const writes = {
  v1: (name: string, withKey?: string | null, caller?: Caller) =>
    v1('POST', '/spaces', { name }, withKey, caller),
  GraphQL: (name: string, withKey?: string | null, caller?: Caller) =>
    graphql(CREATE, { name }, withKey, caller),
};
const surfaces = Object.keys(writes) as (keyof typeof writes)[];

/** A new key of the owner's account: with a role, or with all scopes. */
async function keyAs(role: string | null): Promise<Caller> {
  if (role === null) return server.caller('owner', ['read', 'write']);
  const { prisma } = server.database;
  const { id: accountId } = await prisma.account.findFirstOrThrow({ where: { name: 'owner' } });
  const { memberId: makerId } = await signedIn(server, accountId, 'OWNER');
  const token = generateToken();
  const stored = { accountId, makerId, role, name: role, hash: hashToken(token), prefix: token.slice(0, 8) };
  await prisma.apiKey.create({ data: { ...stored, scopes: '', createdAt: NOON } });
  return server.callerWith(token);
}

describe.each(surfaces)('Idempotency-Key over %s', (surface) => {
  const write = writes[surface];

  test('executes the same request with the same key once, and repeats its answer', async () => {
    const first = await write(`Once ${surface}`);
    expect([first.status, first.replayed]).toEqual([surface === 'v1' ? 201 : 200, null]);
    for (const caller of [owner, other.callerWith(owner.key)]) {
      const again = await write(`Once ${surface}`, key, caller);
      expect(again).toMatchObject({
        status: first.status,
        text: first.text,
        type: first.type,
        replayed: 'true',
      });
    }
    expect(await spacesNamed(`Once ${surface}`)).toBe(1);
  });

  test('repeats the first answer, even if the record has changed since', async () => {
    const first = await write(`Later ${surface}`);
    const { spaces } = await owner.data<{ spaces: { nodes: { id: string }[] } }>(
      '{ spaces(first: 1) { nodes { id } } }',
    );
    await owner.rest('DELETE', `/spaces/${spaces.nodes[0]?.id}`);
    expect((await write(`Later ${surface}`)).text).toBe(first.text);
    expect(await spacesNamed(`Later ${surface}`)).toBe(0);
  });

  test('executes one of many simultaneous requests over two processes', async () => {
    const callers = Array.from({ length: 12 }, (_, index) =>
      index % 2 ? owner : other.callerWith(owner.key),
    );
    const answers = await Promise.all(callers.map((caller) => write(`Many ${surface}`, key, caller)));
    expect(await spacesNamed(`Many ${surface}`)).toBe(1);
    const done = answers.filter(({ status }) => status < 300);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect(done.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    for (const answer of answers) {
      if (done.includes(answer)) continue;
      expect([answer.status, answer.headers.get('Retry-After')]).toEqual([409, '1']);
      expect(answer.text).toContain(surface === 'v1' ? '"status":409' : '"IDEMPOTENCY_RUNNING"');
    }
  });

  test('returns 422 for another request with the same key', async () => {
    await write(`One ${surface}`);
    const { status, text, replayed } = await write(`Two ${surface}`);
    expect([status, replayed]).toEqual([422, null]);
    expect(text).toContain('IDEMPOTENCY_MISMATCH');
    expect(await spacesNamed(`Two ${surface}`)).toBe(0);
  });

  test('treats the same key of another account as another key', async () => {
    const stranger = await server.caller(`stranger ${surface}`);
    await write(`Own ${surface}`);
    const theirs = await write(`Own ${surface}`, key, stranger);
    expect([theirs.status < 300, theirs.replayed]).toEqual([true, null]);
    expect(await spacesNamed(`Own ${surface}`, stranger)).toBe(1);
  });

  test('does not give the stored answer to an API key without the scope', async () => {
    await write(`Scope ${surface}`);
    const reader = await server.caller('owner', ['read']);
    const { status, text, replayed } = await write(`Scope ${surface}`, key, reader);
    expect([status, replayed]).toEqual([403, null]);
    expect(text).toContain(surface === 'v1' ? '"status":403' : '"FORBIDDEN"');
  });

  test('gives the stored answer to callers of the same kind, role and scopes alone', async () => {
    const makers: [string, () => Promise<Caller>][] = [
      ['scopes', () => server.caller('owner', ['read', 'write'])],
      ['write', () => server.caller('owner', ['write'])],
      ['EDITOR', () => keyAs('EDITOR')],
      ['ADMIN', () => keyAs('ADMIN')],
    ];
    for (const [sender, make] of makers) {
      key = `of ${sender} ${surface} ${keys++}`;
      const name = `By ${key}`;
      const first = await write(name, key, await make());
      expect(first.status).toBeLessThan(300);
      for (const [other, makeOther] of makers) {
        const again = await write(name, key, await makeOther());
        if (other === sender) expect(again).toMatchObject({ text: first.text, replayed: 'true' });
        else {
          expect([again.status, again.replayed]).toEqual([403, null]);
          expect(again.text).toContain('kind, role or scopes');
        }
      }
      expect(await spacesNamed(name)).toBe(1);
    }
  });

  test.each([
    ['VIEWER', 'ADMIN', 403],
    ['ADMIN', 'ADMIN', 200],
    ['ADMIN', 'EDITOR', 200],
    ['EDITOR', 'ADMIN', 403],
    ['ADMIN', null, 200],
    [null, 'ADMIN', 200],
  ])(
    'gives a key as %s an answer that an earlier version kept for %s by its rules: %i',
    async (role, before, status) => {
      const name = `Before ${key}`;
      const first = await write(name, key, await keyAs(before));
      expect(first.status).toBeLessThan(300);
      await server.database.prisma.keptAnswer.updateMany({
        where: { body: first.text },
        data: { sender: null },
      });
      const again = await write(name, key, await keyAs(role));
      if (status === 200) expect(again).toMatchObject({ text: first.text, replayed: 'true' });
      else expect([again.status, again.replayed]).toEqual([403, null]);
      expect(await spacesNamed(name)).toBe(1);
    },
  );

  test('repeats a refusal unchanged', async () => {
    const first = await write('');
    expect(first.status).toBe(surface === 'v1' ? 422 : 200);
    expect(await write('')).toMatchObject({ status: first.status, text: first.text, replayed: 'true' });
  });

  test('repeats the first answer whatever the clock says, until retention deletes it', async () => {
    const first = await write(`Day ${surface}`);
    for (const hours of [24, 24 * 400, -25, 0]) {
      server.clock.now = noonPlus(hours);
      expect(await write(`Day ${surface}`)).toMatchObject({ text: first.text, replayed: 'true' });
      expect((await write(`Other ${surface}`)).status).toBe(422);
    }
    expect(await spacesNamed(`Day ${surface}`)).toBe(1);
    await deleteOldAnswers(server.database, NOON);
    expect((await write(`Day ${surface}`)).replayed).toBeNull();
    expect(await spacesNamed(`Day ${surface}`)).toBe(2);
  });

  test.each([
    ['an empty key', ''],
    ['a key that is too long', 'x'.repeat(256)],
  ])('refuses %s', async (_what, wrong) => {
    const { status, text } = await write('Wrong key', wrong);
    expect(status).toBe(surface === 'v1' ? 422 : 400);
    expect(text).toContain('must have 1 to 255 characters');
    expect(text).toContain(surface === 'v1' ? '"Idempotency-Key":[' : '"VALIDATION"');
    expect(await spacesNamed('Wrong key')).toBe(0);
  });

  test.runIf(surface === 'GraphQL')('ignores an invalid key of a query', async () => {
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'x'.repeat(256) },
      body: JSON.stringify({ query: '{ viewer { account { name } } }' }),
    });
    expect([response.status, await response.json()]).toMatchObject([200, { data: { viewer: {} } }]);
  });

  test('accepts a key of the maximum length', async () => {
    await write(`Long ${surface}`, surface.padEnd(255, 'x'));
    expect((await write(`Long ${surface}`, surface.padEnd(255, 'x'))).replayed).toBe('true');
  });

  test('a request without a key costs no extra statement, and its answer is not stored', async () => {
    const answers = () => server.database.prisma.keptAnswer.count();
    const before = await answers();
    await write(`Warm ${surface}`, null);
    const without = await server.statementsOf(() => write(`Plain ${surface}`, null));
    expect(without.join('\n')).not.toMatch(/KeptAnswer|SAVEPOINT/);
    if (surface === 'v1') await v1('GET', '/spaces', null);
    else await graphql('{ spaces { totalCount } }');
    expect(await answers()).toBe(before);
  });
});

test('works for a mutation with passwords and references, and stores no password', async () => {
  const form = {
    url: 'https://example.com/',
    alias: 'keyed-one',
    password: 'opensesame',
    space_id: String(await owner.space('Keyed')),
    pixel_ids: String(await owner.pixel()),
    expiration_date: '2030-01-01',
  };
  const keyed = await v1('POST', '/links', form);
  const plain = await v1('POST', '/links', { ...form, alias: 'keyed-two' }, null);
  expect(keyed.status).toBe(201);
  const shape = ({ text }: Sent) =>
    text.replace(/"id":\d+,"url"/, '"id":0,"url"').replaceAll('keyed-two', 'keyed-one');
  expect(shape(keyed)).toBe(shape(plain));
  const rows = await server.database.prisma.keptAnswer.findMany();
  expect(JSON.stringify(rows)).not.toContain('opensesame');
  expect(JSON.stringify(rows)).not.toContain(key);
  expect((await v1('POST', '/links', form)).text).toBe(keyed.text);
});

describe('slow work of a mutation with a key', () => {
  // What is not done before is refused, however little time it takes.
  let slow: TestServer;
  let caller: Caller;
  beforeAll(async () => {
    slow = await startTestServer({ verifiesDomains: true });
    caller = await slow.caller();
  });
  afterAll(() => slow.stop());

  const url = 'https://example.com/slow';

  test('of a batch is done before others can wait for its transaction', async () => {
    const { id } = await caller.link({ url, alias: 'slow-1', password: 'right' });
    const create = `mutation ($inputs: [CreateLinkInput!]!) {
      createLinks(inputs: $inputs) { ... on Link { alias hasPassword hasPrivacyPassword } ... on Error { message } }
    }`;
    const inputs = [
      { url, password: 'right', reuse: true },
      { url: `${url}/plain`, alias: 'slow-0' },
      { url: `${url}/new`, alias: 'slow-2', password: 'new', privacyPassword: 'other', privacy: 'PASSWORD' },
      { url: `${url}/new`, password: 'new', reuse: true },
      { url, alias: 'slow-0', password: 'late' },
      { url, alias: 'slow-3', password: '' },
    ];
    const { text } = await graphql(create, { inputs }, key, caller);
    expect(JSON.parse(text).data.createLinks).toMatchObject([
      { alias: 'slow-1', hasPassword: true, hasPrivacyPassword: false },
      { alias: 'slow-0', hasPassword: false, hasPrivacyPassword: false },
      { alias: 'slow-2', hasPassword: true, hasPrivacyPassword: true },
      { alias: 'slow-2', hasPassword: true, hasPrivacyPassword: true },
      { message: expect.stringContaining('alias') },
      { message: expect.stringContaining('password') },
    ]);
    expect(await graphql(create, { inputs }, key, caller)).toMatchObject({ text, replayed: 'true' });

    const update = `mutation ($inputs: [UpdateLinksInput!]!) {
      updateLinks(inputs: $inputs) { ... on Link { url hasPassword } ... on Error { message } }
    }`;
    const changes = [
      { id, input: { url: `${url}/changed` } },
      { id, input: { url, password: 'right' } },
      { id, input: { password: 'other' } },
      { id: '999', input: { password: 'new' } },
    ];
    const { text: changed } = await graphql(update, { inputs: changes }, `${key} of changes`, caller);
    expect(JSON.parse(changed).data.updateLinks).toEqual([
      { url: `${url}/changed`, hasPassword: true },
      { url, hasPassword: true },
      { url, hasPassword: true },
      { message: 'No such link.' },
    ]);
    const page = await fetch(`${slow.origin}/slow-1`, {
      method: 'POST',
      headers: { 'X-Forwarded-Host': 's.example' },
      body: new URLSearchParams({ password: 'other' }),
      redirect: 'manual',
    });
    expect(page.headers.get('Location')).toBe(url);
  });

  test('is done by the first mutation of a document', async () => {
    const query = `mutation {
      createLink(input: { url: "${url}", alias: "first", password: "one" }) { __typename }
      createSpace(input: { name: "After" }) { __typename }
    }`;
    const { text } = await graphql(query, {}, key, caller);
    expect(JSON.parse(text).data).toEqual({
      createLink: { __typename: 'Link' },
      createSpace: { __typename: 'Space' },
    });
  });

  test('is refused in a later mutation of a document, and nothing is saved or stored', async () => {
    const id = await caller.domain('slow.example');
    const later = {
      hash: `createLink(input: { url: "${url}", alias: "later", password: "one" }) { __typename }`,
      lookup: `verifyDomain(id: ${id}) { __typename }`,
    };
    for (const [name, field] of Object.entries(later)) {
      const query = `mutation { createSpace(input: { name: "Before ${name}" }) { __typename } ${field} }`;
      for (const _attempt of [1, 2]) {
        const { status, text, replayed } = await graphql(query, {}, key, caller);
        expect([status, replayed]).toEqual([400, null]);
        expect(JSON.parse(text)).toMatchObject({
          data: null,
          errors: [
            { message: expect.stringContaining('first mutation'), extensions: { code: 'BAD_REQUEST' } },
          ],
        });
      }
      expect(await spacesNamed(`Before ${name}`, caller)).toBe(0);
    }
  });

  test('a lookup in DNS works with a key', async () => {
    const id = await caller.domain('looked-up.example');
    const { domain } = await caller.data<{ domain: { verification: { name: string; value: string } } }>(
      `{ domain(id: ${id}) { verification { name value } } }`,
    );
    const { name, value } = domain.verification;
    slow.dns.set(name, [value]);
    const { text } = await graphql(`mutation { verifyDomain(id: ${id}) { __typename } }`, {}, key, caller);
    expect(JSON.parse(text).data).toEqual({ verifyDomain: { __typename: 'Domain' } });
  });
});

test('executes changes and deletions once too, with their notifications', async () => {
  const { id } = await owner.link({ title: 'Old' });
  const patch = await v1('PATCH', `/links/${id}`, { title: 'New' });
  expect(patch.status).toBe(200);
  await owner.rest('PATCH', `/links/${id}`, { title: 'Newer' });
  expect((await v1('PATCH', `/links/${id}`, { title: 'New' })).text).toBe(patch.text);
  const { body } = await owner.rest('GET', `/links/${id}`);
  expect((body as { data: { title: string } }).data.title).toBe('Newer');
  const gone = await v1('DELETE', `/links/${id}`, null, `${key} d`);
  expect(gone.status).toBe(200);
  expect(await v1('DELETE', `/links/${id}`, null, `${key} d`)).toMatchObject({
    status: 200,
    text: gone.text,
    replayed: 'true',
  });
  expect((await v1('DELETE', `/links/${id}`, null, `${key} e`)).status).toBe(404);
  const { link } = await owner.data<{ link: unknown }>(`{ link(id: ${id}) { id } }`);
  expect(link).toBeNull();
});

const SEVERAL = `mutation ($taken: String!) {
  a: createSpace(input: { name: "Several" }) { ... on Space { id } }
  b: createLinks(inputs: [
    { url: "https://example.com/", alias: "several-1" }
    { url: "https://example.com/", alias: $taken }
    { url: "https://example.com/", alias: "several-2", pixelIds: ["999999"] }
  ]) { __typename ... on Link { alias domain { name } pixels { id } history { totalCount } } ... on ValidationError { fields { path } } }
  c: deleteLink(id: "999999") { __typename }
}`;

test('several mutations of a document share a transaction, and a refused one does not undo the others', async () => {
  const { alias } = await owner.link({ alias: 'taken-by-me' });
  const first = await graphql(SEVERAL, { taken: alias });
  const { data } = JSON.parse(first.text);
  expect(data.b).toMatchObject([
    { __typename: 'Link', alias: 'several-1', pixels: [] },
    { __typename: 'ValidationError', fields: [{ path: ['alias'] }] },
    { __typename: 'ValidationError', fields: [{ path: ['pixelIds'] }] },
  ]);
  expect(data.c).toEqual({ __typename: 'NotFoundError' });
  expect(await graphql(SEVERAL, { taken: alias })).toMatchObject({ text: first.text, replayed: 'true' });
  expect(await spacesNamed('Several')).toBe(1);
});

test('repeats the content type of the first answer', async () => {
  const type = 'application/graphql-response+json';
  const first = await graphql(CREATE, { name: 'Typed' }, key, owner, type);
  expect(first.type).toContain(type);
  expect(await graphql(CREATE, { name: 'Typed' })).toMatchObject({ type: first.type, text: first.text });
});

test('ignores the key of a subscription', async () => {
  const withKey = {
    fetch: (path: string, init: RequestInit) =>
      owner.fetch(path, { ...init, headers: { ...init.headers, 'Idempotency-Key': key } }),
  };
  const { type, close, ended } = await subscribe(withKey as Caller, 'subscription { changes { id } }');
  expect(type).toContain('text/event-stream');
  close();
  await ended;
  // As sent by clients that also accept a stream.
  const accept = 'application/json, text/event-stream, multipart/mixed';
  const first = await graphql(CREATE, { name: 'Streamed' }, key, owner, accept);
  expect(await graphql(CREATE, { name: 'Streamed' }, key, owner, accept)).toMatchObject({
    text: first.text,
    replayed: 'true',
  });
});

test('after an internal error nothing is saved, and the request may be repeated', async () => {
  // The log of changes refuses an insert after the first of two mutations.
  const { prisma } = server.database;
  const isSqlite = inject('database').provider === 'sqlite';
  if (isSqlite)
    await prisma.$executeRawUnsafe(
      `CREATE TRIGGER "Broken" BEFORE INSERT ON "Pixel" BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    );
  else
    await prisma.$executeRawUnsafe(
      'ALTER TABLE "Pixel" ADD CONSTRAINT "Broken" CHECK ("name" <> \'Broken\')',
    );
  const query = `mutation {
    createSpace(input: { name: "Half" }) { ... on Space { id } }
    createPixel(input: { name: "Broken", type: BING, value: "1" }) { ... on Pixel { name } }
  }`;
  const failed = await graphql(query);
  expect(JSON.parse(failed.text)).toMatchObject({
    data: null,
    errors: [{ extensions: { code: 'INTERNAL' } }],
  });
  expect(await spacesNamed('Half')).toBe(0);
  if (isSqlite) await prisma.$executeRawUnsafe('DROP TRIGGER "Broken"');
  else await prisma.$executeRawUnsafe('ALTER TABLE "Pixel" DROP CONSTRAINT "Broken"');
  expect(JSON.parse((await graphql(query)).text).data.createPixel).toEqual({ name: 'Broken' });
  expect(await spacesNamed('Half')).toBe(1);
});

describe('the stored answer', () => {
  let database: Database;
  let accountId: number;
  beforeAll(async () => {
    database = await Database.open(await newDatabase());
    ({ id: accountId } = await database.prisma.account.create({ data: { name: 'Acme', createdAt: NOON } }));
  });
  afterAll(() => database.close());

  const actor = () => ({ accountId, keyId: null as never, scopes: new Set<never>() });
  const answered = (body: string) => ({ status: 200, contentType: 'text/plain', body });
  let made = 0;
  const answerOf = (given: { createdAt?: Date; size?: number; caller?: number; accountId?: number }) => ({
    ...{ accountId, keyHash: `answer ${made++}`, requestHash: '', status: 200, contentType: '', body: '' },
    ...{ size: 0, createdAt: NOON, ...given },
  });

  test('does not contain secrets that are shown only once', async () => {
    const first = new KeyedWrite(database, makeKeyCaller({ accountId }), 'secret', NOON);
    expect(await first.begin('request')).toBeNull();
    first.hide('s3cr"et');
    expect(await first.end(answered(JSON.stringify({ secret: 's3cr"et', name: 'x' })))).toBeNull();
    await first.close();
    const again = new KeyedWrite(database, makeKeyCaller({ accountId }), 'secret', NOON);
    expect((await again.begin('request'))?.body).toBe(JSON.stringify({ secret: SHOWN_ONCE, name: 'x' }));
    await again.close();
  });

  test('is limited in size: too large an answer undoes its write', async () => {
    const keyed = new KeyedWrite(database, makeKeyCaller({ accountId }), 'large', NOON);
    await keyed.begin('request');
    await createSpace(keyed.db, actor(), { name: 'Large', color: null }, NOON);
    await expect(keyed.end(answered('x'.repeat(4_000_001)))).rejects.toMatchObject({
      code: 'VALIDATION',
      fields: [{ path: ['Idempotency-Key'], reason: 'ANSWER_TOO_LARGE_FOR_KEY' }],
    });
    await keyed.close();
    expect(await database.prisma.space.count()).toBe(0);
  });

  test('of an unfinished write is discarded with the write, and the key is free again', async () => {
    for (let time = 0; time < 2; time++) {
      const keyed = new KeyedWrite(database, makeKeyCaller({ accountId }), 'left', NOON);
      expect(await keyed.begin('request')).toBeNull();
      await createSpace(keyed.db, actor(), { name: 'Left', color: null }, NOON);
      expect(await keyed.db.prisma.space.count()).toBe(1);
      await keyed.close();
      expect(await database.prisma.space.count()).toBe(0);
    }
  });

  test('is deleted once it is older than a day, those of a clock far ahead apart', async () => {
    await database.prisma.keptAnswer.deleteMany();
    const ahead = Array.from({ length: 501 }, (_, i) => answerOf({ createdAt: noonPlus(24 * 400 + i) }));
    await database.prisma.keptAnswer.createMany({ data: [...ahead, answerOf({}), answerOf({ size: 7 })] });
    expect(await deleteOldAnswers(database, noonPlus(-1))).toBe(false);
    expect(await database.prisma.keptAnswer.count()).toBe(503);
    expect(await deleteOldAnswers(database, NOON)).toBe(false);
    expect(await database.prisma.keptAnswer.count()).toBe(501);
  });

  test('counts for a person in all accounts together, and apart from keys', async () => {
    const { id: other } = await database.prisma.account.create({ data: { name: 'Other', createdAt: NOON } });
    const large = { caller: -7, size: 250_000_000 };
    await database.prisma.keptAnswer.createMany({
      data: [answerOf(large), answerOf({ ...large, accountId: other })],
    });
    const begin = async (caller: { userId: number } | { keyId: number }) => {
      const keyed = new KeyedWrite(database, makeKeyCaller({ accountId, ...caller }), 'person', NOON);
      return keyed.begin('request').finally(() => keyed.close());
    };
    await expect(begin({ userId: 7 })).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 86_400 });
    expect([await begin({ userId: 8 }), await begin({ keyId: 7 })]).toEqual([null, null]);
  });

  test.each([
    ['in a process', false],
    ['at a start', true],
  ])('is not deleted by a clock that is a day ahead for a moment %s', async (_what, restarts) => {
    await database.prisma.keptAnswer.deleteMany();
    await database.prisma.retentionClock.deleteMany();
    await database.prisma.keptAnswer.create({ data: answerOf({}) });
    const time = { hours: 0, uptime: 0 };
    const pass = (hours: number) => {
      time.hours += hours;
      time.uptime += hours * 3_600_000;
    };
    const log = pino({ level: 'silent' });
    const begin = () =>
      answerRetention(
        database,
        24 * 3_600_000,
        () => noonPlus(time.hours),
        log,
        () => time.uptime,
      );
    const isKept = async (retention: AgeRetention) => {
      await retention.deleteOld();
      return (await database.prisma.keptAnswer.count()) === 1;
    };
    let retention = begin();
    expect(await isKept(retention)).toBe(true);
    for (const leap of [26, -26]) {
      time.hours += leap;
      if (restarts) retention = begin();
      expect(await isKept(retention)).toBe(true);
      pass(0.9);
      expect(await isKept(retention)).toBe(true);
    }
    pass(22);
    // As much as a clock may be ahead without being held.
    time.hours += 1;
    expect(await isKept(retention)).toBe(true);
    pass(1);
    expect(await isKept(retention)).toBe(false);
  });

  test('one transaction includes several writes, and one of them can fail alone', async () => {
    const enclosing = enclose(database);
    const make = (name: string) => createSpace(enclosing, actor(), { name, color: null }, NOON);
    await make('First');
    await expect(enclosing.prisma.pixel.findMany()).resolves.toEqual([]);
    const wrong = { ...actor(), accountId: 999 };
    await expect(createSpace(enclosing, wrong, { name: 'Nobody’s', color: null }, NOON)).rejects.toThrow();
    await make('Second');
    await enclosing.commit();
    const spaces = await database.prisma.space.findMany({ orderBy: { id: 'asc' } });
    expect(spaces.map(({ name }) => name)).toEqual(['First', 'Second']);
    expect(await database.prisma.change.count()).toBe(2);
  });
});

describe('the answers of one caller in 24 hours', () => {
  const MAX = { answers: 100_000, bytes: 500_000_000 };
  const numbers = {
    sqlite: (to: number) =>
      `(WITH RECURSIVE "numbers"("n") AS (SELECT 1 UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" < ${to}) SELECT * FROM "numbers")`,
    postgresql: (to: number) => `generate_series(1, ${to}) AS "n"`,
  };
  /** Stores answers that a test cannot make. */
  const fill = async (caller: number, { count = 1, size = 10 } = {}) => {
    const { database } = server;
    const { prisma } = database;
    const { id: accountId } = await prisma.account.findFirstOrThrow({ where: { name: 'owner' } });
    await database.execute(sql`
      INSERT INTO "KeptAnswer" ("accountId", "keyHash", "requestHash", "status", "contentType", "body", "size", "caller", "createdAt")
      SELECT ${accountId}, ${key} || ' ' || "n", '', 200, '', '', ${size}, ${caller}, ${NOON}
      FROM ${raw(numbers[database.provider](count))}`);
  };
  const newKey = async () => {
    const caller = await server.caller('owner', ['write']);
    const { id } = await server.database.prisma.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
    return { caller, id };
  };
  const stored = () => server.database.prisma.keptAnswer.count();

  test.each(surfaces)('refuse more of them with 429 and advice over %s', async (surface) => {
    const write = writes[surface];
    const [full, other] = [await newKey(), await newKey()];
    await fill(full.id, { count: MAX.answers - 2 });
    const first = await write(`First ${surface}`, key, full.caller);
    const last = await write(`Last ${surface}`, `${key} last`, full.caller);
    expect(last.status).toBeLessThan(300);
    const before = await stored();
    const refused = await write(`Refused ${surface}`, `${key} next`, full.caller);
    expect([refused.status, refused.replayed]).toEqual([429, null]);
    expect(refused.headers.get('Retry-After')).toBe('86400');
    expect(refused.text).toMatch(/Use createLinks or importLinks, which need fewer keys, or send no key/);
    expect(await stored()).toBe(before);
    expect(await spacesNamed(`Refused ${surface}`)).toBe(0);
    // What is stored is given, what needs no answer is done, and others write.
    expect(await write(`First ${surface}`, key, full.caller)).toMatchObject({
      text: first.text,
      replayed: 'true',
    });
    expect((await write(`Plain ${surface}`, null, full.caller)).status).toBeLessThan(300);
    expect((await write(`Other ${surface}`, `${key} next`, other.caller)).status).toBeLessThan(300);
    server.clock.now = noonPlus(24);
    const later = await write(`Later ${surface}`, `${key} later`, full.caller);
    expect([later.status < 300, later.replayed]).toEqual([true, null]);
  });

  test('are limited by their bytes, too, also where another process has stored them', async () => {
    const { caller, id } = await newKey();
    await v1('POST', '/spaces', { name: 'Small' }, `${key} small`, caller);
    await fill(id, { count: 125, size: MAX.bytes / 125 });
    const statuses: number[] = [];
    for (let i = 0; i < 60 && !statuses.includes(429); i++)
      statuses.push((await v1('DELETE', '/spaces/999999', null, `${key} ${i}`, caller)).status);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses).toHaveLength(50);
  });
});

describe('turns of writes with keys', () => {
  let database: Database;
  beforeEach(async () => {
    database = await Database.open(await newDatabase(), { keyedWriteTimeout: 60_000 });
    for (const name of ['A', 'B', 'C'])
      await database.prisma.account.create({ data: { name, createdAt: NOON } });
  });
  afterEach(() => database.close());

  /** Begins a write of an account that stays open, and notes its name when it has begun. */
  const begin = (accountId: number, name: string, begun: string[]) => {
    const enclosing = enclose(database, {}, accountId);
    // Rows alone: to make a space locks the account, so that two writes of one could not be open.
    const space = { accountId, name, nameKey: name, color: 1, createdAt: NOON, updatedAt: NOON };
    const made = enclosing.transaction((tx) => tx.prisma.space.create({ data: space }));
    return { made: made.then(() => begun.push(name)), enclosing };
  };

  test('are taken by accounts, so that one with many delays another one little', async () => {
    const begun: string[] = [];
    const all = Array.from({ length: 6 }, (_, i) => begin(1, `a${i}`, begun));
    const stranger = begin(2, 'b', begun);
    const commit = ({ made, enclosing }: ReturnType<typeof begin>) => made.then(() => enclosing.commit());
    // SQLite has one writer, and the first account is also the first to wait.
    const before = isSqlite ? 2 : 0;
    for (const one of all.slice(0, before)) await commit(one);
    await stranger.made;
    expect(begun.filter((name) => name !== 'b').length).toBeLessThanOrEqual(2);
    await Promise.all([stranger, ...all.slice(before)].map(commit));
    expect(await database.prisma.space.count()).toBe(7);
  });

  test.skipIf(isSqlite)('limit how many run at once, and let others wait', async () => {
    const begun: string[] = [];
    const writes = [1, 1, 1, 2, 3].map((accountId, i) => begin(accountId, `${accountId} ${i}`, begun));
    await Promise.all([0, 1, 3].map((i) => writes[i]?.made));
    const { turns } = database.keyedWrites;
    expect([1, 2, 3].map((accountId) => turns.runningOf(accountId))).toEqual([2, 1, 0]);
    expect(begun.sort()).toEqual(['1 0', '1 1', '2 3']);
    await writes[3]?.enclosing.commit();
    await writes[4]?.made;
    await writes[0]?.enclosing.commit();
    await writes[2]?.made;
    for (const { enclosing } of writes) await enclosing.commit();
    expect(await database.prisma.space.count()).toBe(5);
  });

  test.runIf(isSqlite)('let a write without a key of another account pass those that wait', async () => {
    const begun: string[] = [];
    const many = Array.from({ length: 4 }, (_, i) => begin(1, `a${i}`, begun));
    await many[0]?.made;
    const plain = createSpace(database, { accountId: 2, keyId: null }, { name: 'b', color: null }, NOON);
    await many[0]?.enclosing.commit();
    await plain;
    expect(begun.length).toBeLessThanOrEqual(2);
    for (const { made, enclosing } of many.slice(1)) {
      await made;
      await enclosing.commit();
    }
  });
});

test('requests that read, visits and checks of readiness do not wait for a write with a key', async () => {
  const { id, alias } = await owner.link();
  const stranger = await server.caller();
  const { accountId } = await server.database.prisma.link.findUniqueOrThrow({ where: { id: Number(id) } });
  const enclosing = enclose(server.database);
  const actor = { accountId, keyId: null };
  await createSpace(enclosing, actor, { name: 'Not committed', color: null }, NOON);
  expect(await spacesNamed('Not committed')).toBe(0);
  expect(await owner.data(`{ link(id: ${id}) { space { name } statistics { clicks } } }`)).toEqual({
    link: { space: null, statistics: { clicks: 0 } },
  });
  expect((await stranger.rest('GET', '/links')).status).toBe(200);
  expect((await visit(server.origin, `/${alias}`)).status).toBe(302);
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  await enclosing.commit();
  expect(await spacesNamed('Not committed')).toBe(1);
});

describe('what a mutation with a key reads below its records', () => {
  const inputs = (count: number) =>
    Array.from({ length: count }, () => ({ url: 'https://example.com/read' }));
  const batch = (fields: string, count = 100) => ({
    query: `mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { ...F } } fragment F on Link { ${fields} }`,
    variables: { inputs: inputs(count) },
  });
  const space = (fields: string) => ({
    query: `mutation { createSpace(input: { name: "Read" }) { ... on Space { id ${fields} } ... on ValidationError { message } } }`,
    variables: {},
  });
  const many = (count: number, field: string) =>
    Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ');
  const whole = `id url alias shortUrl title domain { id name } space { id name color } pixels { id name value } tags { id name }
    hasPassword disabled forwardsQuery blocked privacy hasPrivacyPassword expiration { url at clicks }
    targeting { type countries { country url } platforms { platform url } languages { language url } rotation }
    clicks lastClickedAt status createdAt updatedAt`;

  const refused: Record<string, { query: string; variables: object }> = {
    'a filtered count': space('links(first: 1, filter: { status: ACTIVE }) { totalCount }'),
    'a search': space('links(filter: { search: "a" }) { nodes { id } }'),
    'many short lists': space(many(100, 'links(first: 1) { nodes { id url } }')),
    'a long list by a variable': {
      query: `mutation ($first: Int) { createSpace(input: { name: "Read" }) { ... on Space { links(first: $first) { nodes { ${whole} } } } } }`,
      variables: { first: 2 },
    },
    'the history of each record of a batch': batch('history(first: 5) { nodes { id at } }'),
    'statistics of each record of a batch': batch('statistics { clicks visitors }'),
    'clicks of each record of a batch': batch('a: clicksIn b: clicksIn'),
    'counts below tags of a few records': batch('tags { links(first: 1) { totalCount } }', 2),
    'lists below spaces of a batch': batch('space { links { nodes { id } } }'),
    'statistics of a space for years': space(
      'statistics(from: "2020-01-01", to: "2026-12-31") { clicks visitors }',
    ),
    'links with the most clicks': space(
      'topLinks(from: "2020-01-01", to: "2026-12-31") { nodes { clicks } }',
    ),
    'deliveries of a webhook': {
      query: `mutation { createWebhook(input: { url: "https://example.com/", events: [LINK_CREATED] }) {
        ... on CreatedWebhook { webhook { ${many(2, 'deliveries(first: 100) { nodes { id event createdAt status attempts error } }')} } } } }`,
      variables: {},
    },
    'lists below the records of an import': {
      query:
        'mutation { importLinks(format: LINES, text: "https://example.com/") { results { link { space { links(first: 1) { totalCount } } } } } }',
      variables: {},
    },
    'counts below the current record of a conflict': {
      query: `mutation { updateSpace(id: 1, input: { color: 2 }, ifUpdatedAt: "2020-01-01T00:00:00Z") {
        ... on ConflictError { current { ... on Space { links(first: 1, filter: { status: ACTIVE }) { totalCount } } } } } }`,
      variables: {},
    },
    'a little in each of many mutations': {
      query: `mutation { ${many(60, 'createTag(input: { name: "Read" }) { ... on Tag { links(first: 1) { totalCount nodes { id url } } } }')} }`,
      variables: {},
    },
  };

  test.each(Object.keys(refused))('is refused beforehand if it costs too much: %s', async (what) => {
    const { query = '', variables = {} } = refused[what] ?? {};
    const before = await server.database.prisma.change.count();
    const { status, text } = await graphql(query, variables);
    const [{ message, extensions }] = JSON.parse(text).errors;
    expect([status, extensions]).toEqual([
      400,
      { code: 'TOO_COSTLY', keyedReads: expect.any(Number), limit: 2_000 },
    ]);
    expect(extensions.keyedReads).toBeGreaterThan(2_000);
    expect(message).toContain('ask for them separately');
    expect(await server.database.prisma.change.count()).toBe(before);
    // The key is still free.
    expect((await graphql(CREATE, { name: 'Afterwards' })).replayed).toBeNull();
  });

  test.each([
    ['the own fields of a batch of whole links', batch(whole)],
    ['the QR codes of a batch', batch('qrCode')],
    ['a list', space('links(first: 100) { nodes { id url } }')],
    [
      'the history and the statistics of a record',
      batch('history { nodes { id at } } statistics { clicks }', 1),
    ],
    ['clicks of each record of a batch', batch('clicksIn')],
    [
      'the current record of a conflict of each of a batch',
      {
        query: `mutation ($inputs: [UpdateLinksInput!]!) { updateLinks(inputs: $inputs) { ... on ConflictError { current { ... on Link { ${whole} } } } } }`,
        variables: { inputs: inputs(100).map((input, id) => ({ id, input, ifUpdatedAt: NOON })) },
      },
    ],
    [
      'the links of an import',
      {
        query: `mutation { importLinks(format: LINES, text: "https://example.com/") { results { line status link { id url alias } } } }`,
        variables: {},
      },
    ],
  ])('is free, or little enough: %s', async (_what, { query, variables }) => {
    const { status, text } = await graphql(query, variables);
    expect([status, JSON.parse(text).errors]).toEqual([200, undefined]);
  });

  test('has no limit of its own without a key, nor in a query', async () => {
    const { query, variables } = space('links(filter: { search: "a" }) { totalCount }');
    expect((await graphql(query, variables, null)).status).toBe(200);
    expect((await graphql('{ links(filter: { search: "a" }) { totalCount } }')).status).toBe(200);
  });

  test('counts only for a write, and not for its stored answer', async () => {
    const { query, variables } = space('links(filter: { search: "b" }) { totalCount }');
    const { accountId } = await server.database.prisma.apiKey.findFirstOrThrow({ orderBy: { id: 'asc' } });
    const keyed = new KeyedWrite(server.database, makeKeyCaller(actorFor(accountId, null)), key, NOON);
    await keyed.begin(JSON.stringify(['graphql', query, undefined, variables, undefined]));
    await keyed.end({ status: 200, contentType: 'application/json', body: '{"data":"stored"}' });
    await keyed.close();
    expect(await graphql(query, variables)).toMatchObject({ replayed: 'true', text: '{"data":"stored"}' });
  });
});

test('other work runs between the reads of a keyed write', async () => {
  const database = await Database.open(await newDatabase());
  const { id: accountId } = await database.prisma.account.create({ data: { name: 'A', createdAt: NOON } });
  const enclosing = enclose(database);
  await createSpace(enclosing, { accountId, keyId: null }, { name: 'Read', color: null }, NOON);
  let [turns, ended] = [0, false];
  const turn = () => {
    turns++;
    if (!ended) setImmediate(turn);
  };
  setImmediate(turn);
  const counting = sql`WITH RECURSIVE "n"("i") AS (SELECT 1 UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < 300000)
    SELECT MAX("i") AS "most" FROM "n"`;
  for (let i = 0; i < 10; i++) await (i % 2 ? enclosing : enclosing.long).read(counting);
  ended = true;
  expect(turns).toBeGreaterThanOrEqual(8);
  await enclosing.rollBack();
  await database.close();
});

describe('a keyed write that takes too long', () => {
  let database: Database;
  let actor: Writer;
  beforeEach(async () => {
    database = await Database.open(await newDatabase());
    const { id } = await database.prisma.account.create({ data: { name: 'A', createdAt: NOON } });
    actor = { accountId: id, keyId: null };
  });
  afterEach(() => database.close());

  const add = (db: Data, name: string) => createSpace(db, actor, { name, color: null }, NOON);
  const names = async () => (await database.prisma.space.findMany()).map(({ name }) => name);

  test('makes no further change, and keeps the earlier ones', async () => {
    const enclosing = enclose(database, { maxDuration: 0 });
    await add(enclosing, 'In time');
    await expect(add(enclosing, 'Late')).rejects.toThrow('too long');
    await enclosing.commit();
    expect(await names()).toEqual(['In time']);
  });

  test('is rolled back while it waits for something else, so that others can write', async () => {
    const enclosing = enclose(database, { maxWait: 200 });
    await add(enclosing, 'Not kept');
    await sleep(500);
    await add(database, 'Another');
    expect(await names()).toEqual(['Another']);
    await expect(add(enclosing, 'Late')).rejects.toThrow('too long');
    await expect(enclosing.commit()).rejects.toThrow('too long');
  });

  test('stores no answer', async () => {
    const keyed = new KeyedWrite(database, makeKeyCaller(actor), 'slow', NOON, 100);
    await keyed.begin('request');
    await add(keyed.db, 'Not kept');
    await sleep(500);
    const ended = keyed.end({ status: 200, contentType: 'text/plain', body: 'answer' });
    await expect(ended).rejects.toMatchObject({
      code: 'VALIDATION',
      fields: [{ path: ['Idempotency-Key'], reason: 'WRITE_TOO_LONG_FOR_KEY' }],
    });
    await keyed.close();
    expect(await names()).toEqual([]);
    expect(await database.prisma.keptAnswer.count()).toBe(0);
  });
});
