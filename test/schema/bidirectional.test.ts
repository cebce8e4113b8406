import { afterAll, beforeAll, expect, test } from 'vitest';
import { kinds, visitValue } from '../../src/db/statistics/value.ts';
import { foldCase } from '../../src/engine/rules/input.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

/** An address with all characters that change the direction of a text, as an earlier version stored it, and as it is sent. */
const RAW =
  'https://us\u202eer@example.com/\u061c\u200e/\u202a\u202b\u202c\u202d?q=\u2066\u2067\u2068#\u2069\u200f!';
const SENT =
  'https://us%E2%80%AEer@example.com/%D8%9C%E2%80%8E/%E2%80%AA%E2%80%AB%E2%80%AC%E2%80%AD?q=%E2%81%A6%E2%81%A7%E2%81%A8#%E2%81%A9%E2%80%8F!';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('old');
});
afterAll(() => server.stop());

const addresses = (url: string) => ({
  url,
  expiration: { url },
  targeting: {
    type: 'NONE',
    ...{ countries: [{ country: 'DE', url }], platforms: [{ platform: 'IOS', url }] },
    ...{ languages: [{ language: 'de', url }], rotation: [url, url] },
  },
});

const stored = `url expiration { url }
  targeting { type countries { country url } platforms { platform url } languages { language url } rotation }`;
const CREATE = `mutation ($input: CreateLinkInput!) {
  createLink(input: $input) { ... on Link { id alias ${stored} } ... on ValidationError { fields { path rule } } }
}`;
const UPDATE = `mutation ($id: ID!, $input: UpdateLinkInput!) {
  updateLink(id: $id, input: $input) { ... on Link { updatedAt } ... on ValidationError { fields { path rule } } }
}`;

interface Made {
  readonly id: string;
  readonly alias: string;
}

async function create(input: object): Promise<Made> {
  return (await owner.data<{ createLink: Made }>(CREATE, { input })).createLink;
}

/** A link with these addresses as an earlier version stored them. */
async function oldLink(input: object): Promise<Made> {
  const made = await create(input);
  const id = Number(made.id);
  const row = await server.database.prisma.link.findUniqueOrThrow({ where: { id } });
  const raw = (text: string) =>
    text.replaceAll(/(?:%D8%9C|%E2%8[01]%[8A]\w)/g, (one) => decodeURIComponent(one));
  const { url, expirationUrl, countries, platforms, languages, rotation } = row;
  const lists = { countries: raw(countries), platforms: raw(platforms), languages: raw(languages) };
  const data = { url: raw(url), urlKey: foldCase(raw(url)), rotation: raw(rotation), ...lists };
  await server.database.prisma.link.update({
    where: { id },
    data: { ...data, expirationUrl: expirationUrl && raw(expirationUrl) },
  });
  return made;
}

test('stores all addresses of a link as browsers send them, and leads there', async () => {
  const link = await create(addresses(RAW));
  expect(link).toMatchObject(addresses(SENT));
  const { headers } = await visit(server.origin, `/${link.alias}`);
  expect(headers.location).toBe(SENT);
});

test('stores the addresses of domains and webhooks, and those with UTM parameters, as browsers send them', async () => {
  const id = await owner.domain('bidi.example');
  const set = await owner.data(
    'mutation ($id: ID!, $url: String) { updateDomain(id: $id, input: { rootUrl: $url, notFoundUrl: $url }) { ... on Domain { rootUrl notFoundUrl } } }',
    { id, url: RAW },
  );
  expect(set).toEqual({ updateDomain: { rootUrl: SENT, notFoundUrl: SENT } });
  const hook = await owner.data(
    'mutation ($url: String!) { createWebhook(input: { url: $url, events: [LINK_CREATED] }) { ... on CreatedWebhook { webhook { url } } ... on ValidationError { fields { path messages } } } }',
    { url: 'https://example.com/\u202e' },
  );
  expect(hook).toEqual({ createWebhook: { webhook: { url: 'https://example.com/' } } });
  const template = await owner.data<{ createUtmTemplate: Made }>(
    'mutation { createUtmTemplate(input: { name: "Mail", source: "mail" }) { ... on UtmTemplate { id } } }',
  );
  const old = await oldLink({ url: 'https://example.com/%E2%80%AEx' });
  await owner.data(UPDATE, { id: old.id, input: { utmTemplateId: template.createUtmTemplate.id } });
  expect(await server.database.prisma.link.findUnique({ where: { id: Number(old.id) } })).toMatchObject({
    url: 'https://example.com/%E2%80%AEx?utm_source=mail',
  });
});

