import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { PlainKeys } from '../../src/domain/fill-plain-keys.ts';
import { foldMarks } from '../../src/engine/rules/input.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

let accounts = 0;
const ownCaller = () => server.caller(`own-${++accounts}`);

const QUERY = `query ($filter: LinkFilter, $first: Int, $after: String) {
  links(filter: $filter, first: $first, after: $after, orderBy: { field: TITLE, direction: ASC }) {
    totalCount pageInfo { endCursor } nodes { title }
  }
}`;
interface Found {
  readonly links: {
    readonly totalCount: number;
    readonly pageInfo: { readonly endCursor: string };
    readonly nodes: readonly { readonly title: string }[];
  };
}
const filterOf = (search: string, more: object = {}) => ({ search, searchBy: 'ANYWHERE', ...more });

/** The titles that a search anywhere finds, whose number is the total. */
async function found(caller: Caller, search: string, more: object = {}): Promise<string[]> {
  const { links } = await caller.data<Found>(QUERY, { filter: filterOf(search, more), first: 100 });
  expect(links.totalCount).toBe(links.nodes.length);
  return links.nodes.map(({ title }) => title);
}

async function inSpace(caller: Caller, name: string, link: object): Promise<string> {
  const { createSpace } = await caller.data<{ createSpace: { id: string } }>(
    'mutation ($name: String!) { createSpace(input: { name: $name }) { ... on Space { id } } }',
    { name },
  );
  await caller.link({ url: 'https://example.com/', space_id: createSpace.id, ...link });
  return createSpace.id;
}

test.each([
  ['title', 'launch', 'aun'],
  ['alias', 'spring-24', 'PRING-2'],
  ['URL', 'example.org', 'https://example.org/caf'],
  ['decoded URL', 'percent-encoding', 'café'],
  ['encoded URL', 'percent-encoding', 'caf%C3%A9'],
  ['name of a space', 'a name', 'newsletter'],
  ['name with accents', 'a name', 'ete'],
  ['several fields', 'words', 'été spring-24 LAUNCH org'],
])('finds a part of the %s', async (_field, _what, search) => {
  const caller = await ownCaller();
  await inSpace(caller, 'Newsletter Été', {
    title: 'The Launch',
    alias: `Spring-24-${accounts}`,
    url: 'https://example.org/caf%C3%A9?x=100%',
  });
  await caller.link({ title: 'Other', url: 'https://example.com/' });
  expect(await found(caller, search)).toEqual(['The Launch']);
});

test.each([
  ['Straße', 'STRASSE'],
  ['strasse', 'straße'],
  ['Crème brûlée', 'creme BRULEE'],
  ['creme', 'crème'],
  ['ISTANBUL', 'istanbul'],
  ['İstanbul', 'istanbul'],
  ['ılık', 'ilik'],
  ['Łódź', 'lodz'],
  ['Smørrebrød', 'smorrebrod'],
  ['Cœur', 'coeur'],
  ['Ελλάδα', 'ΕΛΛΑΔΑ'],
  ['ΟΔΟΣ', 'οδος'],
  ['Ёлка', 'елка'],
  ['한국어', '한국'],
  ['cafe\u0301', 'CAFÉ'],
])('in %s, finds %s', async (title, search) => {
  const caller = await ownCaller();
  await caller.link({ title, url: 'https://example.com/' });
  await caller.link({ title: 'x', url: 'https://example.com/' });
  expect(await found(caller, search)).toEqual([title]);
});

test('each part of a text folds to a part of the folded text', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aÉßẞİıøŁœΣςᾳé\u0301\u0345ﬁ한Ж🎈 -%') });
  const whole = fc.tuple(text, text, text);
  fc.assert(
    fc.property(whole, ([before, part, after]) => {
      expect(foldMarks(before + part + after)).toContain(foldMarks(part));
      expect(foldMarks(foldMarks(part))).toBe(foldMarks(part));
    }),
  );
});

