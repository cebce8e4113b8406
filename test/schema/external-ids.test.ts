import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newDatabase, settled } from '../support/database.ts';
import { planOf } from '../support/plan.ts';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';

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
  owner = await server.caller();
});
afterAll(async () => {
  await server.stop();
  await other.stop();
});

const url = 'https://example.com/';
const FIELDS = `__typename ... on Link { id url alias title externalId }
  ... on ValidationError { fields { path messages reason } }`;

interface Result {
  __typename: string;
  id: string;
  alias: string;
  fields?: { path: string[]; messages: string[]; reason: string }[];
}

async function create(input: object, caller = owner): Promise<Result> {
  const query = `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ${FIELDS} } }`;
  return (await caller.data<{ createLink: Result }>(query, { input: { url, ...input } })).createLink;
}

async function update(id: string, input: object, caller = owner): Promise<Result> {
  const query = `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { ${FIELDS} } }`;
  return (await caller.data<{ updateLink: Result }>(query, { id, input })).updateLink;
}

const UPSERT = `mutation ($externalId: String!, $input: CreateLinkInput!) {
  upsertLink(externalId: $externalId, input: $input) { ${FIELDS} }
}`;

async function upsert(externalId: string, input: object = {}, caller = owner): Promise<Result> {
  const variables = { externalId, input: { url, ...input } };
  return (await caller.data<{ upsertLink: Result }>(UPSERT, variables)).upsertLink;
}

const refused = (reason: string, ...path: string[]) => ({
  __typename: 'ValidationError',
  fields: [{ path, reason }],
});
const taken = refused('EXTERNAL_ID_TAKEN', 'externalId');

/** Lists the external ids with a beginning, oldest first. */
async function withPrefix(externalIdPrefix: string, more: object = {}): Promise<(string | null)[]> {
  const { links } = await owner.data<{
    links: { totalCount: number; nodes: { externalId: string | null }[] };
  }>(
    `query ($filter: LinkFilter) {
      links(first: 50, filter: $filter, orderBy: { direction: ASC }) { totalCount nodes { externalId } }
    }`,
    { filter: { externalIdPrefix, ...more } },
  );
  expect(links.totalCount).toBe(links.nodes.length);
  return links.nodes.map(({ externalId }) => externalId);
}

const byId = async (externalId: string, caller = owner) =>
  (
    await caller.data<{ linkByExternalId: { id: string } | null }>(
      'query ($externalId: String!) { linkByExternalId(externalId: $externalId) { id } }',
      { externalId },
    )
  ).linkByExternalId;

test('a link is created with an external id, found by it, changed and cleared', async () => {
  const { id } = await create({ externalId: '  product 4711 ' });
  expect(await byId('product 4711')).toEqual({ id });
  expect(await update(id, { externalId: 'Product/Ä🎉' })).toMatchObject({ externalId: 'Product/Ä🎉' });
  expect(await byId('product 4711')).toBeNull();
  expect(await byId('product/Ä🎉')).toBeNull();
  expect(await byId('Product/Ä🎉')).toEqual({ id });
  expect(await update(id, { title: 'T' })).toMatchObject({ externalId: 'Product/Ä🎉', title: 'T' });
  expect(await update(id, { externalId: null })).toMatchObject({ externalId: null });
  expect(await byId('Product/Ä🎉')).toBeNull();
});

test.each([256, 600])('a prefix of %i emojis is refused with that number', async (length) => {
  const variables = { filter: { externalIdPrefix: '🎉'.repeat(length) } };
  const query = 'query ($filter: LinkFilter) { links(filter: $filter) { totalCount } }';
  const { errors } = await owner.graphql(query, variables);
  expect(errors?.[0]?.extensions.fields).toMatchObject([
    { path: ['filter', 'externalIdPrefix'], messages: [`may have at most 255 characters, not ${length}`] },
  ]);
});

