import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { type Caller, emptyServer, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let other: TestServer;
let owner: Caller;
beforeAll(async () => {
  const url = await newDatabase();
  server = await startTestServer({ url });
  other = await startTestServer({ url });
});
beforeEach(async () => {
  await emptyServer(server);
  setTime(NOON);
  owner = await server.caller();
});
afterAll(async () => {
  await server.stop();
  await other.stop();
});

/** Sets the clocks of both processes. */
function setTime(now: Date): void {
  for (const one of [server, other]) one.clock.now = now;
}

const url = 'https://example.com/';
const START = new Date(NOON.getTime() + 3_600_000);

async function create(input: object = {}): Promise<{ id: string; alias: string }> {
  const { createLink } = await owner.data<{ createLink: { id: string; alias: string } }>(
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id alias } ... on ValidationError { message } } }',
    { input: { url, ...input } },
  );
  expect(createLink).toHaveProperty('id');
  return createLink;
}

const update = (id: string, input: object) =>
  owner.data(
    'mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { __typename } }',
    {
      id,
      input,
    },
  );

/** The whole answer to a visit, without what differs between two visits. */
async function answer(path: string, options: RequestInit = {}) {
  const response = await fetch(`${server.origin}${path}`, { redirect: 'manual', ...options });
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => !/^(date|x-request-id|content-security-policy)$/.test(name)),
  );
  const body = (await response.text()).replaceAll(/nonce="[^"]*"/g, '');
  return { status: response.status, headers, body };
}

describe('before its start, a link', () => {
  test.each([
    ['a visit', '', {}],
    ['HEAD', '', { method: 'HEAD' }],
    ['a form for the password', '', { method: 'POST', body: new URLSearchParams({ password: 'secret' }) }],
    ['the page of its statistics', '+', {}],
    ['a form for its statistics', '+', { method: 'POST', body: new URLSearchParams({ password: 'x' }) }],
    ['a bot', '', { headers: { 'User-Agent': 'Twitterbot/1.0' } }],
  ])('is answered as an unknown one: %s', async (_what, end, options) => {
    const locked = { password: 'secret', privacy: 'PASSWORD', privacyPassword: 'x' };
    for (const more of [{}, locked, { disabled: true }, { expiration: { clicks: 1 } }]) {
      const { alias } = await create({ startsAt: START, ...more });
      expect(await answer(`/${alias}${end}`, options)).toEqual(await answer(`/nothing${end}`, options));
      expect((await answer(`/${alias}${end}`, options)).status).toBe(404);
    }
  });

  test('leads to the URL of its domain for unknown aliases', async () => {
    const { createDomain } = await owner.data<{ createDomain: { id: string } }>(
      'mutation { createDomain(input: { name: "go.example", notFoundUrl: "https://example.com/unknown" }) { ... on Domain { id } } }',
    );
    const { alias } = await create({ startsAt: START, domainId: createDomain.id });
    const { status, location } = await visit(server.origin, `/${alias}`, { headers: { Host: 'go.example' } });
    expect([status, location]).toEqual([302, 'https://example.com/unknown']);
  });

  test('counts no visit', async () => {
    const { id, alias } = await create({ startsAt: START });
    await visit(server.origin, `/${alias}`);
    await server.flush();
    expect(
      (await server.database.prisma.linkCounter.findUnique({ where: { linkId: Number(id) } }))?.clicks,
    ).toBe(0);
  });

  test('is there for its account', async () => {
    const { id, alias } = await create({ startsAt: START });
    const asked = await owner.data<Record<string, { status: string }>>(
      `query ($id: ID!) { link(id: $id) { status } linkByShortUrl(url: "s.example/${alias}") { status } }`,
      { id },
    );
    expect(asked).toEqual({ link: { status: 'ACTIVE' }, linkByShortUrl: { status: 'ACTIVE' } });
  });
});

test('a cached link begins when its time has come, on all processes', async () => {
  const { alias } = await create({ startsAt: START, privacy: 'PUBLIC' });
  const visits = async () => [
    (await visit(server.origin, `/${alias}`)).status,
    (await visit(other.origin, `/${alias}`)).status,
    (await visit(server.origin, `/${alias}+`)).status,
  ];
  expect(await visits()).toEqual([404, 404, 404]);
  setTime(new Date(START.getTime() - 1));
  expect(await visits()).toEqual([404, 404, 404]);
  const statements = await server.statementsOf(async () => {
    setTime(START);
    await visit(server.origin, `/${alias}`);
  });
  expect(statements.filter((one) => one.includes('"alias" ='))).toEqual([]);
  expect(await visits()).toEqual([302, 302, 200]);
});

test('a start that is moved counts at once', async () => {
  const { id, alias } = await create();
  expect((await visit(server.origin, `/${alias}`)).status).toBe(302);
  await update(id, { startsAt: START });
  expect((await visit(server.origin, `/${alias}`)).status).toBe(404);
  await update(id, { startsAt: null });
  expect((await visit(server.origin, `/${alias}`)).status).toBe(302);
});

