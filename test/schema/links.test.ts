import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, NOON, startTestServer, type TestServer, timeAfter } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let stranger: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  stranger = await server.caller('stranger');
});
afterAll(() => server.stop());

const noon = NOON.toISOString();

const linkFields = `
  id url alias shortUrl title domain { id name shared } space { id name } pixels { id type }
  hasPassword disabled privacy hasPrivacyPassword expiration { url at clicks }
  targeting {
    type countries { country url } platforms { platform url } languages { language url } rotation
  }
  clicks status createdAt updatedAt`;
const result = `{
  __typename
  ... on Link { ${linkFields} }
  ... on Error { code message }
  ... on ValidationError { fields { path messages } }
}`;

type Result = Record<string, unknown> & { id: string; alias: string };

async function create(input: object, caller = owner): Promise<Result> {
  const query = `mutation ($input: CreateLinkInput!) { createLink(input: $input) ${result} }`;
  return (await caller.data<{ createLink: Result }>(query, { input })).createLink;
}

async function update(id: string, input: object, caller = owner): Promise<Result> {
  const query = `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) ${result} }`;
  return (await caller.data<{ updateLink: Result }>(query, { id, input })).updateLink;
}

function refusal(fields: Record<string, string>) {
  const list = Object.entries(fields).map(([path, message]) => ({
    path: path.split('.'),
    messages: [message],
  }));
  const [first] = Object.entries(fields);
  const message = `${first?.[0]} ${first?.[1]}.`;
  return { __typename: 'ValidationError', code: 'VALIDATION', message, fields: list };
}

const url = 'https://example.com/';
const plain = {
  __typename: 'Link',
  url,
  title: null,
  domain: { id: '1', name: 's.example', shared: true },
  space: null,
  pixels: [],
  hasPassword: false,
  disabled: false,
  privacy: 'PUBLIC',
  hasPrivacyPassword: false,
  expiration: { url: null, at: null, clicks: null },
  targeting: { type: 'NONE', countries: [], platforms: [], languages: [], rotation: [] },
  clicks: 0,
  status: 'ACTIVE',
  createdAt: noon,
  updatedAt: noon,
};

