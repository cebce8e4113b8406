import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { planOf } from '../support/plan.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let other: TestServer;
let owner: Caller;
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

const CREATE = `mutation ($input: CreateLinkInput!) {
  createLink(input: $input) { __typename ... on Link { id } ... on ValidationError { fields { path messages } } }
}`;
type Result = { __typename: string; id?: string };

async function create(input: object, caller = owner): Promise<Result> {
  return (await caller.data<{ createLink: Result }>(CREATE, { input })).createLink;
}

let urls = 0;
const newUrl = () => `https://example.com/reuse/${urls++}`;

async function linksTo(url: string): Promise<number> {
  return server.database.prisma.link.count({ where: { url } });
}

test.each([
  ['only a URL', () => ({})],
  ['an alias', () => ({ alias: `together-${urls}` })],
  ['a URL that is long', () => ({ url: `https://example.com/${'x'.repeat(2_000)}` })],
  ['a password', () => ({ password: 'opensesame' })],
])('twelve simultaneous requests over two processes create one link: %s', async (_what, more) => {
  const input = { url: newUrl(), ...more(), reuse: true };
  const callers = Array.from({ length: 12 }, (_, index) => (index % 2 ? owner : other.callerWith(owner.key)));
  const results = await Promise.all(callers.map((caller) => create(input, caller)));
  expect(new Set(results.map(({ __typename, id }) => `${__typename} ${id}`)).size).toBe(1);
  expect(results[0]?.__typename).toBe('Link');
  expect(await linksTo(input.url)).toBe(1);
});

test('simultaneous links with different passwords get aliases of the usual length', async () => {
  const url = newUrl();
  const made = Array.from({ length: 16 }, (_, i) => create({ url, password: `password ${i}`, reuse: true }));
  await Promise.all(made);
  const links = await server.database.prisma.link.findMany({ where: { url } });
  expect(links.map(({ alias }) => alias.length)).toEqual(Array(16).fill(6));
});

test('comparing passwords does not delay other accounts', async () => {
  const slow = await startTestServer({ hashCost: { N: 2 ** 12, r: 8, p: 1 } });
  const [many, one] = [await slow.caller('many'), await slow.caller('one')];
  const input = { url: newUrl(), password: 'opensesame', reuse: true };
  const ended: string[] = [];
  const all = Array.from({ length: 40 }, async () => {
    await create(input, many);
    ended.push('many');
  });
  await expect.poll(() => ended.length, { interval: 1 }).toBeGreaterThan(0);
  await create({ url: newUrl() }, one);
  const before = ended.length;
  await Promise.all(all);
  expect(ended.length - before).toBeGreaterThan(20);
  await slow.stop();
});

test('reuses a link only if all given fields are the same, and no others', async () => {
  const spaceId = String(await owner.space('Reused'));
  const pixelIds = [String(await owner.pixel('One')), String(await owner.pixel('Two'))];
  const url = newUrl();
  const whole = {
    url,
    title: 'Whole',
    spaceId,
    pixelIds,
    privacy: 'PASSWORD',
    privacyPassword: 'secret',
    password: 'opensesame',
    expiration: { at: '2030-01-01T00:00:00Z', clicks: 7, url: 'https://example.com/over' },
    targeting: { type: 'COUNTRY', countries: [{ country: 'DE', url: 'https://example.com/de' }] },
  };
  const { id } = await create(whole);
  const some = [
    {},
    { title: 'Whole' },
    { title: null, spaceId },
    { pixelIds: [...pixelIds].reverse() },
    { privacy: 'PASSWORD', privacyPassword: 'secret' },
    { password: 'opensesame', expiration: { clicks: 7 } },
    { targeting: whole.targeting },
    whole,
  ];
  for (const fields of some)
    expect([fields, await create({ url, ...fields, reuse: true })]).toEqual([
      fields,
      { __typename: 'Link', id },
    ]);
  expect(await linksTo(url)).toBe(1);
  const others = [
    { title: 'whole' },
    { pixelIds: pixelIds.slice(1) },
    { pixelIds: [] },
    { password: 'other' },
    { privacy: 'PUBLIC' },
    { expiration: { clicks: 8 } },
    { targeting: { type: 'NONE' } },
    { disabled: true },
    { domainId: String(await owner.domain('reuse.example')) },
  ];
  for (const fields of others) expect((await create({ url, ...fields, reuse: true })).id).not.toBe(id);
});

test('returns the newest active link of the account', async () => {
  const url = newUrl();
  const stranger = await server.caller('stranger');
  await create({ url }, stranger);
  const made = [];
  for (const fields of [{}, {}, { disabled: true }, { expiration: { at: '2026-11-20T11:00:00Z' } }])
    made.push(await create({ url, ...fields }));
  expect(await create({ url, reuse: true })).toEqual(made[1]);
  await owner.data(`mutation { deleteLinks(ids: ["${made[0]?.id}", "${made[1]?.id}"]) { __typename } }`);
  const next = await create({ url, reuse: true });
  expect(made).not.toContainEqual(next);
  expect(await create({ url, reuse: true })).toEqual(next);
});

test('reports errors as usual, and creates another link without reuse', async () => {
  expect(await create({ url: 'nonsense', reuse: true })).toMatchObject({ __typename: 'ValidationError' });
  const url = newUrl();
  const { id } = await create({ url, alias: 'taken-reuse', reuse: true });
  const taken = { __typename: 'ValidationError', fields: [{ path: ['alias'] }] };
  expect(await create({ url: newUrl(), alias: 'taken-reuse', reuse: true })).toMatchObject(taken);
  expect(await create({ url, alias: 'taken-reuse', reuse: false })).toMatchObject(taken);
  expect((await create({ url })).id).not.toBe(id);
});

test('records nothing for an existing link', async () => {
  const input = { url: newUrl(), reuse: true };
  await create(input);
  const before = await server.database.prisma.change.count();
  await create(input);
  expect(await server.database.prisma.change.count()).toBe(before);
});

test('finds the link by an index', async () => {
  const url = newUrl();
  await server.database.prisma.link.createMany({
    data: Array.from({ length: 300 }, (_, index) => ({
      accountId: 1,
      domainId: 1,
      alias: `many-${index}`,
      aliasKey: `many-${index}`,
      url: `${url}/${index}`,
      urlKey: `${url}/${index}`,
      createdAt: NOON,
      updatedAt: NOON,
    })),
  });
  const statements = await server.statementsOf(() => create({ url: `${url}/7`, reuse: true }));
  const [statement = ''] = statements.filter((one) => /md5|\|\| ''/.test(one));
  const db = server.database;
  if (inject('database').provider === 'postgresql') await db.prisma.$executeRawUnsafe('ANALYZE "Link"');
  expect((await planOf(db, statement)).join('\n')).toContain('Link_destination');
  expect(statements).toHaveLength(2);
});

test.each([
  ['a plain link', {}],
  ['a link with a password', { password: 'opensesame' }],
])(
  'reuses %s that was created before it in the same batch, rather than an older one',
  async (_what, fields) => {
    const url = newUrl();
    await create({ url, ...fields });
    const { createLinks } = await owner.data<{ createLinks: Result[] }>(
      'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { __typename ... on Link { id } } }',
      {
        inputs: [
          { url, ...fields },
          { url, ...fields, reuse: true },
        ],
      },
    );
    expect(createLinks[1]).toEqual(createLinks[0]);
    expect(await linksTo(url)).toBe(2);
  },
);