test.each([
  ['a click limit', { expiration: { clicks: 5 } }],
  ['a rotation', { targeting: { type: 'ROTATION', rotation: [url] } }],
])('a visit with %s counts nothing if the start is moved meanwhile', async (_what, more) => {
  const { id, alias } = await create(more);
  expect((await visit(other.origin, `/${alias}`)).status).toBe(302);
  await server.flush();
  await other.flush();
  // By hand: no process hears of it.
  await server.database.prisma.link.update({ where: { id: Number(id) }, data: { startsAt: START } });
  expect((await visit(other.origin, `/${alias}`)).status).toBe(404);
  await other.flush();
  const counter = await server.database.prisma.linkCounter.findUnique({ where: { linkId: Number(id) } });
  expect(counter?.clicks).toBe(1);
});

describe('the status of a redirect', () => {
  test.each([301, 302, 307, 308])('is %d, and no cache keeps it', async (redirectStatus) => {
    const { id, alias } = await create({ redirectStatus });
    const { status, headers } = await answer(`/${alias}`);
    expect([status, headers.location, headers['cache-control']]).toEqual([
      redirectStatus,
      url,
      'private, no-store',
    ]);
    expect((await answer(`/${alias}`, { method: 'HEAD' })).status).toBe(redirectStatus);
    await update(id, { redirectStatus: 302 });
    expect((await answer(`/${alias}`)).status).toBe(302);
  });

  test('is 303 after a password and for any form, and 302 to the URL of an expired link', async () => {
    const form = { method: 'POST', body: new URLSearchParams({ password: 'secret' }) };
    const locked = await create({ redirectStatus: 308, password: 'secret' });
    const { status, headers } = await answer(`/${locked.alias}`, form);
    expect([status, headers['cache-control']]).toEqual([303, 'private, no-store']);
    const open = await create({ redirectStatus: 307 });
    expect((await answer(`/${open.alias}`, form)).status).toBe(303);
    const over = await create({
      redirectStatus: 301,
      expiration: { at: NOON.toISOString(), url: 'https://example.com/over' },
    });
    expect((await answer(`/${over.alias}`)).status).toBe(302);
  });
});

describe('explainRedirect', () => {
  interface Explained {
    explainRedirect: {
      outcome: string;
      destination: string | null;
      steps: { rule: string; applied: boolean; why: string }[];
    };
  }
  const explain = async (linkId: string, at?: Date) => {
    const { explainRedirect } = await owner.data<Explained>(
      'query ($input: ExplainRedirectInput!) { explainRedirect(input: $input) { outcome destination steps { rule applied why } } }',
      { input: { linkId, at } },
    );
    return explainRedirect;
  };

  test('says that a link has not begun, after that it exists', async () => {
    const { id } = await create({ startsAt: START, disabled: true });
    const { outcome, destination, steps } = await explain(id);
    expect([outcome, destination]).toEqual(['NOT_FOUND', null]);
    expect(steps.slice(0, 3)).toEqual([
      { rule: 'EXISTS', applied: false, why: 'The link exists.' },
      { rule: 'STARTS', applied: true, why: `It begins at ${START.toISOString()}.` },
      { rule: 'PATH', applied: false, why: 'Not reached.' },
    ]);
  });

  test('simulates a visit after the start', async () => {
    const { id } = await create({ startsAt: START });
    expect((await explain(id, START)).outcome).toBe('REDIRECT');
    expect((await explain(id, START)).steps[1]).toEqual({
      rule: 'STARTS',
      applied: false,
      why: 'It has begun.',
    });
    const always = await create();
    expect((await explain(always.id)).steps[1]).toEqual({
      ...{ rule: 'STARTS', applied: false, why: 'It has no start.' },
    });
  });
});

test('what a process of an earlier version writes keeps the columns that it does not know', async () => {
  const known = { startsAt: START, notes: 'Ask Ann', archived: true, redirectStatus: 308 };
  const { id, alias } = await create({ ...known, startsAt: START.toISOString() });
  const { prisma } = server.database;
  const {
    startsAt: _1,
    notes: _2,
    archived: _3,
    redirectStatus: _4,
    ...row
  } = await prisma.link.findFirstOrThrow();
  const columns = Object.keys(row)
    .filter((name) => name !== 'id')
    .map((name) => `"${name}"`);
  const copied = columns.map((name) => (name === '"alias"' ? "'theirs'" : name));
  await prisma.$executeRawUnsafe(
    `INSERT INTO "Link" (${columns.join()}) SELECT ${copied.join()} FROM "Link" WHERE "id" = ${id}`,
  );
  const set = columns.map((name) => (name === '"title"' ? `"title" = 'T'` : `${name} = ${name}`));
  await prisma.$executeRawUnsafe(`UPDATE "Link" SET ${set.join()} WHERE "id" = ${id}`);
  expect(await prisma.link.findUnique({ where: { id: Number(id) } })).toMatchObject({ title: 'T', ...known });
  expect((await visit(server.origin, `/${alias}`)).status).toBe(404);
  expect((await visit(server.origin, '/theirs')).status).toBe(302);
  const { links } = await owner.data<{ links: { totalCount: number; nodes: { alias: string }[] } }>(
    '{ links { totalCount nodes { alias } } }',
  );
  expect(links).toEqual({ totalCount: 1, nodes: [{ alias: 'theirs' }] });
  await prisma.$executeRawUnsafe(`DELETE FROM "Link" WHERE "id" = ${id}`);
  const { linkPage } = await owner.data<{ linkPage: { total: number } }>(
    '{ linkPage(filter: { archived: ONLY }) { total } }',
  );
  expect(linkPage.total).toBe(0);
});