describe('createLink', () => {
  test('creates a link with only a URL', async () => {
    const { id, alias, shortUrl, ...link } = await create({ url });
    expect(link).toEqual(plain);
    expect(shortUrl).toBe(`https://s.example/${alias}`);
    expect(id).toMatch(/^\d+$/);
  });

  test('accepts every field', async () => {
    const spaceId = String(await owner.space('Everything'));
    const pixelId = String(await owner.pixel());
    const domainId = String(await owner.domain('every.example'));
    const input = {
      url,
      domainId,
      alias: 'everything',
      title: ' Everything ',
      password: 'secret',
      spaceId,
      pixelIds: [pixelId, pixelId],
      disabled: true,
      privacy: 'PASSWORD',
      privacyPassword: 'secret too',
      expiration: { url: 'https://example.com/over', at: '2027-01-01T00:00:00.123+01:00', clicks: 3 },
      targeting: {
        type: 'LANGUAGE',
        countries: [{ country: 'us', url }],
        platforms: [{ platform: 'CHROME_OS', url }],
        languages: [{ language: 'DE', url }],
        rotation: [url, url],
      },
    };
    const { id: _, ...link } = await create(input);
    expect(link).toEqual({
      ...plain,
      alias: 'everything',
      shortUrl: 'https://every.example/everything',
      title: 'Everything',
      domain: { id: domainId, name: 'every.example', shared: false },
      space: { id: spaceId, name: 'Everything' },
      pixels: [{ id: pixelId, type: 'GOOGLE_ADS' }],
      hasPassword: true,
      disabled: true,
      privacy: 'PASSWORD',
      hasPrivacyPassword: true,
      expiration: { url: 'https://example.com/over', at: '2026-12-31T23:00:00.123Z', clicks: 3 },
      targeting: {
        type: 'LANGUAGE',
        countries: [{ country: 'US', url }],
        platforms: [{ platform: 'CHROME_OS', url }],
        languages: [{ language: 'de', url }],
        rotation: [url, url],
      },
      status: 'DISABLED',
    });
  });

  test('accepts null for every field with a default', async () => {
    const names =
      'domainId alias title password spaceId pixelIds disabled privacy privacyPassword expiration targeting';
    const nulls = Object.fromEntries(names.split(' ').map((name) => [name, null]));
    expect(await create({ url, ...nulls })).toMatchObject(plain);
  });

  test('reports all invalid fields at once, each by its path', async () => {
    const wrong = {
      url: 'nowhere',
      alias: '',
      pixelIds: ['x'],
      privacy: 'PASSWORD',
      expiration: { at: 'tomorrow', clicks: 0 },
      targeting: { countries: [{ country: 'XX', url: 'x' }], rotation: [url, ''] },
    };
    const address = 'must be an absolute http or https URL, such as https://example.com/page';
    expect(await create(wrong)).toEqual(
      refusal({
        url: address,
        alias: 'may not be empty',
        'pixelIds.0': 'must be ids of your pixels',
        'expiration.at': 'must be a moment in ISO 8601 with its offset from UTC, such as 2027-01-01T00:00Z',
        'expiration.clicks': 'must be a whole number from 1 to 999999999',
        'targeting.countries.0.country': 'must be an ISO 3166-1 alpha-2 code, such as DE, or XK',
        'targeting.countries.0.url': address,
        'targeting.rotation.1': 'may not be empty',
        privacyPassword: 'is required where a password guards the statistics',
      }),
    );
  });

  test('reports all errors that need the database at once', async () => {
    await create({ url, alias: 'taken' });
    const input = {
      url: 'http://s.example',
      alias: 'taken',
      spaceId: '99999',
      pixelIds: ['99999'],
      expiration: { url: 'https://u@S.EXAMPLE:443/x' },
      targeting: { platforms: [{ platform: 'IOS', url: 'https://s.example/' }] },
    };
    const own = 'may not lead to a short domain of this service';
    expect(await create(input)).toEqual(
      refusal({
        url: own,
        'expiration.url': own,
        'targeting.platforms.0.url': own,
        alias: 'is already taken on this domain',
        spaceId: 'must be the id of one of your spaces',
        pixelIds: 'must be ids of your pixels, which 99999 is not',
      }),
    );
  });

  test('stores passwords as salted hashes', async () => {
    const { id } = await create({ url, password: 'same', privacy: 'PASSWORD', privacyPassword: 'same' });
    const { password, privacyPassword } = await server.database.prisma.link.findUniqueOrThrow({
      where: { id: Number(id) },
    });
    expect(password).toMatch(/^\$scrypt\$[\w=,]+\$[\w+/=]{24}\$[\w+/=]{44}$/);
    expect(password).not.toBe(privacyPassword);
  });

  test('refuses a space, a pixel or a domain of another account', async () => {
    const input = {
      url,
      spaceId: String(await owner.space('Mine')),
      pixelIds: [String(await owner.pixel())],
      domainId: String(await owner.domain('mine.example')),
    };
    expect(await create(input, stranger)).toMatchObject({
      fields: [{ path: ['domainId'] }, { path: ['spaceId'] }, { path: ['pixelIds'] }],
    });
  });
});

describe('generated aliases', () => {
  test('retries after a collision, invisibly, and gets longer if aliases are taken', async () => {
    const stuck = await startTestServer({ url: server.databaseUrl, random: () => 0 });
    try {
      const caller = await stuck.caller('lucky');
      const lengths: number[] = [];
      for (let i = 0; i < 3; i++) lengths.push((await create({ url }, caller)).alias.length);
      expect(lengths).toEqual([6, 7, 8]);
    } finally {
      await stuck.stop();
    }
  });
});