describe('an external id', () => {
  test.each([
    ['empty', '', 'BLANK'],
    ['blank', ' \t ', 'BLANK'],
    ['with a line break', 'a\nb', 'HAS_CONTROL_CHARACTERS'],
    ['with a control character', 'a\u0007b', 'HAS_CONTROL_CHARACTERS'],
    ['with a null character', 'a\0b', 'HAS_UNSTORABLE_CHARACTERS'],
    ['too long', 'x'.repeat(256), 'WRONG_LENGTH'],
  ])('is refused by each mutation: %s', async (_what, externalId, reason) => {
    const { id } = await create({});
    const wrong = refused(reason, 'externalId');
    expect(await create({ externalId })).toMatchObject(wrong);
    expect(await update(id, { externalId })).toMatchObject(wrong);
    expect(await upsert(externalId)).toMatchObject(wrong);
    expect(await server.database.prisma.link.count()).toBe(1);
    expect(await byId(externalId)).toBeNull();
  });

  test('may have 255 characters', async () => {
    const externalId = '🎉'.repeat(255);
    const { id } = await create({ externalId });
    expect(await byId(externalId)).toEqual({ id });
    expect(await upsert(externalId, { title: 'T' })).toMatchObject({ id, title: 'T' });
  });

  test('belongs to one link of an account, and says nothing of other accounts', async () => {
    const stranger = await server.caller('stranger');
    const { id } = await create({ externalId: 'one' });
    const theirs = await create({ externalId: 'one' }, stranger);
    expect(theirs).toMatchObject({ __typename: 'Link', externalId: 'one' });
    expect(await create({ externalId: 'one' })).toMatchObject(taken);
    const { id: second } = await create({ externalId: 'two' });
    expect(await update(second, { externalId: 'one' })).toMatchObject(taken);
    expect(await update(second, { externalId: 'two' })).toMatchObject({ id: second, externalId: 'two' });
    expect(await byId('one')).toEqual({ id });
    expect(await byId('one', stranger)).toEqual({ id: theirs.id });
    expect(await upsert('two', { title: 'Theirs' }, stranger)).toMatchObject({ __typename: 'Link' });
    expect(await byId('two')).toEqual({ id: second });
  });

  test('is told together with all else that the database refuses', async () => {
    await create({ externalId: 'one', alias: 'taken' });
    const { fields = [] } = await create({ externalId: 'one', alias: 'taken', spaceId: '99999' });
    expect(fields.map(({ path: [name] }) => name).sort()).toEqual(['alias', 'externalId', 'spaceId']);
  });

  test('is free again after the deletion of its link', async () => {
    const { id } = await create({ externalId: 'one' });
    await owner.data(`mutation { deleteLink(id: ${id}) { __typename } }`);
    expect(await byId('one')).toBeNull();
    expect(await create({ externalId: 'one' })).toMatchObject({ __typename: 'Link' });
  });

  test('is compared by reuse', async () => {
    const { id } = await create({ externalId: 'one' });
    expect(await create({ externalId: 'one', reuse: true })).toMatchObject({ id });
    expect(await create({ externalId: 'two', reuse: true })).toMatchObject({ externalId: 'two' });
    expect(await create({ url: 'https://example.com/2', externalId: 'one', reuse: true })).toMatchObject(
      taken,
    );
  });

  test('is a field of changes', async () => {
    const { id } = await create({ externalId: 'one' });
    await update(id, { externalId: 'two' });
    await update(id, { externalId: 'two' });
    await upsert('two', { title: 'T' });
    await settled(server.database);
    const { link } = await owner.data<{ link: { history: { nodes: { fields: string[] }[] } } }>(
      `{ link(id: ${id}) { history { nodes { fields } } } }`,
    );
    const fields = link.history.nodes.map((node) => node.fields).reverse();
    expect(fields).toEqual([expect.arrayContaining(['url', 'externalId']), ['externalId'], ['title']]);
  });
});

test('several links with one external id: the first of a batch gets it', async () => {
  const CREATE = `mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { ${FIELDS} } }`;
  const CHECK = `query ($inputs: [CreateLinkInput!]!) { checkLinks(inputs: $inputs) { fields { path reason } } }`;
  const inputs = ['one', 'one', 'two', 'one', null].map((externalId) => ({ url, externalId }));
  const { checkLinks } = await owner.data<{ checkLinks: unknown[] }>(CHECK, { inputs });
  const { fields } = taken;
  expect(checkLinks).toEqual([null, { fields }, null, { fields }, null]);
  const { createLinks } = await owner.data<{ createLinks: Result[] }>(CREATE, { inputs });
  const link = { __typename: 'Link' };
  expect(createLinks).toMatchObject([link, taken, link, taken, link]);
  expect(await server.database.prisma.link.count()).toBe(3);
  expect((await owner.data<{ checkLinks: unknown[] }>(CHECK, { inputs })).checkLinks).toEqual([
    ...[{ fields }, { fields }, { fields }, { fields }],
    null,
  ]);
  const UPDATE = `mutation ($inputs: [UpdateLinksInput!]!) { updateLinks(inputs: $inputs) { ${FIELDS} } }`;
  const ids = createLinks.flatMap(({ id }) => id ?? []);
  const changes = ids.map((id) => ({ id, input: { externalId: 'three' } }));
  const { updateLinks } = await owner.data<{ updateLinks: Result[] }>(UPDATE, { inputs: changes });
  expect(updateLinks).toMatchObject([link, taken, taken]);
});

