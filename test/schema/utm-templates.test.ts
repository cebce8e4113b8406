import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actorFor } from '../../src/domain/access/actor.ts';
import { OperatorLists } from '../../src/domain/link/blocklists.ts';
import { createLinksInBulk } from '../../src/domain/link/bulk.ts';
import { createServices } from '../../src/domain/services.ts';
import { MAX_UTM_TEMPLATES } from '../../src/domain/utm-template.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let stranger: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  stranger = await server.caller('stranger');
});
afterAll(() => server.stop());

const failure = '... on ValidationError { fields { path messages } }';
const missing = '... on NotFoundError { code }';
const all = 'name source medium campaign term content';
const create = `mutation ($input: CreateUtmTemplateInput!) { createUtmTemplate(input: $input) {
  ... on UtmTemplate { id ${all} } ${failure} } }`;
const update = `mutation ($id: ID!, $input: UpdateUtmTemplateInput!) { updateUtmTemplate(id: $id, input: $input) {
  ... on UtmTemplate { ${all} } ${failure} ${missing} } }`;
const remove = `mutation ($id: ID!) { deleteUtmTemplate(id: $id) { ... on DeletedRecord { id nodeId } ${missing} } }`;
const show = `query ($id: ID!) { utmTemplate(id: $id) { ${all} } }`;
const empty = { source: null, medium: null, campaign: null, term: null, content: null };
const refused = (field: string, message: string) => ({ fields: [{ path: [field], messages: [message] }] });

let made = 0;
async function template(fields: object, caller = owner): Promise<string> {
  const input = { name: `Template ${++made}`, ...fields };
  const { createUtmTemplate } = await caller.data<{ createUtmTemplate: { id: string } }>(create, { input });
  return createUtmTemplate.id;
}

describe('a template', () => {
  test('is created, changed, listed, found by its global id, and deleted', async () => {
    const input = { name: 'Mail', source: ' news ', medium: 'email', campaign: '{date}' };
    const { createUtmTemplate } = await owner.data<{ createUtmTemplate: { id: string } }>(create, { input });
    const { id } = createUtmTemplate;
    expect(createUtmTemplate).toEqual({ ...empty, ...input, id, source: 'news' });
    const changes = { name: 'MAIL', medium: null, campaign: '', term: 'shoes' };
    const mail = { ...empty, name: 'MAIL', source: 'news', term: 'shoes' };
    expect(await owner.data(update, { id, input: changes })).toEqual({ updateUtmTemplate: mail });
    const { utmTemplates } = await owner.data<{
      utmTemplates: { totalCount: number; nodes: { nodeId: string }[] };
    }>('{ utmTemplates { totalCount nodes { nodeId } } }');
    expect(utmTemplates.totalCount).toBe(1);
    const [{ nodeId = '' } = {}] = utmTemplates.nodes;
    const node = 'query ($nodeId: ID!) { node(nodeId: $nodeId) { ... on UtmTemplate { id name } } }';
    expect(await owner.data(node, { nodeId })).toEqual({ node: { id, name: 'MAIL' } });
    expect(await stranger.data(node, { nodeId })).toEqual({ node: null });
    expect(await owner.data(remove, { id })).toEqual({ deleteUtmTemplate: { id, nodeId } });
    expect(await owner.data(show, { id })).toEqual({ utmTemplate: null });
    const changed = await server.database.prisma.change.findMany({ where: { kind: 'UTM_TEMPLATE' } });
    expect(changed.map(({ action, fields }) => `${action} ${fields}`)).toEqual([
      'CREATED ["name","source","medium","campaign"]',
      'UPDATED ["name","medium","campaign","term"]',
      'DELETED []',
    ]);
  });

  test('has a name of its own in its account, whatever its case', async () => {
    await template({ name: 'Größe' });
    await template({ name: 'GRÖSSE' }, stranger);
    const taken = refused('name', 'is the name of another template');
    expect(await owner.data(create, { input: { name: 'GRÖSSE' } })).toEqual({ createUtmTemplate: taken });
    const id = await template({});
    expect(await owner.data(update, { id, input: { name: 'grösse' } })).toEqual({ updateUtmTemplate: taken });
  });

  test('is nobody else’s', async () => {
    const id = await template({ source: 's' });
    const unknown = { code: 'NOT_FOUND' };
    expect(await stranger.data(show, { id })).toEqual({ utmTemplate: null });
    expect(await stranger.data(update, { id, input: { name: 'x' } })).toEqual({ updateUtmTemplate: unknown });
    expect(await stranger.data(remove, { id })).toEqual({ deleteUtmTemplate: unknown });
  });

  test.each([
    [{ name: '' }, 'name', 'may not be empty'],
    [{ name: 'a\nb' }, 'name', 'may have no control characters and no line breaks'],
    [{ name: 'x', term: 'é'.repeat(256) }, 'term', 'may have at most 255 characters, not 256'],
  ])('refuses %j', async (input, field, message) => {
    expect(await owner.data(create, { input })).toEqual({ createUtmTemplate: refused(field, message) });
  });

  test(`is one of at most ${MAX_UTM_TEMPLATES}, also under simultaneous requests`, async () => {
    const caller = await server.caller('full');
    const { accountId } = await server.database.prisma.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const times = { createdAt: NOON, updatedAt: NOON };
    const data = Array.from({ length: MAX_UTM_TEMPLATES - 1 }, (_, i) => ({
      ...{ accountId, name: `${i}`, nameKey: `${i}` },
      ...times,
    }));
    await server.database.prisma.utmTemplate.createMany({ data });
    await Promise.all([1, 2, 3].map((i) => caller.data(create, { input: { name: `More ${i}` } })));
    expect(await server.database.prisma.utmTemplate.count({ where: { accountId } })).toBe(MAX_UTM_TEMPLATES);
  });
});

