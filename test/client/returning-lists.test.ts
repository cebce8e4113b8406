import { gql, type TypedDocumentNode } from '@apollo/client';
import type { AnyVariables } from '@urql/core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import * as urql from '../../packages/client/src/urql.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());

interface Listed {
  readonly links: {
    readonly totalCount: number;
    readonly edges: readonly { readonly node: { readonly title: string } }[];
    readonly pageInfo?: { readonly endCursor: string };
  };
}

const LINKS: TypedDocumentNode<Listed, AnyVariables> = gql`
  query Links($first: Int = 2, $after: String, $filter: LinkFilter) {
    links(first: $first, after: $after, filter: $filter) {
      totalCount
      edges {
        cursor
        node {
          nodeId
          title
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;
const search = { filter: { search: 'Link 1' } };

const summary = ({ links }: Listed) => [
  ...links.edges.map(({ node }) => node.title),
  `of ${links.totalCount}`,
];

async function startUrql(name: string, send = fetch) {
  const caller = await server.caller(name);
  for (const title of ['Link 0', 'Link 1', 'Link 2', 'Link 3', 'Link 4']) await caller.link({ title });
  const heard = new Set<unknown>();
  const client = urql.newClient(
    {
      url: `${server.origin}/graphql`,
      headers: { Authorization: `Bearer ${caller.key}` },
      pause: () => 1,
    },
    { send },
  );
  const followed = client
    .subscription(urql.changes, {})
    .subscribe(({ data }) => heard.add(data?.changes.nodeId));
  onTestFinished(() => followed.unsubscribe());
  // Until it is subscribed.
  let tags = 0;
  const tagged = async () => {
    await caller.tag(`tag ${tags++}`);
    return heard.size;
  };
  await expect.poll(tagged).toBeGreaterThan(0);
  const show = (variables: AnyVariables) => {
    let last: { data: Listed | undefined; stale: boolean } | undefined;
    const { unsubscribe } = client.query(LINKS, variables).subscribe(({ data, stale }) => {
      last = { data, stale };
    });
    return {
      unsubscribe,
      shown: () => last?.data && summary(last.data),
      end: () => last?.data?.links.pageInfo?.endCursor,
      isStale: () => last?.stale,
    };
  };
  return { caller, show, heard };
}

/** Makes a link, and waits until the client has heard of it: not of a tag that was made before. */
async function hear({ caller, heard }: { caller: Caller; heard: ReadonlySet<unknown> }, title: string) {
  await caller.link({ title });
  const { changes } = await caller.data<{ changes: { nodes: { nodeId: string }[] } }>(
    '{ changes(last: 1) { nodes { nodeId } } }',
  );
  await expect.poll(() => heard.has(changes.nodes[0]?.nodeId)).toBe(true);
}

test('urql reads a list again that comes back after an event', async () => {
  const screen = await startUrql('back');
  const list = screen.show({});
  await expect.poll(list.shown).toEqual(['Link 4', 'Link 3', 'of 5']);
  await hear(screen, 'New');
  await expect.poll(list.shown).toEqual(['New', 'Link 4', 'of 6']);
  list.unsubscribe();
  const other = screen.show(search);
  await expect.poll(other.shown).toEqual(['Link 1', 'of 1']);
  await hear(screen, 'Meanwhile');
  other.unsubscribe();
  const back = screen.show({});
  // What is known is shown at once.
  expect(back.shown()).toEqual(['New', 'Link 4', 'of 6']);
  await expect.poll(back.shown).toEqual(['Meanwhile', 'New', 'of 7']);
  await expect.poll(back.isStale).toBe(false);
});

test('urql reads a list again that comes back while another one is read', async () => {
  const held: (() => void)[] = [];
  let isHolding = false;
  const screen = await startUrql('during', async (input, init) => {
    if (isHolding) await new Promise<void>((release) => held.push(release));
    return await fetch(input, init);
  });
  const list = screen.show({});
  await expect.poll(list.shown).toEqual(['Link 4', 'Link 3', 'of 5']);
  list.unsubscribe();
  const other = screen.show(search);
  await expect.poll(other.shown).toEqual(['Link 1', 'of 1']);
  await expect.poll(other.isStale).toBe(false);
  isHolding = true;
  await hear(screen, 'Meanwhile');
  await expect.poll(() => held.length).toBe(1);
  const back = screen.show({});
  expect(back.shown()).toEqual(['Link 4', 'Link 3', 'of 5']);
  isHolding = false;
  for (const release of held) release();
  await expect.poll(back.shown).toEqual(['Meanwhile', 'Link 4', 'of 6']);
  await expect.poll(back.isStale).toBe(false);
});

test('urql reads a list of several pages again that comes back, with its count', async () => {
  const screen = await startUrql('pages');
  const first = screen.show({ first: 3 });
  await expect.poll(first.shown).toHaveLength(4);
  const variables = { first: 3, after: first.end() };
  first.unsubscribe();
  const list = screen.show(variables);
  await expect.poll(list.shown).toEqual(['Link 4', 'Link 3', 'Link 2', 'Link 1', 'Link 0', 'of 5']);
  await hear(screen, 'New');
  await expect.poll(list.shown).toEqual(['New', 'Link 4', 'Link 3', 'Link 2', 'Link 1', 'Link 0', 'of 6']);
  list.unsubscribe();
  const other = screen.show(search);
  await expect.poll(other.shown).toEqual(['Link 1', 'of 1']);
  await hear(screen, 'Meanwhile');
  other.unsubscribe();
  const back = screen.show(variables);
  await expect.poll(() => back.shown()?.slice(0, 4)).toEqual(['Meanwhile', 'New', 'Link 4', 'Link 3']);
  expect(back.shown()?.at(-1)).toBe('of 7');
});