test('a list finds external ids by their beginning', async () => {
  const made = ['lsp:a/1', 'lsp:a/2', 'lsp:b/1', 'LSP:a/3', 'lsp:a', 'x%', 'x_', 'xy'];
  for (const externalId of [...made, '\u{10FFFF}', '\uD7FF', '\uE000']) await create({ externalId });
  await create({});
  expect(await withPrefix('lsp:a/')).toEqual(['lsp:a/1', 'lsp:a/2']);
  expect(await withPrefix('lsp:')).toEqual(['lsp:a/1', 'lsp:a/2', 'lsp:b/1', 'lsp:a']);
  expect(await withPrefix('x%')).toEqual(['x%']);
  expect(await withPrefix('\u{10FFFF}')).toEqual(['\u{10FFFF}']);
  expect(await withPrefix('\uD7FF')).toEqual(['\uD7FF']);
  expect(await withPrefix('lsp:', { search: '/2', searchBy: 'URL' })).toEqual([]);
  expect(await withPrefix('none')).toEqual([]);
  expect(await withPrefix('')).toHaveLength(12);
  const { errors } = await owner.graphql(
    'query ($p: String) { links(filter: { externalIdPrefix: $p }) { totalCount } }',
    {
      p: 'x'.repeat(256),
    },
  );
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION' } }]);
});

test('external ids and their beginnings are looked up by an index', async () => {
  await create({ externalId: 'one' });
  const statements = await server.statementsOf(() => byId('one'));
  expect(statements).toHaveLength(1);
  const listed = await server.statementsOf(() => withPrefix('on'));
  for (const [first = ''] of [statements, listed])
    expect((await planOf(server.database, first)).join('\n')).toContain('Link_external_ids');
});

