import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newDatabase, settled } from '../support/database.ts';
import { halves, pngOf } from '../support/images.ts';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ url: await newDatabase() });
});
beforeEach(async () => {
  await emptyServer(server);
  owner = await server.caller();
});
afterAll(() => server.stop());

const COPIED = `url title notes startsAt archived redirectStatus disabled forwardsQuery hasPassword privacy hasPrivacyPassword
  domain { id } space { id } tags { id } pixels { id } expiration { at clicks url }
  targeting { type countries { country url } platforms { platform url } languages { language url } rotation }
  rules { name when { country { in notIn } } to { name url weight } }
  ruleTests { visitor { country at } expect { url rule noRule } } preview { title description imageUrl }`;
const ANSWER = `__typename ... on Link { id alias externalId clicks ${COPIED} }
  ... on ValidationError { fields { path reason } } ... on NotFoundError { code }`;

interface Copy {
  __typename: string;
  id: string;
  alias: string;
  externalId: string | null;
  clicks: number;
  fields?: { path: string[] }[];
}

async function create(input: object): Promise<Copy> {
  const query = `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ${ANSWER.replace('... on NotFoundError { code }', '')} } }`;
  return (await owner.data<{ createLink: Copy }>(query, { input })).createLink;
}

async function duplicate(id: string, input?: object, caller = owner): Promise<Copy> {
  const query = `mutation ($id: ID!, $input: DuplicateLinkInput) { duplicateLink(id: $id, input: $input) { ${ANSWER} } }`;
  return (await caller.data<{ duplicateLink: Copy }>(query, { id, input })).duplicateLink;
}

const dataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;
const paths = ({ fields = [] }: Copy) => fields.map(({ path }) => path.join('.'));

const url = 'https://example.com/';

async function everything() {
  const spaceId = String(await owner.space('Space'));
  const tagIds = [String(await owner.tag('One')), String(await owner.tag('Two'))];
  return {
    url,
    alias: 'original',
    externalId: 'original',
    title: 'Title',
    notes: 'Notes',
    spaceId,
    tagIds,
    pixelIds: [String(await owner.pixel())],
    startsAt: '2026-11-19T00:00:00.000Z',
    archived: true,
    redirectStatus: 307,
    forwardsQuery: false,
    password: 'secret',
    privacy: 'PASSWORD',
    privacyPassword: 'also secret',
    expiration: { at: '2030-01-01T00:00:00.000Z', clicks: 9, url: 'https://example.com/over' },
    targeting: {
      type: 'COUNTRY',
      countries: [{ country: 'DE', url: 'https://example.com/de' }],
      rotation: ['https://example.com/1'],
    },
    rules: [
      {
        name: 'France',
        when: [{ country: { in: ['FR'] } }],
        to: [
          { name: 'A', url: 'https://example.com/a', weight: 3 },
          { name: 'B', url: 'https://example.com/b', weight: 1 },
        ],
      },
    ],
    ruleTests: [{ visitor: { country: 'FR', at: '2026-11-20T12:00:00.000Z' }, expect: { rule: 'France' } }],
    preview: { title: 'Card', description: 'Text', image: dataUrl(pngOf(halves())) },
  };
}

test('copies all fields, with passwords, and neither alias, external id nor clicks', async () => {
  const { id: originalId, ...original } = await create(await everything());
  await server.database.prisma.linkCounter.updateMany({ data: { clicks: 5 } });
  const { id, alias, ...copy } = await duplicate(originalId);
  expect(copy).toEqual({ ...original, alias: undefined, externalId: null });
  expect(id).not.toBe(originalId);
  expect(alias).toMatch(/^\w{6}$/);
  const [first, second] = await server.database.prisma.link.findMany({ orderBy: { id: 'asc' } });
  expect(second?.password).toBe(first?.password);
  expect(second?.privacyPassword).toBe(first?.privacyPassword);
  expect((await visit(server.origin, `/${alias}`, { form: { password: 'secret' } })).status).toBe(303);
});

test('gives the copy what the input has, and keeps the rest of its expiry and targeting', async () => {
  const input = await everything();
  const { id } = await create(input);
  const changes = {
    alias: 'copy',
    externalId: 'copy',
    title: null,
    archived: false,
    tagIds: [],
    spaceId: null,
    password: 'other',
    privacy: 'PUBLIC',
    privacyPassword: null,
    expiration: { clicks: null },
    targeting: { rotation: null },
    rules: null,
    ruleTests: null,
  };
  const copy = await duplicate(id, changes);
  expect(copy).toMatchObject({
    ...{
      alias: 'copy',
      externalId: 'copy',
      title: null,
      archived: false,
      notes: 'Notes',
      url,
      tags: [],
      space: null,
    },
    ...{ hasPassword: true, privacy: 'PUBLIC', hasPrivacyPassword: false, rules: [], ruleTests: [] },
    expiration: { ...input.expiration, clicks: null },
    targeting: { ...input.targeting, rotation: [] },
  });
  expect((await visit(server.origin, '/copy', { form: { password: 'secret' } })).status).toBe(401);
  expect((await visit(server.origin, '/copy', { form: { password: 'other' } })).status).toBe(303);
  expect(await duplicate(id, { expiration: null, targeting: null, password: null })).toMatchObject({
    ...{ hasPassword: false, expiration: { at: null, clicks: null, url: null } },
    targeting: { type: 'NONE', countries: [], rotation: [] },
  });
});

test('copies a link whose own tests of rules fail, and checks tests that are given', async () => {
  const { id } = await create(await everything());
  await server.database.prisma.link.updateMany({
    data: {
      ruleTests: JSON.stringify([
        { visitor: { country: 'DE', at: '2026-11-20T12:00:00.000Z' }, expect: { rule: 'France' } },
      ]),
    },
  });
  expect((await duplicate(id)).__typename).toBe('Link');
  const ruleTests = [{ visitor: { country: 'DE' }, expect: { rule: 'France' } }];
  expect(paths(await duplicate(id, { ruleTests }))).toEqual(['ruleTests.0']);
});

test('refuses what createLink refuses, and names the field', async () => {
  const { id } = await create(await everything());
  expect(paths(await duplicate(id, { alias: 'original' }))).toEqual(['alias']);
  expect(paths(await duplicate(id, { externalId: 'original' }))).toEqual(['externalId']);
  expect(paths(await duplicate(id, { url: 'x', notes: 'x'.repeat(5_001), redirectStatus: 1 }))).toEqual([
    ...['url', 'notes', 'redirectStatus'],
  ]);
  expect(paths(await duplicate(id, { startsAt: '2031-01-01T00:00:00Z' }))).toEqual(['startsAt']);
  expect(paths(await duplicate(id, { privacyPassword: null }))).toEqual(['privacyPassword']);
  expect(paths(await duplicate(id, { domainId: '999' }))).toEqual(['domainId']);
});

test('finds no link of another account', async () => {
  const { id } = await create({ url });
  const stranger = await server.caller('stranger');
  expect(await duplicate(id, {}, stranger)).toEqual({ __typename: 'NotFoundError', code: 'NOT_FOUND' });
  expect((await duplicate('x')).__typename).toBe('NotFoundError');
});

test('is a creation in the history', async () => {
  const { id } = await create({ url, title: 'Title' });
  const copy = await duplicate(id);
  await settled(server.database);
  const { link } = await owner.data<{ link: { history: { nodes: object[] } } }>(
    'query ($id: ID!) { link(id: $id) { history(first: 5) { nodes { action } } } }',
    { id: copy.id },
  );
  expect(link.history.nodes).toEqual([{ action: 'CREATED' }]);
});
