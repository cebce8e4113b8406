import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { settled } from '../support/database.ts';
import { plainly } from '../support/plain-fields.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let id: number;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  const link = await owner.link({
    ...plainly('inV1', ({ name }) => `A ${name}`),
    external_id: 'An id',
    space_id: await owner.space('Space'),
    pixel_ids: await owner.pixel(),
    password: 'x',
    privacy: 2,
    privacy_password: 'x',
    expiration_clicks: 9,
    starts_at: '2029-01-01T00:00:00Z',
    expiration_date: '2030-01-01',
    expiration_url: 'https://example.com/over',
    target_type: 4,
    'rotation[0][value]': 'https://example.com/1',
    'country[0][key]': 'DE',
    'country[0][value]': 'https://example.com/de',
    'platform[0][key]': 'iOS',
    'platform[0][value]': 'https://example.com/ios',
    'language[0][key]': 'de',
    'language[0][value]': 'https://example.com/de',
  });
  id = link.id;
  await owner.data(`mutation { updateLink(id: "${id}", input: {
    rules: [{ when: [{ country: { in: ["FR"] } }], to: [{ url: "https://fr.example/" }] }],
    ruleTests: [{ visitor: { country: "DE" }, expect: { noRule: true } }]
  }) { __typename } }`);
  const data = { clicks: 7, lastClickedAt: server.clock.now };
  await server.database.prisma.linkCounter.update({ where: { linkId: id }, data });
  await settled(server.database);
});
afterAll(() => server.stop());

/** Selections of fields within fields. */
const deeper: Readonly<Record<string, string>> = {
  ...{ countries: '{ url }', platforms: '{ url }', languages: '{ url }' },
  ...{ when: '{ country { in } }', to: '{ name url }', visitor: '{ at country }', expect: '{ noRule }' },
};

/** Each field of a link, with all of its subfields. */
function fieldsOfLink(): [string, string][] {
  const type = schema.getType('Link');
  if (!isObjectType(type)) throw new Error('there is no such type');
  // Warnings of rules are null in lists.
  const all = Object.values(type.getFields()).filter(({ name }) => name !== 'ruleWarnings');
  return all.map((field) => {
    const below = getNamedType(field.type);
    if (isLeafType(below)) return [field.name, field.name];
    if (field.name === 'history') return ['history', 'history(first: 1) { edges { node { action } } }'];
    if (!isObjectType(below)) throw new Error(`${field.name} has no fields`);
    const leaves = Object.values(below.getFields()).flatMap((one) => {
      if (isLeafType(getNamedType(one.type))) return one.name;
      const below = deeper[one.name];
      return below === undefined ? [] : `${one.name} ${below}`;
    });
    return [field.name, `${field.name} { ${leaves.join(' ')} }`];
  });
}
const fields = fieldsOfLink();
const whole = fields.map(([, asked]) => asked).join(' ');

type Answer = { link: object; links: { edges: { node: object }[] }; linkPage: { items: object[] } };
const ask = async (asked: string) => {
  const { link, links, linkPage } = await owner.data<Answer>(
    `fragment F on Link { ${asked} } { link(id: ${id}) { ${asked} } links { edges { node { ...F } } } linkPage { items { ... on Link { ...F } } } }`,
  );
  return [link, links.edges[0]?.node, linkPage.items[0]] as Record<string, unknown>[];
};

test.each(fields)('%s has the same value when selected alone as with all others', async (name, asked) => {
  const [all] = await ask(whole);
  expect(all?.[name]).not.toBeNull();
  for (const alone of await ask(asked)) expect(alone).toEqual({ [name]: all?.[name] });
});

const joined = ['space', 'domain'].flatMap((name) => {
  const type = schema.getType(name === 'space' ? 'Space' : 'Domain');
  const leaves = isObjectType(type) ? Object.values(type.getFields()) : [];
  return leaves
    .filter(({ type }) => isLeafType(getNamedType(type)))
    .map((leaf) => [name, leaf.name] as const);
});

test.each(joined)(
  '%s { %s } has the same value when selected alone as with all others',
  async (name, leaf) => {
    const [all] = await ask(whole);
    const record = all?.[name] as Record<string, unknown> | undefined;
    for (const alone of await ask(`${name} { ${leaf} }`))
      expect(alone).toEqual({ [name]: { [leaf]: record?.[leaf] } });
  },
);

test.each([
  '2026-11-20T19:24:00.000Z',
  '2026-11-20T19:24:05.100Z',
  '1999-01-02T03:04:05.670Z',
  '2026-12-31T23:59:59.999Z',
])('gives %s with its milliseconds, of a link and of its pixels', async (time) => {
  const at = new Date(time);
  const { linkCounter, pixel } = server.database.prisma;
  await linkCounter.update({ where: { linkId: id }, data: { lastClickedAt: at } });
  await pixel.updateMany({ data: { createdAt: at } });
  for (const link of await ask('lastClickedAt pixels { createdAt }'))
    expect(link).toEqual({ lastClickedAt: time, pixels: [{ createdAt: time }] });
});

test.each(['ID', 'TITLE', 'ALIAS', 'URL', 'CLICKS'])(
  'paginates a list ordered by %s, whatever fields are selected',
  async (field) => {
    for (let i = 0; i < 3; i++) await owner.link({ title: `T${i}` });
    const query = (after: string) =>
      owner.data<{
        links: {
          edges: { node: { disabled: boolean } }[];
          pageInfo: { endCursor: string; hasNextPage: boolean };
        };
      }>(
        `{ links(first: 2 ${after} orderBy: { field: ${field} }) { edges { node { disabled } } pageInfo { endCursor hasNextPage } } }`,
      );
    const { links } = await query('');
    const next = await query(`after: "${links.pageInfo.endCursor}"`);
    expect(next.links.edges).toHaveLength(2);
  },
);

test('gives two lists of one request their own fields', async () => {
  const { a, b } = await owner.data<{ a: { edges: { node: object }[] }; b: { edges: { node: object }[] } }>(
    '{ a: links(first: 1) { edges { node { alias } } } b: links(first: 1) { edges { node { clicks space { name } } } } }',
  );
  expect(Object.keys(a.edges[0]?.node ?? {})).toEqual(['alias']);
  expect(Object.keys(b.edges[0]?.node ?? {})).toEqual(['clicks', 'space']);
});

test('does not read unselected columns', async () => {
  const [statement = ''] = await server.statementsOf(() =>
    owner.data('{ links(first: 3) { edges { node { alias } } } }'),
  );
  expect(statement).toContain('"alias"');
  expect(statement).not.toMatch(/"url"|"password"|Domain|Space|LinkCounter|LinkPixel/);
});

test('reads only the selected columns of joined records', async () => {
  const [statement = ''] = await server.statementsOf(() =>
    owner.data(
      '{ links(first: 3) { edges { node { shortUrl space { ...S } } } } } fragment S on Space { color }',
    ),
  );
  expect(statement).toMatch(/"space.color"/);
  expect(statement).not.toMatch(/nameKey|verificationToken|"space.name"|"domain.createdAt"/);
});