test('finds exactly the links that have all words, whatever their characters', async () => {
  const caller = await ownCaller();
  const word = fc.string({ unit: fc.constantFrom(...'abÄéß%_\\"\'*:漢'), minLength: 1, maxLength: 5 });
  const titles = fc
    .sample(fc.array(word, { minLength: 2, maxLength: 3 }), { numRuns: 60, seed: 5 })
    .map((words) => words.join(' '));
  await caller.data(
    'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { __typename } }',
    {
      inputs: titles.map((title, index) => ({ url: 'https://example.com/', alias: `word-${index}`, title })),
    },
  );
  const holds = (title: string, words: readonly string[]) =>
    words.every((one) =>
      [...title.split(' '), 'https://example.com/', 'word-'].some((part) =>
        foldMarks(part).includes(foldMarks(one)),
      ),
    );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 3 }), fc.nat(59), async (words, index) => {
      for (const wanted of [words, (titles[index] ?? '').split(' ').reverse()])
        expect((await found(caller, wanted.join('  '))).toSorted()).toEqual(
          titles.filter((title) => holds(title, wanted)).toSorted(),
        );
    }),
    { numRuns: 25 },
  );
});

test('sees changes of links and of names, and only its own account', async () => {
  const caller = await server.caller('changing');
  const { id } = await caller.link({ title: 'Früh', url: 'https://example.com/' });
  await (await server.caller('elsewhere')).link({ title: 'Früh', url: 'https://example.com/' });
  expect(await found(caller, 'fruh')).toEqual(['Früh']);
  await caller.rest('PATCH', `/links/${id}`, { url: 'https://example.com/%C3%BC' });
  expect(await found(caller, 'fruh com/u')).toEqual(['Früh']);
  await caller.rest('PATCH', `/links/${id}`, { title: 'Late' });
  expect(await found(caller, 'fruh')).toEqual([]);
  expect(await found(caller, 'late com/u')).toEqual(['Late']);
  const spaceId = await inSpace(caller, 'Übungen', { title: 'In it' });
  expect(await found(caller, 'ubung')).toEqual(['In it']);
  await caller.rest('PATCH', `/spaces/${spaceId}`, { name: 'Practice' });
  expect(await found(caller, 'ubung')).toEqual([]);
  expect(await found(caller, 'practice', { spaceId })).toEqual(['In it']);
  expect(await found(caller, 'practice', { status: 'DISABLED' })).toEqual([]);
});

test('finds links of more spaces than are listed', async () => {
  const caller = await server.caller('spacious');
  const { id: accountId } = await server.database.prisma.account.findUniqueOrThrow({
    where: { name: 'spacious' },
  });
  const times = { createdAt: server.clock.now, updatedAt: server.clock.now };
  await server.database.prisma.space.createMany({
    data: Array.from({ length: 150 }, (_, i) => ({
      accountId,
      name: `Client ${i}`,
      nameKey: `client ${i}`,
      color: 1,
      ...times,
    })),
  });
  await inSpace(caller, 'Client Zoë', { title: 'Found', alias: 'zoe' });
  await caller.link({ title: 'Not', url: 'https://example.com/' });
  expect(await found(caller, 'client')).toEqual(['Found']);
  expect(await found(caller, 'client zoe')).toEqual(['Found']);
  expect(await found(caller, 'client 7')).toEqual([]);
});

/** An account with 1,200 links whose titles have the word "number", and one with "zebra". */
async function withMany(name: string): Promise<Caller> {
  const caller = await server.caller(name);
  const { domain_id: domainId } = await caller.link({ title: 'Zebra', url: 'https://example.com/' });
  const { id: accountId } = await server.database.prisma.account.findUniqueOrThrow({ where: { name } });
  const times = { createdAt: server.clock.now, updatedAt: server.clock.now };
  const url = 'https://example.com/';
  await server.database.prisma.link.createMany({
    data: Array.from({ length: 1_200 }, (_, i) => {
      const [title, alias] = [`Number ${String(i).padStart(4, '0')}`, `${name}${i}`];
      const keys = { titleKey: title.toLowerCase(), aliasKey: alias, urlKey: url };
      return { accountId, domainId: Number(domainId), url, title, alias, ...keys, ...times };
    }),
  });
  return caller;
}