describe('upsertLink', () => {
  test('creates a link, and then changes its given fields only', async () => {
    const space = String(await owner.space('A space'));
    const first = await upsert('one', {
      alias: 'first',
      title: 'T',
      spaceId: space,
      disabled: true,
      password: 'x',
    });
    expect(first).toMatchObject({ __typename: 'Link', externalId: 'one', alias: 'first', title: 'T' });
    const whole = async () =>
      (
        await owner.data<{ linkByExternalId: object }>(
          `{ linkByExternalId(externalId: "one") {
            id url alias title disabled forwardsQuery privacy hasPassword space { id } expiration { at clicks }
          } }`,
        )
      ).linkByExternalId;
    const before = await whole();
    const { id } = first;
    expect(await upsert('one', { url: 'https://example.com/2' })).toMatchObject({ id, title: 'T' });
    expect(await whole()).toEqual({ ...before, url: 'https://example.com/2' });
    const given = { alias: 'first', title: null, expiration: { clicks: 5 }, forwardsQuery: false };
    expect(await upsert('one', given)).toMatchObject({ id, url, title: null });
    const after = { title: null, expiration: { at: null, clicks: 5 }, forwardsQuery: false };
    expect(await whole()).toEqual({ ...before, ...after });
  });

  test('leaves what null does not clear as it is', async () => {
    await upsert('one', { alias: 'first', disabled: true, privacy: 'PRIVATE', forwardsQuery: false });
    const nothing = {
      alias: null,
      domainId: null,
      disabled: null,
      privacy: null,
      forwardsQuery: null,
      reuse: null,
    };
    expect(await upsert('one', { ...nothing, externalId: null, title: 'T' })).toMatchObject({
      alias: 'first',
    });
    const link = await server.database.prisma.link.findFirstOrThrow();
    expect(link).toMatchObject({ title: 'T', disabled: true, privacy: 'PRIVATE', forwardsQuery: false });
  });

  test('refuses another alias, domain or external id than that of the link', async () => {
    const domain = String(await owner.domain('go.example'));
    await create({ alias: 'others' });
    const { id, alias } = await upsert('one', { domainId: domain, alias: 'mine' });
    for (const one of ['other', 'others', 'Mine'])
      expect(await upsert('one', { alias: one, title: 'T' })).toMatchObject(
        refused('FIXED_IN_UPSERT', 'alias'),
      );
    const shared = String(
      (await server.database.prisma.domain.findFirstOrThrow({ where: { accountId: null } })).id,
    );
    for (const one of [shared, '99999', 'x'])
      expect(await upsert('one', { domainId: one, title: 'T' })).toMatchObject(
        refused('DOMAIN_FIXED', 'domainId'),
      );
    expect(await upsert('one', { externalId: 'two', title: 'T' })).toMatchObject(
      refused('FIXED_IN_UPSERT', 'externalId'),
    );
    expect(await upsert('one', { externalId: ' one ', domainId: domain, alias })).toMatchObject({
      id,
      title: null,
    });
    expect(await server.database.prisma.change.count({ where: { kind: 'LINK' } })).toBe(2);
  });

  test('refuses what createLink and updateLink refuse', async () => {
    await create({ alias: 'taken' });
    expect(await upsert('one', { alias: 'taken' })).toMatchObject(refused('ALIAS_TAKEN', 'alias'));
    expect(await upsert('one', { url: 'x' })).toMatchObject(refused('NOT_A_URL', 'url'));
    expect(await upsert('one', { privacy: 'PASSWORD' })).toMatchObject(
      refused('PRIVACY_PASSWORD_MISSING', 'privacyPassword'),
    );
    await upsert('one', { privacy: 'PASSWORD', privacyPassword: 'x' });
    expect(await upsert('one', { privacy: 'PASSWORD' })).toMatchObject({ __typename: 'Link' });
    expect(await upsert('one', { url: 'https://s.example/x' })).toMatchObject(
      refused('DESTINATION_IS_SHORT_DOMAIN', 'url'),
    );
    const reader = await server.caller('owner', ['read']);
    const { errors } = await reader.graphql(UPSERT, { externalId: 'one', input: { url } });
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });

  test('records a change only if something changes', async () => {
    await upsert('one', { title: 'T' });
    const before = await server.database.prisma.change.count();
    await upsert('one', { title: 'T' });
    expect(await server.database.prisma.change.count()).toBe(before);
  });

  test.each([
    ['only a URL', {}],
    ['an alias', { alias: 'together' }],
    ['a password', { password: 'opensesame' }],
    ['reuse', { reuse: true }],
  ])('twelve simultaneous requests over two processes make one link: %s', async (_what, more) => {
    const callers = Array.from({ length: 12 }, (_, i) => (i % 2 ? owner : other.callerWith(owner.key)));
    const results = await Promise.all(
      callers.map((caller, index) => upsert('one', { ...more, title: `T${index}` }, caller)),
    );
    expect(new Set(results.map(({ __typename, id }) => `${__typename} ${id}`)).size).toBe(1);
    expect(results[0]).toMatchObject({ __typename: 'Link' });
    expect(await server.database.prisma.link.count()).toBe(1);
  });

  test('simultaneous creations with one external id make one link', async () => {
    const callers = Array.from({ length: 12 }, (_, i) => (i % 2 ? owner : other.callerWith(owner.key)));
    const results = await Promise.all(callers.map((caller) => create({ externalId: 'one' }, caller)));
    expect(results.filter(({ __typename }) => __typename === 'Link')).toHaveLength(1);
    for (const one of results) if (one.__typename !== 'Link') expect(one).toMatchObject(taken);
  });

  test('upserts beside changes of the external id and deletions find a link or make one', async () => {
    const { id } = await upsert('one');
    const work = Array.from({ length: 12 }, (_, i) => {
      const caller = i % 2 ? owner : other.callerWith(owner.key);
      if (i === 4) return update(id, { externalId: 'moved' }, caller);
      if (i === 8) return caller.data(`mutation { deleteLink(id: ${id}) { __typename } }`);
      return upsert('one', { title: `T${i}` }, caller);
    });
    const results = await Promise.all(work);
    for (const [i, one] of results.entries())
      if (i !== 4 && i !== 8) expect(one).toMatchObject({ __typename: 'Link', externalId: 'one' });
    expect(await server.database.prisma.link.count({ where: { externalId: 'one' } })).toBe(1);
  });

  async function send(title: string, key: string, caller = owner): Promise<string> {
    const response = await caller.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ query: UPSERT, variables: { externalId: 'one', input: { url, title } } }),
    });
    return response.text();
  }

  test('simultaneous requests with a key each make one link', async () => {
    const callers = Array.from({ length: 12 }, (_, i) => (i % 2 ? owner : other.callerWith(owner.key)));
    const answers = await Promise.all(callers.map((caller, i) => send(`T${i}`, `key ${i}`, caller)));
    const { id } = await server.database.prisma.link.findFirstOrThrow();
    for (const answer of answers)
      expect(JSON.parse(answer)).toMatchObject({ data: { upsertLink: { id: String(id) } } });
    expect(await server.database.prisma.link.count()).toBe(1);
  });

  test('with an Idempotency-Key, answers the same again', async () => {
    const first = await send('A', 'first');
    expect(JSON.parse(first)).toMatchObject({ data: { upsertLink: { title: 'A' } } });
    expect(JSON.parse(await send('B', 'second'))).toMatchObject({ data: { upsertLink: { title: 'B' } } });
    expect(await send('A', 'first')).toBe(first);
    const { title } = await server.database.prisma.link.findFirstOrThrow();
    expect(title).toBe('B');
  });
});

