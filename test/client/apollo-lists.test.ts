import { gql, type TypedDocumentNode } from '@apollo/client';
import { expect, onTestFinished, test } from 'vitest';
import { followChanges, newClient } from '../../packages/client/src/apollo.ts';
import { startTestServer } from '../support/server.ts';

const TOP: TypedDocumentNode<{ links: { edges: { node: { title: string } }[] } }> = gql`
  query Top($first: Int = 2) {
    links(first: $first) {
      edges {
        cursor
        node {
          nodeId
          title
        }
      }
    }
  }
`;

test('a list without pageInfo shows its newest rows, and keeps its length', async () => {
  const server = await startTestServer({ background: true });
  onTestFinished(() => server.stop());
  const caller = await server.caller();
  for (const title of ['One', 'Two', 'Three']) await caller.link({ title });
  const headers = { Authorization: `Bearer ${caller.key}` };
  const client = newClient({ url: `${server.origin}/graphql`, headers, pause: () => 1 });
  onTestFinished(() => client.stop());
  let titles: string[] = [];
  client.watchQuery({ query: TOP }).subscribe(({ data }) => {
    const { links } = (data ?? {}) as { links?: { edges: { node: { title: string } }[] } };
    if (links) titles = links.edges.map(({ node }) => node.title);
  });
  onTestFinished(followChanges(client));
  await expect.poll(() => titles).toEqual(['Three', 'Two']);
  await caller.link({ title: 'Four' });
  await expect.poll(() => titles).toEqual(['Four', 'Three']);
});