test('has pages, and counts up to 1,000', async () => {
  const caller = await withMany('pages');
  const page = (search: string, after?: string) =>
    caller.data<Found>(QUERY, { filter: filterOf(search), first: 2, after });
  const { links: first } = await page('numb com');
  const { links: second } = await page('numb com', first.pageInfo.endCursor);
  expect([...first.nodes, ...second.nodes].map(({ title }) => title)).toEqual(
    ['0000', '0001', '0002', '0003'].map((one) => `Number ${one}`),
  );
  expect(first.totalCount).toBe(1_000);
  expect((await page('zebra')).links.totalCount).toBe(1);
});

test.runIf(inject('database').provider === 'postgresql')(
  'reads links in order at once if all words are common',
  async () => {
    const caller = await withMany('common');
    const looksForFew = async (search: string) =>
      (await server.statementsOf(() => caller.data(QUERY, { filter: filterOf(search), first: 2 }))).some(
        (one) => one.includes('LIMIT 1001'),
      );
    expect(await looksForFew('number com')).toBe(false);
    expect(await looksForFew('number zebra')).toBe(true);
    expect(await looksForFew('nu')).toBe(false);
    expect(await looksForFew('zq')).toBe(true);
  },
);

test('refuses more than eight words, and a text that is too long', async () => {
  const caller = await ownCaller();
  const words = 'a b c d e f g h';
  expect(await found(caller, `${words} A`)).toEqual([]);
  const { errors } = await caller.graphql(QUERY, { filter: filterOf(`${words} i`) });
  const messages = ['may have at most 8 words, not 9'];
  expect(errors?.[0]?.extensions?.fields).toMatchObject([
    { path: ['filter', 'search'], messages, rule: 'MAX_WORDS' },
  ]);
  const { errors: long } = await caller.graphql(QUERY, { filter: filterOf('x'.repeat(2_049)) });
  expect(long?.[0]?.message).toContain('at most 2048 characters');
});

test('refuses to search while links of an earlier version are not prepared, and prepares them', async () => {
  const caller = await server.caller('earlier');
  const { prisma } = server.database;
  for (let i = 0; i < 3; i++) await caller.link({ title: `Grün ${i}`, url: 'https://example.com/' });
  await inSpace(caller, 'Größe', { title: 'plain' });
  const { id: accountId } = await prisma.account.findUniqueOrThrow({ where: { name: 'earlier' } });
  await prisma.link.updateMany({ where: { accountId }, data: { plainKey: null } });
  await prisma.space.updateMany({ where: { accountId }, data: { plainKey: null } });
  const { errors } = await caller.graphql(QUERY, { filter: filterOf('grun') });
  expect(errors?.[0]).toMatchObject({
    extensions: { code: 'UNAVAILABLE' },
    message: expect.stringContaining('being prepared'),
  });
  await new PlainKeys(server.database, pino({ level: 'silent' })).work();
  expect(await found(caller, 'grun')).toEqual(['Grün 0', 'Grün 1', 'Grün 2']);
  expect(await found(caller, 'groesse')).toEqual([]);
  expect(await found(caller, 'grosse')).toEqual(['plain']);
});

test('finds links by names of tags, and what a UTM template adds to their URLs', async () => {
  const caller = await ownCaller();
  const { createTag, createUtmTemplate } = await caller.data<Record<string, { id: string }>>(
    `mutation { createTag(input: { name: "Été" }) { ... on Tag { id } }
      createUtmTemplate(input: { name: "News", campaign: "Frühling" }) { ... on UtmTemplate { id } } }`,
  );
  const tagged = {
    url: 'https://example.com/',
    tagIds: [createTag?.id],
    utmTemplateId: createUtmTemplate?.id,
  };
  await caller.data('mutation ($input: CreateLinkInput!) { createLink(input: $input) { __typename } }', {
    input: { title: 'Tagged', ...tagged },
  });
  await caller.link({ title: 'Other', url: 'https://example.com/' });
  expect(await found(caller, 'ete fruhling')).toEqual(['Tagged']);
});
