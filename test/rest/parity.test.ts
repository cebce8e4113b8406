import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLinkInput } from '../../src/domain/link/fields.ts';
import type { LinkFieldsFragment, SpaceFieldsFragment } from '../../src/generated/documents.ts';
import { routes } from '../../src/rest/routes.ts';
import { plainFields, plainly } from '../support/plain-fields.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

// Compares each operation of v1 with its GraphQL counterpart: both are run on equal records, and the GraphQL answer is
// translated to v1's form by this file's own tables.

let server: TestServer;
let owner: Caller;
let space: number;
let domain: number;
let pixel: number;
let tags: number[];
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  space = await owner.space('Launch', { color: 3 });
  domain = await owner.domain('go.example');
  pixel = await owner.pixel();
  tags = [await owner.tag('Sale'), await owner.tag('ads')];
  await owner.link({ alias: 'taken', external_id: 'taken' });
});
afterAll(() => server.stop());

interface Page<Item> {
  items: Item[];
  total: number;
  page: number;
  perPage: number;
  pageCount: number;
}

interface Refusal {
  fields: { path: string[]; messages: string[] }[];
}

/** The types of the GraphQL fields; each counterpart uses the one that its query selects. */
interface Data {
  space: SpaceFieldsFragment | null;
  link: LinkFieldsFragment | null;
  spacePage: Page<SpaceFieldsFragment>;
  linkPage: Page<LinkFieldsFragment>;
  createSpace: SpaceFieldsFragment & Refusal;
  updateSpace: SpaceFieldsFragment & Refusal;
  createLink: LinkFieldsFragment & Refusal;
  updateLink: LinkFieldsFragment & Refusal;
  deleteSpace: { id: string };
  deleteLink: { id: string };
}

interface Twin {
  what: string;
  rest: [method: string, path: string, form?: [string, string | number][]];
  graphql: [query: string, variables?: object];
  status?: number;
  /** v1's body, without its status, from GraphQL's data. */
  body(data: Data): object;
}

const spaceFields = 'id name color createdAt updatedAt';
const linkFields = `id url alias shortUrl domain { id name } space { id name color }
  pixels { id name type value } tags { id name } hasPassword disabled forwardsQuery externalId privacy hasPrivacyPassword expiration { url at clicks }
  targeting { type countries { country url } platforms { platform url } languages { language url } rotation }
  startsAt archived redirectStatus clicks lastClickedAt status createdAt updatedAt ${plainFields.map(({ name }) => name).join(' ')}`;
const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';
const pageFields = 'total page perPage pageCount';

function spaceOf({ id, name, color, createdAt, updatedAt }: SpaceFieldsFragment) {
  return { id: Number(id), name, color, created_at: createdAt, updated_at: updatedAt };
}

interface Row {
  value: string | null;
  clicks: number;
}

function linkRows(link: unknown): Page<Row> {
  return (link as { statistics: { rowPage: Page<Row> } }).statistics.rowPage; // As selected by the counterpart's query.
}

function rowOf({ value, clicks }: Row) {
  return { value: value ?? '', count: clicks };
}

const platformNames: Record<string, string> = { OS_X: 'OS X', IOS: 'iOS', CHROME_OS: 'Chrome OS' };