test('refuses a host with such a character', async () => {
  expect(await create({ url: 'https://exa\u202emple.com/' })).toEqual({
    fields: [{ path: ['url'], rule: 'URL_HOST' }],
  });
});

test.each([RAW, SENT])('reuses a link of an earlier version for %j', async (url) => {
  const alias = `reuse-${url.length}`;
  const old = await oldLink({ ...addresses(SENT), alias });
  expect(await create({ ...addresses(url), alias, reuse: true })).toMatchObject({ id: old.id });
  await server.database.prisma.link.delete({ where: { id: Number(old.id) } });
});

test('an update with the addresses that a link of an earlier version has changes nothing', async () => {
  const old = await oldLink(addresses(SENT));
  const id = Number(old.id);
  const before = await server.database.prisma.link.findUnique({ where: { id } });
  const changes = await server.database.prisma.change.count();
  server.clock.now = new Date(NOON.getTime() + 60_000);
  for (const url of [RAW, SENT]) await owner.data(UPDATE, { id: old.id, input: addresses(url) });
  server.clock.now = NOON;
  expect(await server.database.prisma.link.findUnique({ where: { id } })).toEqual(before);
  expect(await server.database.prisma.change.count()).toBe(changes);
});

test('an import finds a link of an earlier version by its alias, and by its destination', async () => {
  const url = 'https://example.com/import/%E2%80%AE%E2%81%A6/';
  const old = await oldLink({ url, alias: 'imported' });
  const importing = async (line: string, dryRun: boolean) =>
    owner.data(
      'mutation ($text: String!, $dryRun: Boolean) { importLinks(text: $text, format: LINES, dryRun: $dryRun) { results { status existingLinkId } } }',
      { text: line, dryRun },
    );
  for (const given of [url, decodeURI(url)]) {
    const there = { importLinks: { results: [{ status: 'EXISTS', existingLinkId: null }] } };
    expect(await importing(`${given}\timported`, false)).toEqual(there);
    const also = { importLinks: { results: [{ status: 'CREATED', existingLinkId: old.id }] } };
    expect(await importing(`${given}\tanother`, true)).toEqual(also);
  }
});

test('adds up the visits of a destination that an earlier version counted', async () => {
  const { prisma } = server.database;
  const caller = await server.caller('counts');
  const link = await caller.link({ url: 'https://example.com/before' });
  const visits = async (times: number) => {
    for (let i = 0; i < times; i++) await visit(server.origin, `/${link.alias}`);
    await server.flush();
  };
  await visits(2);
  // These visits, as an earlier version has counted them.
  const { id: valueId } = await prisma.visitValue.findFirstOrThrow({
    where: { destination: 'https://example.com/before' },
  });
  const { hash } = visitValue(kinds.DESTINATION, { destination: RAW });
  await prisma.visitValue.update({ where: { id: valueId }, data: { destination: RAW, hash } });
  const update = async (data: { url: string; urlKey: string }) => {
    await prisma.link.update({ where: { id: link.id }, data });
    await caller.rest('PUT', `/links/${link.id}`, { title: data.url.length });
  };
  await update({ url: RAW, urlKey: foldCase(RAW) });
  await visits(3);
  await update({ url: SENT, urlKey: foldCase(SENT) });
  await visits(4);
  const found = await caller.data(
    `query ($id: ID!, $value: String!) {
      link(id: $id) { statistics { top(by: DESTINATION) { rows { value clicks } } } }
      viewer { account { topLinks(by: { dimension: DESTINATION, value: $value }) { nodes { clicks } } } }
    }`,
    { id: link.id, value: SENT },
  );
  expect(found).toEqual({
    link: { statistics: { top: { rows: [{ value: SENT, clicks: 9 }] } } },
    viewer: { account: { topLinks: { nodes: [{ clicks: 9 }] } } },
  });
});

test.each(['\u202e', '%E2%80%AE'])(
  'knows a link that leads to itself with %j behind its alias',
  async (added) => {
    const link = await create({ url: 'https://example.com/', alias: `loop-${added.length}` });
    const { name } = await server.database.prisma.domain.findFirstOrThrow({ where: { accountId: null } });
    const url = `http://${name}/${link.alias}?${added}#${added}`;
    await server.database.prisma.link.update({
      where: { id: Number(link.id) },
      data: { url, urlKey: foldCase(url) },
    });
    const { explainRedirect } = await owner.data<{ explainRedirect: object }>(
      'query ($input: ExplainRedirectInput!) { explainRedirect(input: $input) { outcome } }',
      { input: { linkId: link.id } },
    );
    expect(explainRedirect).toEqual({ outcome: 'LOOP' });
  },
);