test('a template adds its parameters to links that are created in bulk', async () => {
  const utmTemplateId = await template({ source: '{alias}' });
  const actor = actorFor(1, null);
  const { prisma } = server.database;
  const { id: defaultDomainId } = await prisma.domain.findFirstOrThrow();
  const services = createServices(
    { baseUrl: 'https://s.example', port: 0, verifiesDomains: false, allowPrivateWebhooks: false },
    { defaultDomainId, lists: new OperatorLists(), resolveTxt: async () => [] },
  );
  const input = { url: 'https://example.com/', alias: 'bulk', utmTemplateId };
  const items = [
    { input, origin: {} },
    { input: { ...input, url: 'https://example.com/b' }, origin: {} },
  ];
  await createLinksInBulk(server.database, actor, services, items, { onTaken: 'suffix' }, NOON);
  const made = await prisma.link.findMany({
    where: { alias: { startsWith: 'bulk' } },
    orderBy: { id: 'asc' },
  });
  const aliases = made.map(({ alias }) => alias);
  expect(made.map(({ url }) => url)).toEqual([
    'https://example.com/?utm_source=bulk',
    `https://example.com/b?utm_source=${aliases[1]}`,
  ]);
});

interface Made {
  id: string;
  alias: string;
  url: string;
  targeting: { countries: { url: string }[]; rotation: string[] };
}
const link = `... on Link { id alias url targeting { countries { url } rotation } } ${failure}`;
const createLink = `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ${link} } }`;
const updateLink = `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { ${link} } }`;
const targeting = {
  type: 'COUNTRY',
  countries: [{ country: 'DE', url: 'https://example.com/de?utm_source=own' }],
  rotation: ['https://example.com/1#x'],
};