describe('updateLink', () => {
  const full = {
    url,
    title: 'Full',
    disabled: true,
    privacy: 'PRIVATE',
    expiration: { url, at: '2027-01-01T10:30:15.000Z', clicks: 5 },
    targeting: { type: 'COUNTRY', countries: [{ country: 'DE', url }], rotation: [url] },
  };

  test.each([
    [{}, {}],
    [{ title: 'New' }, { title: 'New' }],
    [{ title: null }, { title: null }],
    [{ disabled: false }, { disabled: false, status: 'ACTIVE' }],
    [{ expiration: {} }, {}],
    [{ expiration: { clicks: null } }, { expiration: { ...full.expiration, clicks: null } }],
    [{ expiration: null }, { expiration: { url: null, at: null, clicks: null } }],
    [{ expiration: { at: '2027-01-01T10:30Z' } }, {}],
    [
      { expiration: { at: '2027-01-01T10:30:00Z' } },
      { expiration: { ...full.expiration, at: '2027-01-01T10:30:00.000Z' } },
    ],
    [
      { targeting: { type: 'ROTATION' } },
      { targeting: { ...plain.targeting, ...full.targeting, type: 'ROTATION' } },
    ],
    [
      { targeting: { countries: null, languages: [{ language: 'en', url }] } },
      {
        targeting: {
          ...plain.targeting,
          ...full.targeting,
          countries: [],
          languages: [{ language: 'en', url }],
        },
      },
    ],
    [{ targeting: null }, { targeting: plain.targeting }],
  ])('%j changes only that field', async (input, changes) => {
    const link = await create(full);
    const updatedAt = timeAfter(link.updatedAt, changes);
    expect(await update(link.id, input)).toEqual({ ...link, ...changes, updatedAt });
  });

  test.each([
    [{ password: null }, { hasPassword: false }],
    [{ privacyPassword: null }, { hasPrivacyPassword: false }],
    [{ privacy: 'PASSWORD' }, { privacy: 'PASSWORD' }],
  ])('%j of a link with passwords changes only that field', async (input, changes) => {
    const link = await create({ url, password: 'x', privacyPassword: 'y' });
    const updatedAt = timeAfter(link.updatedAt, changes);
    expect(await update(link.id, input)).toEqual({ ...link, ...changes, updatedAt });
  });

  test('moves a link into a space and out of it, and replaces its pixels', async () => {
    const spaceId = String(await owner.space('In and out'));
    const pixelIds = [String(await owner.pixel()), String(await owner.pixel())];
    const { id } = await create({ url, pixelIds: pixelIds.slice(0, 1) });
    expect(await update(id, { spaceId, pixelIds: pixelIds.slice(1) })).toMatchObject({
      space: { id: spaceId },
      pixels: [{ id: pixelIds[1] }],
    });
    expect(await update(id, { spaceId: null, pixelIds: null })).toMatchObject({ space: null, pixels: [] });
  });

  test.each<[object, Record<string, string>]>([
    [{ url: null }, { url: 'cannot be cleared: it must have 1 to 2048 characters' }],
    [{ alias: null }, { alias: 'cannot be cleared: it must have 1 to 255 characters' }],
    [{ disabled: null }, { disabled: 'cannot be cleared: it must be true or false' }],
    [{ privacy: null }, { privacy: 'cannot be cleared: it must be one of PUBLIC, PRIVATE, PASSWORD' }],
    [{ domainId: null }, { domainId: 'cannot be changed: a link stays on its domain' }],
    [
      { url: '', alias: '' },
      { url: 'may not be empty', alias: 'may not be empty' },
    ],
  ])('refuses to clear a field with %j', async (input, fields) => {
    const { id } = await create(full);
    expect(await update(id, input)).toEqual(refusal(fields));
  });

  test.each([
    ['2030-01-02T10:20:30+0530', '2030-01-02T04:50:30.000Z'],
    ['2030-01-02T10:20:30.5-0730', '2030-01-02T17:50:30.500Z'],
    ['2030-01-02T10:20+0530', '2030-01-02T04:50:00.000Z'],
    ['2030-01-02T10:20:30+05', '2030-01-02T05:20:30.000Z'],
    [' 2030-01-02T10:20:30+0000 ', '2030-01-02T10:20:30.000Z'],
    ['2030-01-02T10:20:30+053', null],
    ['2030-01-02T10:20:30+2460', null],
    ['2030-01-02T10:20:30 0530', null],
    ['2030-01-02-0530', null],
    ['2030-01-02', null],
  ])('accepts offsets with and without a colon: %j', async (at, expected) => {
    const link = await create({ url, expiration: { at } });
    const notAMoment = 'must be a moment in ISO 8601 with its offset from UTC, such as 2027-01-01T00:00Z';
    if (expected === null) return expect(link).toEqual(refusal({ 'expiration.at': notAMoment }));
    expect(link).toMatchObject({ expiration: { at: expected } });
    const since = `{ changes(filter: { since: "${at.trim()}" }) { nodes { id } } links(filter: { createdFrom: "${at.trim()}" }) { nodes { id } } }`;
    expect(await owner.data(since)).toBeDefined();
  });

  test('T00:00Z alone means the start of the expiry day, and is refused in a new link', async () => {
    const expiring = { at: '2030-01-02T10:20:30Z', clicks: 5 };
    const midnight = { at: 'T00:00Z' };
    const { id } = await create({ url, expiration: expiring });
    expect(await update(id, { expiration: midnight })).toMatchObject({
      expiration: { at: '2030-01-02T00:00:00.000Z', clicks: 5 },
    });
    const { id: endless } = await create({ url });
    expect(await update(endless, { expiration: midnight })).toMatchObject({ expiration: { at: null } });
    const notAMoment = 'must be a moment in ISO 8601 with its offset from UTC, such as 2027-01-01T00:00Z';
    expect(await create({ url, expiration: midnight })).toEqual(refusal({ 'expiration.at': notAMoment }));
    expect(await update(id, { expiration: { at: 'T10:00Z' } })).toEqual(
      refusal({ 'expiration.at': notAMoment }),
    );
  });

  test('refuses to clear the password of protected statistics', async () => {
    const { id } = await create({ url, privacy: 'PASSWORD', privacyPassword: 'y' });
    const missing = refusal({ privacyPassword: 'is required where a password guards the statistics' });
    expect(await update(id, { privacyPassword: null })).toEqual(missing);
    expect(await update(id, { privacy: 'PUBLIC', privacyPassword: null })).toMatchObject({
      hasPrivacyPassword: false,
    });
    expect(await update(id, { privacy: 'PASSWORD' })).toEqual(missing);
  });

  test('does not find a link of another account', async () => {
    const { id } = await create({ url });
    expect(await update(id, { title: 'Stolen' }, stranger)).toEqual({
      __typename: 'NotFoundError',
      code: 'NOT_FOUND',
      message: 'No such link.',
    });
    expect(await stranger.data('query ($id: ID!) { link(id: $id) { id } }', { id })).toEqual({ link: null });
  });
});