function linkOf(link: LinkFieldsFragment) {
  const { expiration, targeting } = link;
  const values: Readonly<Record<string, unknown>> = link;
  return {
    ...plainly('inV1', ({ name }) => values[name]),
    id: Number(link.id),
    url: link.url,
    alias: link.alias,
    short_url: link.shortUrl,
    domain_id: Number(link.domain.id),
    domain: { id: Number(link.domain.id), name: link.domain.name },
    space_id: link.space ? Number(link.space.id) : null,
    space: link.space ? { ...link.space, id: Number(link.space.id) } : null,
    pixel_ids: link.pixels.map(({ id }) => Number(id)),
    pixels: link.pixels.map((one) => ({ ...one, id: Number(one.id), type: 'google-ads' })),
    tag_ids: link.tags.map(({ id }) => Number(id)),
    tags: link.tags.map(({ id, name }) => ({ id: Number(id), name })),
    has_password: link.hasPassword,
    disabled: link.disabled ? 1 : 0,
    forward_query: link.forwardsQuery ? 1 : 0,
    privacy: ['PUBLIC', 'PRIVATE', 'PASSWORD'].indexOf(link.privacy),
    has_privacy_password: link.hasPrivacyPassword,
    starts_at: link.startsAt,
    archived: link.archived ? 1 : 0,
    redirect_status: link.redirectStatus,
    expiration_url: expiration.url,
    expiration_date: expiration.at?.split('T')[0] ?? null,
    expiration_time: expiration.at?.split('T')[1]?.slice(0, 5) ?? null,
    expiration_clicks: expiration.clicks,
    ends_at: expiration.at,
    target_type: ['NONE', 'COUNTRY', 'PLATFORM', 'LANGUAGE', 'ROTATION'].indexOf(targeting.type),
    country: targeting.countries.map(({ country, url }) => ({ key: country, value: url })),
    platform: targeting.platforms.map(({ platform, url }) => ({
      key: platformNames[platform],
      value: url,
    })),
    language: targeting.languages.map(({ language, url }) => ({ key: language, value: url })),
    rotation: targeting.rotation.map((url: string) => ({ value: url })),
    clicks: link.clicks,
    last_clicked_at: link.lastClickedAt,
    state: ['', 'ACTIVE', 'EXPIRED', 'DISABLED'].indexOf(link.status),
    created_at: link.createdAt,
    updated_at: link.updatedAt,
    ...(link.externalId !== null && { external_id: link.externalId }),
  };
}

/** v1's list, except the page links, which only v1 has. */
function readPage<Item>(
  { items, total, page, perPage, pageCount }: Page<Item>,
  path: string,
  encode: (item: Item) => object,
) {
  const before = (page - 1) * perPage;
  return {
    data: items.map(encode),
    links: expect.objectContaining({ first: expect.stringContaining(`${path}?`) }),
    meta: {
      current_page: page,
      from: items.length ? before + 1 : null,
      last_page: pageCount,
      path: `${server.origin}/api/v1${path}`,
      per_page: perPage,
      to: items.length ? before + items.length : null,
      total,
    },
  };
}

/** v1's names for paths of GraphQL's input. */
const names: [RegExp, string][] = [
  [/^spaceId$/, 'space_id'],
  [/^externalId$/, 'external_id'],
  [/^pixelIds$/, 'pixel_ids'],
  [/^tagIds$/, 'tag_ids'],
  [/^domainId$/, 'domain_id'],
  [/^startsAt$/, 'starts_at'],
  [/^redirectStatus$/, 'redirect_status'],
  [/^privacyPassword$/, 'privacy_password'],
  [/^expiration\.(url|clicks)$/, 'expiration_$1'],
  [/^targeting\.countries\.(\d+)\.country$/, 'country.$1.key'],
  [/^targeting\.countries\.(\d+)\.url$/, 'country.$1.value'],
  [/^targeting\.languages\.(\d+)\.language$/, 'language.$1.key'],
  [/^targeting\.rotation\.(\d+)$/, 'rotation.$1.value'],
  ...plainFields.map(({ name, inV1 }): [RegExp, string] => [new RegExp(`^${name}$`), inV1]),
];

function refused({ fields }: Refusal) {
  const errors = Object.fromEntries(
    fields.map(({ path, messages }) => {
      const place = path.join('.');
      const [pattern, spelling] = names.find(([one]) => one.test(place)) ?? [/^/, ''];
      const name = place.replace(pattern, spelling);
      return [name, messages.map((message) => `The ${name} field ${message}.`)];
    }),
  );
  return { message: expect.any(String), errors };
}

const missing = () => ({ message: 'Resource not found.' });

