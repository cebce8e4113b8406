import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Linkspace, startLinkspace } from '../../src/testing/linkspace.ts';

let linkspace: Linkspace;
beforeAll(async () => {
  linkspace = await startLinkspace({ now: new Date('2026-11-20T12:00:00Z') });
});
afterAll(() => linkspace.close());

/** Runs an operation as a program with a key does. */
async function graphql(query: string, variables: object = {}, key: string = linkspace.key) {
  const response = await fetch(`${linkspace.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()).data;
}

const UPSERT = `mutation ($externalId: String!, $input: CreateLinkInput!) {
  upsertLink(externalId: $externalId, input: $input) { ... on Link { id shortUrl } ... on Error { message } }
}`;

test('a product leads German visitors to the German shop', async () => {
  const targeting = { type: 'COUNTRY', countries: [{ country: 'DE', url: 'https://shop.example/de' }] };
  const variables = { externalId: 'product-1', input: { url: 'https://shop.example/', targeting } };
  const { upsertLink: link } = await graphql(UPSERT, variables);
  const german = await linkspace.visit(link.shortUrl, { country: 'DE', language: 'de' });
  expect(german).toMatchObject({ status: 302, location: 'https://shop.example/de' });
  await linkspace.visit(link.shortUrl, { country: 'FR', at: new Date('2026-11-19T08:00:00Z') });
  const statistics = await graphql(
    `query ($id: ID!) { link(id: $id) { clicks statistics(from: "2026-11-19", to: "2026-11-20") {
      series(interval: DAY) { clicks }
      top(by: COUNTRY) { rows { value clicks } }
    } } }`,
    { id: link.id },
  );
  expect(statistics.link).toEqual({
    clicks: 2,
    statistics: {
      series: [{ clicks: 1 }, { clicks: 1 }],
      top: { rows: expect.arrayContaining([{ value: 'DE', clicks: 1 }]) },
    },
  });
});

test('a script on v1 makes a link that ends tomorrow', async () => {
  const response = await fetch(`${linkspace.url}/api/v1/links`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${linkspace.key}` },
    body: new URLSearchParams({ url: 'https://shop.example/sale', expiration_date: '2026-11-21' }),
  });
  expect(response.status).toBe(201);
  const { data } = await response.json();
  expect((await linkspace.visit(data.short_url)).status).toBe(302);
  linkspace.advance(24 * 60 * 60 * 1000);
  expect((await linkspace.visit(data.short_url)).status).toBe(410);
});

test('an editor sees only links of their own account', async () => {
  const other = await linkspace.account('other');
  const editor = await other.person({ role: 'EDITOR' });
  await graphql(UPSERT, { externalId: 'product-1', input: { url: 'https://other.example/' } }, other.key);
  const answer = await editor.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { role } links { nodes { url } } }' }),
  });
  const { data } = await answer.json();
  expect(data).toEqual({ viewer: { role: 'EDITOR' }, links: { nodes: [{ url: 'https://other.example/' }] } });
});