describe('createLinks and deleteLinks', () => {
  const createLinks = `mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) ${result} }`;
  const deleteLinks = `mutation ($ids: [ID!]!) {
    deleteLinks(ids: $ids) { __typename ... on DeletedRecord { id } ... on Error { code } }
  }`;

  test('return a result for each input in order, and a refused one does not affect the others', async () => {
    const inputs = [{ url, alias: 'batch' }, { url: 'x' }, { url, alias: 'batch' }, { url, title: 'Last' }];
    const { createLinks: made } = await owner.data<{ createLinks: Result[] }>(createLinks, { inputs });
    expect(made).toMatchObject([
      { __typename: 'Link', alias: 'batch' },
      refusal({ url: 'must be an absolute http or https URL, such as https://example.com/page' }),
      refusal({ alias: 'is already taken on this domain' }),
      { __typename: 'Link', title: 'Last' },
    ]);
    const ids = [made[3]?.id, 'x', made[0]?.id, made[3]?.id];
    expect(await owner.data(deleteLinks, { ids })).toEqual({
      deleteLinks: [
        { __typename: 'DeletedRecord', id: made[3]?.id },
        { __typename: 'NotFoundError', code: 'NOT_FOUND' },
        { __typename: 'DeletedRecord', id: made[0]?.id },
        { __typename: 'NotFoundError', code: 'NOT_FOUND' },
      ],
    });
  });

  test('accept an empty list, and a hundred', async () => {
    expect(await owner.data(createLinks, { inputs: [] })).toEqual({ createLinks: [] });
    const inputs = Array(100).fill({ url });
    const { createLinks: made } = await owner.data<{ createLinks: Result[] }>(createLinks, { inputs });
    expect(new Set(made.map(({ alias }) => alias)).size).toBe(100);
    const ids = made.map(({ id }) => id);
    const { deleteLinks: gone } = await owner.data<{ deleteLinks: object[] }>(deleteLinks, { ids });
    expect(gone).toEqual(ids.map((id) => ({ __typename: 'DeletedRecord', id })));
  });

  test.each([
    ['createLinks', createLinks, { inputs: Array(101).fill({ url }) }, 'inputs'],
    ['deleteLinks', deleteLinks, { ids: Array(101).fill('1') }, 'ids'],
  ])('%s refuses more than a hundred, and does nothing', async (_name, query, variables, argument) => {
    const count = '{ links { totalCount } }';
    const before = await owner.data(count);
    const { errors } = await owner.graphql(query, variables);
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'VALIDATION',
          fields: [{ path: [argument], messages: ['may have at most 100 entries, not 101'] }],
        },
      },
    ]);
    expect(await owner.data(count)).toEqual(before);
  });
});