const url = 'https://example.com/';
const wholeForm: () => [string, string | number][] = () => [
  ['url', url],
  ['domain_id', domain],
  ...Object.entries(plainly('inV1', ({ name }) => `A ${name}`)),
  ['password', 'x'],
  ['space_id', space],
  ['pixel_ids', pixel],
  ['tag_ids[]', tags[0] ?? 0],
  ['tag_ids[]', tags[1] ?? 0],
  ['disabled', 0],
  ['forward_query', 0],
  ['privacy', 2],
  ['privacy_password', 'y'],
  ['expiration_url', url],
  ['expiration_date', '2027-01-31'],
  ['expiration_time', '10:30'],
  ['expiration_clicks', 7],
  ['starts_at', '2027-01-30T10:30:00Z'],
  ['archived', 1],
  ['redirect_status', 307],
  ['target_type', 2],
  ['country[1][key]', 'de'],
  ['country[1][value]', url],
  ['platform[0][key]', 'OS X'],
  ['platform[0][value]', url],
  ['language[0][key]', 'en'],
  ['language[0][value]', url],
  ['rotation[0][value]', url],
];
const wholeInput = () => ({
  url,
  domainId: String(domain),
  ...plainly('name', ({ name }) => `A ${name}`),
  password: 'x',
  spaceId: String(space),
  pixelIds: [String(pixel)],
  tagIds: tags.map(String),
  disabled: false,
  forwardsQuery: false,
  privacy: 'PASSWORD',
  privacyPassword: 'y',
  startsAt: '2027-01-30T10:30:00Z',
  archived: true,
  redirectStatus: 307,
  expiration: { url, at: '2027-01-31T10:30:00Z', clicks: 7 },
  targeting: {
    type: 'PLATFORM',
    countries: [{ country: 'de', url }],
    platforms: [{ platform: 'OS_X', url }],
    languages: [{ language: 'en', url }],
    rotation: [url],
  },
});
const wrongForm: [string, string | number][] = [
  ['url', 'x'],
  ['alias', 'a b'],
  ...Object.entries(plainly('inV1', ({ maxLength }) => 'x'.repeat(maxLength + 1))),
  ['external_id', 'x'.repeat(256)],
  ['privacy', 2],
  ['starts_at', 'tomorrow'],
  ['redirect_status', 303],
  ['expiration_clicks', 0],
  ['expiration_url', 'x'],
  ['country[0][key]', 'XX'],
  ['country[0][value]', 'x'],
  ['language[0][key]', 'en'],
  ['language[0][value]', url],
  ['language[1][key]', 'EN'],
  ['language[1][value]', url],
  ['rotation[0][value]', 'x'],
];
const wrongInput = {
  url: 'x',
  alias: 'a b',
  ...plainly('name', ({ maxLength }) => 'x'.repeat(maxLength + 1)),
  externalId: 'x'.repeat(256),
  privacy: 'PASSWORD',
  startsAt: 'tomorrow',
  redirectStatus: 303,
  expiration: { clicks: 0, url: 'x' },
  targeting: {
    countries: [{ country: 'XX', url: 'x' }],
    languages: [
      { language: 'en', url },
      { language: 'EN', url },
    ],
    rotation: ['x'],
  },
};
/** A well-formed input that the checks against the database refuse. */
const refusedForm: [string, string | number][] = [
  ['url', 'https://s.example/'],
  ['alias', 'taken'],
  ['external_id', 'taken'],
  ['space_id', 99999],
  ['pixel_ids', 99999],
  ['tag_ids', 99999],
];
const refusedInput = {
  url: 'https://s.example/',
  alias: 'taken',
  externalId: 'taken',
  spaceId: '99999',
  pixelIds: ['99999'],
  tagIds: ['99999'],
};

const twoSpaces = async () => [await owner.space('Twin'), await owner.space('Twin')] as const;
const twoLinks = async () =>
  [await owner.link({ title: 'Twin' }), await owner.link({ title: 'Twin' })].map(({ id }) => id);

const createSpace = `mutation ($input: CreateSpaceInput!) {
  createSpace(input: $input) { ... on Space { ${spaceFields} } ${failure} }
}`;
const updateSpace = `mutation ($id: ID!, $input: UpdateSpaceInput!) {
  updateSpace(id: $id, input: $input) { ... on Space { ${spaceFields} } ${failure} }
}`;
const createLink = `mutation ($input: CreateLinkInput!) {
  createLink(input: $input) { ... on Link { ${linkFields} } ${failure} }
}`;
const updateLink = `mutation ($id: ID!, $input: UpdateLinkInput!) {
  updateLink(id: $id, input: $input) { ... on Link { ${linkFields} } ${failure} }
}`;
const deleted = (field: string) => `mutation ($id: ID!) {
  ${field}(id: $id) { ... on DeletedRecord { id } ... on Error { code message } }
}`;