describe('a template for a link', () => {
  const today = NOON.toISOString().slice(0, 10);
  const create = async (input: object) =>
    (await owner.data<{ createLink: Made }>(createLink, { input })).createLink;

  test('adds its parameters to a new link and its targets, with a generated alias, space and date', async () => {
    const spaceId = String(await owner.space('Mai & Co'));
    const utmTemplateId = await template({ source: '{alias}', medium: '{space}', campaign: 'c-{date}' });
    const url = 'https://example.com/ä?x=%7e#top';
    const { alias, ...made } = await create({ url, spaceId, utmTemplateId, targeting });
    const rest = `utm_medium=Mai%20%26%20Co&utm_campaign=c-${today}`;
    expect(made).toMatchObject({
      url: `https://example.com/ä?x=%7e&utm_source=${alias}&${rest}#top`,
      targeting: {
        countries: [{ url: `https://example.com/de?utm_source=own&${rest}` }],
        rotation: [`https://example.com/1?utm_source=${alias}&${rest}#x`],
      },
    });
    const found = `query ($url: String) { links(filter: { search: $url, searchBy: URL }) { nodes { alias } } }`;
    expect(await owner.data(found, { url: `utm_source=${alias}` })).toEqual({
      links: { nodes: [{ alias }] },
    });
  });

  test('leaves targets alone if told so, and a parameter without a value out', async () => {
    const utmTemplateId = await template({ source: 's', medium: '{space}' });
    const made = await create({ url: 'https://example.com/', utmTemplateId, utmOnTargets: false, targeting });
    expect(made).toMatchObject({
      url: 'https://example.com/?utm_source=s',
      targeting: { countries: [{ url: targeting.countries[0]?.url }], rotation: targeting.rotation },
    });
  });

  test('adds to targets by default, also for null', async () => {
    const utmTemplateId = await template({ source: 's' });
    const rotating = { ...targeting, countries: [] };
    for (const utmOnTargets of [undefined, null, true])
      expect(
        await create({ url: 'https://example.com/', utmTemplateId, utmOnTargets, targeting: rotating }),
      ).toMatchObject({ targeting: { rotation: ['https://example.com/1?utm_source=s#x'] } });
  });

  test('adds to the link as it is after an update', async () => {
    const utmTemplateId = await template({ source: '{alias}', campaign: '{space}' });
    const { id } = await create({ url: 'https://example.com/old', targeting });
    const input = { utmTemplateId, alias: 'after-update', spaceId: String(await owner.space('Later')) };
    expect(await owner.data(updateLink, { id, input })).toMatchObject({
      updateLink: {
        url: 'https://example.com/old?utm_source=after-update&utm_campaign=Later',
        targeting: {
          countries: [{ url: 'https://example.com/de?utm_source=own&utm_campaign=Later' }],
          rotation: ['https://example.com/1?utm_source=after-update&utm_campaign=Later#x'],
        },
      },
    });
    const next = { utmTemplateId, utmOnTargets: false, url: 'https://example.com/new', spaceId: null };
    expect(await owner.data(updateLink, { id, input: next })).toMatchObject({
      updateLink: { url: 'https://example.com/new?utm_source=after-update' },
    });
    const before = await server.database.prisma.change.count();
    expect(await owner.data(updateLink, { id, input: { utmTemplateId } })).toMatchObject({
      updateLink: { url: 'https://example.com/new?utm_source=after-update' },
    });
    expect(await server.database.prisma.change.count()).toBe(before);
  });

  test('works for each link of a batch', async () => {
    const utmTemplateId = await template({ source: '{alias}' });
    const inputs = ['one', 'two'].map((name) => ({
      url: 'https://example.com/',
      alias: `batch-${name}`,
      utmTemplateId,
    }));
    const batch =
      'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { ... on Link { id url } } }';
    const { createLinks } = await owner.data<{ createLinks: Made[] }>(batch, { inputs });
    expect(createLinks.map(({ url }) => url)).toEqual([
      'https://example.com/?utm_source=batch-one',
      'https://example.com/?utm_source=batch-two',
    ]);
    const medium = await template({ medium: 'm' });
    const changes = createLinks.map(({ id }) => ({ id, input: { utmTemplateId: medium } }));
    const change =
      'mutation ($inputs: [UpdateLinksInput!]!) { updateLinks(inputs: $inputs) { ... on Link { url } } }';
    expect(await owner.data(change, { inputs: changes })).toMatchObject({
      updateLinks: [
        { url: 'https://example.com/?utm_source=batch-one&utm_medium=m' },
        { url: 'https://example.com/?utm_source=batch-two&utm_medium=m' },
      ],
    });
  });

  describe('is refused', () => {
    const check =
      'query ($inputs: [CreateLinkInput!]!) { checkLinks(inputs: $inputs) { fields { path messages } } }';
    const unknown = 'must be the id of one of your UTM templates';

    test('if it is unknown or another account’s, with all other wrong fields', async () => {
      const foreign = await template({}, stranger);
      for (const utmTemplateId of ['999999', 'x', foreign]) {
        const input = { url: 'https://example.com/', utmTemplateId };
        expect(await create(input)).toEqual(refused('utmTemplateId', unknown));
        expect(await owner.data(check, { inputs: [input] })).toEqual({
          checkLinks: [refused('utmTemplateId', unknown)],
        });
        const { id } = await owner.link();
        expect(await owner.data(updateLink, { id: String(id), input: { utmTemplateId } })).toEqual({
          updateLink: refused('utmTemplateId', unknown),
        });
      }
      const wrong = { url: 'https://s.example/', spaceId: '999999', utmTemplateId: foreign };
      expect(await create(wrong)).toMatchObject({
        fields: [{ path: ['url'] }, { path: ['spaceId'] }, { path: ['utmTemplateId'] }],
      });
    });

    test('with an alias that is taken as createLink does: of too long a URL nothing is said yet', async () => {
      const utmTemplateId = await template({ source: 'ä'.repeat(200) });
      const { alias } = await owner.link();
      const input = { url: `https://example.com/${'x'.repeat(1_000)}`, alias, utmTemplateId };
      const answer = await create(input);
      expect(answer).toMatchObject({ fields: [{ path: ['alias'] }] });
      expect(await owner.data(check, { inputs: [input] })).toEqual({ checkLinks: [answer] });
    });

    test('if a URL gets too long, and nothing is written', async () => {
      const utmTemplateId = await template({ source: 'ä'.repeat(200) });
      const links = await server.database.prisma.link.count();
      const tooLong = refused('utmTemplateId', 'makes a URL of more than 2048 characters');
      const long = `https://example.com/${'x'.repeat(1_000)}`;
      for (const input of [
        { url: long, utmTemplateId },
        { url: 'https://example.com/', utmTemplateId, targeting: { rotation: [long] } },
      ]) {
        expect(await create(input)).toEqual(tooLong);
        expect(await owner.data(check, { inputs: [input] })).toEqual({ checkLinks: [tooLong] });
      }
      expect(await server.database.prisma.link.count()).toBe(links);
      const { id } = await owner.link({ url: long });
      expect(await owner.data(updateLink, { id: String(id), input: { utmTemplateId } })).toEqual({
        updateLink: tooLong,
      });
    });

    test('beside reuse', async () => {
      const utmTemplateId = await template({ source: 's' });
      expect(await create({ url: 'https://example.com/', reuse: true, utmTemplateId })).toEqual(
        refused('utmTemplateId', 'cannot be combined with reuse'),
      );
    });
  });
});