describe('the space, pixels and domain of a link', () => {
  test('deleting a space keeps its links, without a space', async () => {
    const spaceId = String(await owner.space('Short-lived'));
    const { id } = await create({ url, spaceId });
    await owner.rest('DELETE', `/spaces/${spaceId}`);
    expect(await owner.data('query ($id: ID!) { link(id: $id) { space { id } } }', { id })).toEqual({
      link: { space: null },
    });
  });

  test('deleting a pixel detaches it', async () => {
    const [gone, left] = [String(await owner.pixel()), String(await owner.pixel())];
    const { id } = await create({ url, pixelIds: [gone, left] });
    await owner.data('mutation ($id: ID!) { deletePixel(id: $id) { __typename } }', { id: gone });
    expect(await owner.data('query ($id: ID!) { link(id: $id) { pixels { id } } }', { id })).toEqual({
      link: { pixels: [{ id: left }] },
    });
  });

  test('deletes a domain only if it has no links', async () => {
    const domainId = String(await owner.domain('busy.example'));
    const { id } = await create({ url, domainId });
    const remove = `mutation ($id: ID!) {
      deleteDomain(id: $id) { __typename ... on DeletedRecord { id } ... on Error { code message } }
    }`;
    expect(await owner.data(remove, { id: domainId })).toEqual({
      deleteDomain: {
        __typename: 'InUseError',
        code: 'IN_USE',
        message: 'This domain still has links: delete them first.',
      },
    });
    await owner.rest('DELETE', `/links/${id}`);
    expect(await owner.data(remove, { id: domainId })).toEqual({
      deleteDomain: { __typename: 'DeletedRecord', id: domainId },
    });
  });
});

describe('errors do not reveal', () => {
  const create = `mutation ($input: CreateLinkInput!) { createLink(input: $input) {
    __typename ... on ValidationError { fields { path messages } } } }`;

  test('whether an alias is taken on another account’s domain', async () => {
    const other = await server.caller('holder');
    const domainId = String(await other.domain('held.example'));
    await other.link({ alias: 'taken', domain_id: domainId });
    const refused = (alias: string) => owner.data(create, { input: { url, domainId, alias } });
    expect(await refused('taken')).toEqual({
      createLink: {
        __typename: 'ValidationError',
        fields: [{ path: ['domainId'], messages: ['must be the id of a domain that you may use'] }],
      },
    });
    expect(await refused('taken')).toEqual(await refused('free'));
  });

  test('whether a host is another account’s domain', async () => {
    const other = await server.caller('holder too');
    await other.domain('secret-host.example');
    const lead = (to: string, caller: Caller) => caller.data(create, { input: { url: to } });
    expect(await lead('https://secret-host.example/x', owner)).toEqual({
      createLink: { __typename: 'Link' },
    });
    expect(await lead('https://secret-host.example/x', other)).toMatchObject({
      createLink: {
        fields: [{ path: ['url'], messages: ['may not lead to a short domain of this service'] }],
      },
    });
  });
});