function updatesOf(method: string, kind: 'space' | 'link'): () => Promise<Twin[]> {
  const path = `/${kind}s`;
  const field = kind === 'space' ? 'updateSpace' : 'updateLink';
  const [query, two] = kind === 'space' ? [updateSpace, twoSpaces] : [updateLink, twoLinks];
  const encode = (data: Data) => (kind === 'space' ? spaceOf(data.updateSpace) : linkOf(data.updateLink));
  return async () => {
    const [one = 0, other = 0] = await two();
    const update = (
      what: string,
      form: [string, string | number][],
      input: object,
      status = 200,
      id = one,
    ): Twin => ({
      what,
      rest: [method, `${path}/${id}`, form],
      graphql: [query, { id: String(id === one ? other : id), input }],
      status,
      body: (data) => {
        if (status === 200) return { data: encode(data) };
        return status === 404 ? missing() : refused(data[field]);
      },
    });
    const common = [update('nothing', [], {}), update('an unknown id', [], {}, 404, 99999)];
    if (kind === 'space')
      return [
        ...common,
        update(
          'both fields',
          [
            ['name', 'New'],
            ['color', 6],
          ],
          { name: 'New', color: 6 },
        ),
        update(
          'wrong fields',
          [
            ['name', ''],
            ['color', 7],
          ],
          { name: null, color: 7 },
          422,
        ),
      ];
    const { domainId: _, ...input } = wholeInput();
    return [
      ...common,
      update(
        'every field',
        wholeForm().filter(([name]) => name !== 'domain_id'),
        input,
      ),
      update(
        'the clearing of all',
        [
          ...plainFields.map(({ inV1 }) => inV1),
          ...[
            'external_id',
            'password',
            'space_id',
            'pixel_ids',
            'tag_ids',
            'starts_at',
            'expiration_url',
            'expiration_date',
          ],
          ...['expiration_clicks', 'target_type', 'country', 'platform', 'language', 'rotation'],
        ].map((name): [string, string] => [name, '']),
        {
          ...plainly('name', () => null),
          externalId: null,
          password: null,
          spaceId: null,
          pixelIds: null,
          tagIds: null,
          startsAt: null,
          expiration: null,
          targeting: null,
        },
      ),
      update(
        'wrong fields',
        wrongForm.filter(([name]) => name !== 'privacy'),
        { ...wrongInput, privacy: undefined },
        422,
      ),
      update('what the database refuses', refusedForm, refusedInput, 422),
      update(
        'a privacy without its password',
        [
          ['privacy', 2],
          ['privacy_password', ''],
        ],
        { privacy: 'PASSWORD', privacyPassword: null },
        422,
      ),
    ];
  };
}

function deletionsOf(kind: 'space' | 'link'): () => Promise<Twin[]> {
  return async () => {
    const field = kind === 'space' ? 'deleteSpace' : 'deleteLink';
    const [one, other] = kind === 'space' ? await twoSpaces() : await twoLinks();
    return [
      {
        what: 'an own one',
        rest: ['DELETE', `/${kind}s/${one}`],
        graphql: [deleted(field), { id: String(other) }],
        body: (data) => ({ id: Number(data[field].id), object: kind, deleted: true }),
      },
      {
        what: 'an unknown one',
        rest: ['DELETE', `/${kind}s/99999`],
        graphql: [deleted(field), { id: '99999' }],
        status: 404,
        body: missing,
      },
    ];
  };
}

