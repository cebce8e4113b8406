import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Linkspace, startLinkspace } from '../../src/testing/linkspace.ts';

let linkspace: Linkspace;
beforeAll(async () => {
  linkspace = await startLinkspace({ now: new Date('2026-11-20T12:00:00Z') });
});
afterAll(() => linkspace.close());

/** A document with its types, as GraphQL Code Generator makes one of a file .graphql. */
interface Data {
  link: {
    clicks: number;
    statistics: { series: { clicks: number }[]; top: { rows: { value: string; clicks: number }[] } };
  } | null;
}
const CLICKS: TypedDocumentNode<Data, { id: string }> = parse(`
  query Clicks($id: ID!) {
    link(id: $id) {
      clicks
      statistics(from: "2026-11-19", to: "2026-11-20") {
        series(interval: DAY) { clicks }
        top(by: COUNTRY) { rows { value clicks } }
      }
    }
  }
`);

test('a product leads German visitors to the German shop', async () => {
  const { client } = linkspace;
  const link = await client.upsertLink({
    externalId: 'product-1',
    input: {
      url: 'https://shop.example/',
      targeting: { type: 'COUNTRY', countries: [{ country: 'DE', url: 'https://shop.example/de' }] },
    },
  });
  const german = await linkspace.visit(link.shortUrl, { country: 'DE', language: 'de' });
  expect(german).toMatchObject({ status: 302, location: 'https://shop.example/de' });
  await linkspace.visit(link.shortUrl, { country: 'FR', at: new Date('2026-11-19T08:00:00Z') });
  const data = await client.request(CLICKS, { id: link.id });
  expect(data.link).toEqual({
    clicks: 2,
    statistics: {
      series: [{ clicks: 1 }, { clicks: 1 }],
      top: { rows: expect.arrayContaining([{ value: 'DE', clicks: 1 }]) },
    },
  });
});

test('an editor sees only links of their own account', async () => {
  const other = await linkspace.account('other');
  const editor = await other.person({ role: 'EDITOR' });
  await editor.data('mutation { createLink(input: { url: "https://other.example/" }) { __typename } }');
  expect(await editor.data('{ viewer { role } links { nodes { url } } }')).toEqual({
    viewer: { role: 'EDITOR' },
    links: { nodes: [{ url: 'https://other.example/' }] },
  });
});