test('accepts a stored address again after its host became a short domain', async () => {
  const caller = await server.caller('late domain');
  const to = (path: string) => `https://later.example/${path}`;
  const targeting = {
    type: 'COUNTRY',
    countries: [{ country: 'DE', url: to('de') }],
    rotation: [to('turn')],
  };
  const input = { url: to(''), expiration: { url: to('over') }, targeting };
  const { createLink } = await caller.data<{ createLink: { id: string } }>(
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id } } }',
    { input },
  );
  await caller.domain('later.example');
  const change = (changes: object) =>
    caller.data(
      `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) {
        __typename ... on ValidationError { fields { path } } } }`,
      { id: createLink.id, input: changes },
    );
  expect(await change({ ...input, title: 'Same' })).toEqual({ updateLink: { __typename: 'Link' } });
  expect(await change({ ...input, url: to('new') })).toEqual({
    updateLink: { __typename: 'ValidationError', fields: [{ path: ['url'] }] },
  });
});

test('reports an id that is sent twice once', async () => {
  const { createLink } = await owner.data<{ createLink: object }>(
    `mutation { createLink(input: { url: "https://example.com/", pixelIds: ["99999", "99999"] }) {
      ... on ValidationError { fields { messages } } } }`,
  );
  expect(createLink).toEqual({ fields: [{ messages: ['must be ids of your pixels, which 99999 is not'] }] });
});

test('accepts a time surrounded by white space', async () => {
  const { createLink } = await owner.data<{ createLink: object }>(
    `mutation { createLink(input: { url: "https://example.com/", expiration: { at: " 2030-01-01T00:00Z " } }) {
      ... on Link { expiration { at } } } }`,
  );
  expect(createLink).toEqual({ expiration: { at: '2030-01-01T00:00:00.000Z' } });
});

test.each([
  ['country', 'countries', '\u00df'],
  ['country', 'countries', 'd\u0435'],
  ['language', 'languages', '\u212aa'],
])('refuses a %s with letters beyond ASCII that fold into a code', async (key, list, code) => {
  const targeting = { type: 'NONE', [list]: [{ [key]: code, url }] };
  const { createLink } = await owner.data<{ createLink: object }>(
    `mutation ($input: CreateLinkInput!) { createLink(input: $input) {
      __typename ... on ValidationError { fields { path } } } }`,
    { input: { url, targeting } },
  );
  expect(createLink).toEqual({
    __typename: 'ValidationError',
    fields: [{ path: ['targeting', list, '0', key] }],
  });
});

test('refuses a URL of more than 2048 characters, counted with special ones escaped', async () => {
  const { createLink } = await owner.data<{ createLink: object }>(
    `mutation ($input: CreateLinkInput!) { createLink(input: $input) {
      __typename ... on ValidationError { fields { path messages } } } }`,
    { input: { url: `https://x.example/${'\u{1f600}'.repeat(2_000)}` } },
  );
  expect(createLink).toEqual({
    __typename: 'ValidationError',
    fields: [
      {
        path: ['url'],
        messages: ['may have at most 2048 characters as it is sent, with special ones escaped'],
      },
    ],
  });
});

test('mutations return what a query reads afterwards', async () => {
  const [space, other] = [String(await owner.space('First')), String(await owner.space('Second'))];
  const [pixel, another] = [String(await owner.pixel()), String(await owner.pixel('Other'))];
  const domainId = String(await owner.domain('answered.example'));
  const shown = async ({ id }: Result) =>
    (
      await owner.data<{ link: Result }>(`query ($id: ID!) { link(id: $id) { __typename ${linkFields} } }`, {
        id,
      })
    ).link;
  const expectShown = async (answer: Result) => {
    expect(answer.__typename).toBe('Link');
    expect(answer).toEqual(await shown(answer));
    return answer;
  };
  const title = 'A title';
  for (const input of [{}, { domainId, spaceId: space, title }, { pixelIds: [pixel, another] }]) {
    const { id } = await expectShown(await create({ url, ...input }));
    await server.database.prisma.linkCounter.update({
      where: { linkId: Number(id) },
      data: { clicks: 3, lastClickedAt: server.clock.now },
    });
    for (const change of [
      { title: 'Another' },
      { spaceId: other },
      { spaceId: null },
      { pixelIds: [pixel] },
      { title: 'A third' },
      { pixelIds: [] },
      { expiration: { at: null, clicks: 3, url: null } },
    ])
      expect((await expectShown(await update(id, change))).clicks).toBe(3);
  }
});