const twins: Record<string, () => Promise<Twin[]> | Twin[]> = {
  'GET /spaces': () => [
    {
      what: 'all',
      rest: ['GET', '/spaces'],
      graphql: [`{ spacePage { items { ${spaceFields} } ${pageFields} } }`],
      body: ({ spacePage }) => readPage(spacePage, '/spaces', spaceOf),
    },
    {
      what: 'a search, sorted',
      rest: ['GET', '/spaces?search=LAUNCH&sort_by=name&sort=asc&per_page=25&page=2'],
      graphql: [
        `{ spacePage(page: 2, perPage: 25, filter: { search: "LAUNCH" }, orderBy: { field: NAME, direction: ASC }) {
          items { ${spaceFields} } ${pageFields}
        } }`,
      ],
      body: ({ spacePage }) => readPage(spacePage, '/spaces', spaceOf),
    },
  ],
  'GET /spaces/:id': () => [
    {
      what: 'an own one',
      rest: ['GET', `/spaces/${space}`],
      graphql: [`{ space(id: "${space}") { ${spaceFields} } }`],
      body: ({ space: found }) => ({ data: found && spaceOf(found) }),
    },
    {
      what: 'an unknown one',
      rest: ['GET', '/spaces/99999'],
      graphql: ['{ space(id: "99999") { id } }'],
      status: 404,
      body: (data) => ({ message: data.space === null ? 'Resource not found.' : '' }),
    },
  ],
  'GET /stats/:id': async () => {
    const { id } = await owner.link();
    const period = 'from: "2026-11-18", to: "2026-11-20"';
    return [
      {
        what: 'days, sorted',
        rest: ['GET', `/stats/${id}?from=2026-11-18&to=2026-11-20&sort_by=value&sort=asc`],
        graphql: [
          `{ link(id: "${id}") { statistics(${period}) {
            rowPage(of: DAYS, orderBy: { field: VALUE, direction: ASC }) { items { value clicks } ${pageFields} }
          } } }`,
        ],
        body: ({ link }) => readPage(linkRows(link), `/stats/${id}`, rowOf),
      },
      {
        what: 'an unknown link',
        rest: ['GET', '/stats/99999'],
        graphql: ['{ link(id: "99999") { statistics { clicks } } }'],
        status: 404,
        body: (data) => ({ message: data.link === null ? 'Resource not found.' : '' }),
      },
    ];
  },
  'POST /spaces': () => [
    {
      what: 'both fields',
      rest: [
        'POST',
        '/spaces',
        [
          ['name', 'New'],
          ['color', 2],
        ],
      ],
      graphql: [createSpace, { input: { name: 'New', color: 2 } }],
      status: 201,
      body: (data) => ({ data: spaceOf(data.createSpace) }),
    },
    {
      what: 'wrong fields',
      rest: [
        'POST',
        '/spaces',
        [
          ['name', 'x'.repeat(256)],
          ['color', 0],
        ],
      ],
      graphql: [createSpace, { input: { name: 'x'.repeat(256), color: 0 } }],
      status: 422,
      body: (data) => refused(data.createSpace),
    },
  ],
  'PUT /spaces/:id': updatesOf('PUT', 'space'),
  'PATCH /spaces/:id': updatesOf('PATCH', 'space'),
  'DELETE /spaces/:id': deletionsOf('space'),
  'GET /links': () => {
    const list = (query: string, args: string): Twin => ({
      what: query,
      rest: ['GET', `/links?${query}`],
      graphql: [`{ linkPage(${args}) { items { ${linkFields} } ${pageFields} } }`],
      body: ({ linkPage }) => readPage(linkPage, '/links', linkOf),
    });
    return [
      list('', 'page: 1'),
      list('per_page=25&page=3', 'perPage: 25, page: 3'),
      list('search=tWi&sort_by=clicks', 'filter: { search: "tWi" }, orderBy: { field: CLICKS }'),
      list('search=TAK&search_by=alias', 'filter: { search: "TAK", searchBy: ALIAS }'),
      list(
        'search=example&search_by=url&sort=asc',
        'filter: { search: "example", searchBy: URL }, orderBy: { direction: ASC }',
      ),
      list('status=1&sort_by=title', 'filter: { status: ACTIVE }, orderBy: { field: TITLE }'),
      list('status=2&sort_by=alias', 'filter: { status: EXPIRED }, orderBy: { field: ALIAS }'),
      list('status=3&sort_by=url', 'filter: { status: DISABLED }, orderBy: { field: URL }'),
      list('space_id=0', 'filter: { withoutSpace: true }'),
      list(`space_id=${space}`, `filter: { spaceId: "${space}" }`),
      list(`tag_id=${tags[0]}`, `filter: { tags: { all: ["${tags[0]}"] } }`),
      list(`domain_id=${domain}&pixel_id=${pixel}`, `filter: { domainId: "${domain}", pixelId: "${pixel}" }`),
    ];
  },
  'GET /links/:id': async () => {
    const { id } = await owner.link(Object.fromEntries(wholeForm()));
    return [
      {
        what: 'an own one',
        rest: ['GET', `/links/${id}`],
        graphql: [`{ link(id: "${id}") { ${linkFields} } }`],
        body: ({ link }) => ({ data: link && linkOf(link) }),
      },
      {
        what: 'an unknown one',
        rest: ['GET', '/links/99999'],
        graphql: ['{ link(id: "99999") { id } }'],
        status: 404,
        body: (data) => ({ message: data.link === null ? 'Resource not found.' : '' }),
      },
    ];
  },
  'POST /links': () => {
    const create = (what: string, form: [string, string | number][], input: object, status = 201): Twin => ({
      what,
      rest: ['POST', '/links', form],
      graphql: [createLink, { input }],
      status,
      body: ({ createLink: data }) => (status === 201 ? { data: linkOf(data) } : refused(data)),
    });
    return [
      create('a URL alone', [['url', url]], { url }),
      create('every field', wholeForm(), wholeInput()),
      create('wrong fields', wrongForm, wrongInput, 422),
      create('what the database refuses', refusedForm, refusedInput, 422),
    ];
  },
  'PUT /links/:id': updatesOf('PUT', 'link'),
  'PATCH /links/:id': updatesOf('PATCH', 'link'),
  'DELETE /links/:id': deletionsOf('link'),
  // qr.test.ts compares its images.
  'GET /links/:id/qr': async () => [
    {
      what: 'no link',
      rest: ['GET', '/links/99999/qr'],
      graphql: ['{ link(id: 99999) { qrCode } }'],
      status: 404,
      body: (data) => {
        expect(data).toEqual({ link: null });
        return { message: 'Resource not found.' };
      },
    },
  ],
};