describe('over v1', () => {
  test('external_id is set, shown while it is set, and cleared', async () => {
    const link = await owner.link({ external_id: ' one ' });
    expect(link.external_id).toBe('one');
    const shown = async () =>
      ((await owner.rest('GET', `/links/${link.id}`)).body as { data: Record<string, unknown> }).data;
    expect(await shown()).toEqual(link);
    expect((await owner.rest('PATCH', `/links/${link.id}`, { title: 'T' })).body).toMatchObject({
      data: { external_id: 'one' },
    });
    expect((await owner.rest('PATCH', `/links/${link.id}`, { external_id: '' })).status).toBe(200);
    expect(await shown()).not.toHaveProperty('external_id');
    expect(Object.keys(await owner.link())).toEqual(Object.keys(await shown()));
  });

  test.each([
    ['a control character', 'a\u0007b', 'may have no control characters and no line breaks'],
    ['too many characters', 'x'.repeat(256), 'must have 1 to 255 characters, not 256'],
  ])('422s on %s', async (_what, external_id, message) => {
    const told = `The external_id field ${message}.`;
    const body = { message: told, errors: { external_id: [told] }, status: 422 };
    expect(await owner.rest('POST', '/links', { url, external_id })).toMatchObject({ status: 422, body });
    const { id } = await owner.link();
    expect(await owner.rest('PUT', `/links/${id}`, { external_id })).toMatchObject({ status: 422, body });
  });

  test('422s on the external id of another link', async () => {
    await owner.link({ external_id: 'one' });
    const told = 'The external_id field is already that of another link.';
    const body = { message: told, errors: { external_id: [told] }, status: 422 };
    expect(await owner.rest('POST', '/links', { url, external_id: 'one' })).toMatchObject({
      status: 422,
      body,
    });
    const { id } = await owner.link({ external_id: 'two' });
    expect(await owner.rest('PATCH', `/links/${id}`, { external_id: 'one' })).toMatchObject({
      status: 422,
      body,
    });
  });
});

test('an earlier version beside this one makes links without an external id, and keeps one', async () => {
  const { id } = await create({ externalId: 'one', alias: 'mine' });
  const { prisma } = server.database;
  const { externalId: _, id: __, ...row } = await prisma.link.findFirstOrThrow();
  const columns = Object.keys(row).map((name) => `"${name}"`);
  const copied = columns.map((name) => (name === '"alias"' ? "'theirs'" : name));
  await prisma.$executeRawUnsafe(
    `INSERT INTO "Link" (${columns.join()}) SELECT ${copied.join()} FROM "Link" WHERE "id" = ${id}`,
  );
  await prisma.$executeRawUnsafe(`UPDATE "Link" SET "title" = 'T' WHERE "id" = ${id}`);
  expect(
    await prisma.link.findMany({
      select: { alias: true, title: true, externalId: true },
      orderBy: { id: 'asc' },
    }),
  ).toEqual([
    { alias: 'mine', title: 'T', externalId: 'one' },
    { alias: 'theirs', title: null, externalId: null },
  ]);
});