/** The body without ids and aliases, which differ between equal records. */
function comparable(body: object): unknown {
  const alias = /"alias":"([^"]+)"/.exec(JSON.stringify(body))?.[1] ?? '';
  if ('deleted' in body) return { ...body, id: 'its id' };
  if (!('data' in body) || Array.isArray(body.data)) return body;
  const text = JSON.stringify({ ...body, data: { ...(body.data as object), id: 'its id' } });
  return JSON.parse(alias === '' ? text : text.replaceAll(`${alias}"`, 'its alias"'));
}

const operations = routes.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));

test.each(operations)('%s gives the same result as its GraphQL counterpart', async (operation) => {
  const cases = await twins[operation]?.();
  expect(cases, 'this operation of v1 has no twin').toBeDefined();
  for (const { what, rest, graphql, status = 200, body } of cases ?? []) {
    const [method, path, form] = rest;
    const answer = await owner.rest(
      method,
      path,
      form?.map(([name, value]): [string, string] => [name, String(value)]),
    );
    const expected = { ...body(await owner.data(...graphql)), status };
    expect([answer.status, comparable(answer.body as object)], what).toEqual([status, comparable(expected)]);
  }
});

test('the comparison covers every field of links', () => {
  // Only the invalid fields have an alias and an external id, which are unique. v1 has no `reuse`, no UTM templates, no rules and no previews.
  const others = [
    'alias',
    'externalId',
    'reuse',
    'utmTemplateId',
    'utmOnTargets',
    'rules',
    'ruleTests',
    'preview',
  ];
  const taken = Object.keys(createLinkInput.shape).filter((name) => !others.includes(name));
  expect(Object.keys(wholeInput()).sort()).toEqual(taken.sort());
  expect(plainFields.map(({ name }) => name)).toContain('title');
});

test('every compared operation belongs to v1', () => {
  expect(Object.keys(twins).sort()).toEqual([...operations].sort());
});
