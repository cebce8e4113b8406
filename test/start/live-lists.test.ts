import { readFileSync } from 'node:fs';
import { gql } from '@apollo/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as apollo from '../../examples/screen/apollo-client.ts';
import type { Endpoint } from '../../examples/screen/events.ts';
import * as urql from '../../examples/screen/urql-client.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const PAGES = readFileSync('examples/screen/link-pages.graphql', 'utf8');

interface Listed {
  links: {
    edges: { node: { nodeId: string; title: string } }[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
  };
}

/** A list on a screen, whose client is set up as in the guide. */
interface List {
  /** The titles, also those that were shown for a moment. */
  readonly shown: string[][];
  loadMore(): Promise<unknown>;
  close(): void;
}

const clients: Record<string, (endpoint: Endpoint) => List> = {
  'Apollo Client'(endpoint) {
    const client = apollo.newClient(endpoint);
    const shown: string[][] = [];
    const list = client.watchQuery<Listed>({ query: gql(PAGES) });
    list.subscribe(({ data }) => {
      const edges = data?.links?.edges?.map((edge) => edge?.node?.title ?? '') ?? [];
      if (data) shown.push(edges);
    });
    const end = apollo.followChanges(client);
    return {
      shown,
      loadMore: () =>
        list.fetchMore({ variables: { after: list.getCurrentResult().data?.links?.pageInfo?.endCursor } }),
      close() {
        end();
        client.stop();
      },
    };
  },
  urql(endpoint) {
    const client = urql.newClient(endpoint);
    const shown: string[][] = [];
    const list = client.query<Listed>(PAGES, {}).subscribe(({ data }) => {
      shown.push(data?.links.edges.map(({ node }) => node.title) ?? []);
    });
    const changes = client.subscription(urql.changes, {}).subscribe(() => {});
    return {
      shown,
      async loadMore() {
        const after = client.readQuery<Listed>(PAGES, {})?.data?.links.pageInfo.endCursor;
        await client.query<Listed>(PAGES, { after }).toPromise();
      },
      close() {
        list.unsubscribe();
        changes.unsubscribe();
      },
    };
  },
};

let first: TestServer;
let other: TestServer;
let accounts = 0;
beforeAll(async () => {
  other = await startTestServer({ background: true });
  first = await startTestServer({ background: true, url: other.databaseUrl });
});
afterAll(async () => {
  await first.stop();
  await other.stop();
});

describe.each(Object.entries(clients))('%s, set up as in the guide, shows', (_name, open) => {
  async function openList(count: number): Promise<{ owner: Caller; list: List; ids: unknown[] }> {
    const owner = await other.caller(`account ${accounts++}`);
    const ids: unknown[] = [];
    for (let i = 1; i <= count; i++) ids.unshift((await owner.link({ title: `Link ${i}` })).id);
    const headers = { Authorization: `Bearer ${owner.key}` };
    const list = open({ url: `${first.origin}/graphql`, headers, pause: () => 20 });
    onTestFinished(() => list.close());
    for (let rows = 20; ; rows += 20) {
      await expect.poll(() => list.shown.at(-1)).toHaveLength(Math.min(count, rows));
      if (rows >= count) break;
      await list.loadMore();
    }
    return { owner, list, ids };
  }

  test('what others create, edit and delete on all pages, and stays as long as it is', async () => {
    const { owner, list, ids } = await openList(50);
    const titles = Array.from({ length: 50 }, (_, i) => `Link ${50 - i}`);
    const before = list.shown.length;
    for (const [index, deleted] of [5, 25, 45].entries()) {
      await owner.rest('DELETE', `/links/${ids[deleted]}`);
      titles.splice(titles.indexOf(`Link ${50 - deleted}`), 1);
      await owner.rest('PATCH', `/links/${ids[deleted + 1]}`, { title: `Theirs ${index}` });
      titles[titles.indexOf(`Link ${49 - deleted}`)] = `Theirs ${index}`;
      await owner.link({ title: `New ${index}` });
      titles.unshift(`New ${index}`);
      await expect.poll(() => list.shown.at(-1)).toEqual(titles);
    }
    expect(Math.min(...list.shown.slice(before).map((rows) => rows.length))).toBeGreaterThan(45);
  });

  test('what happened while the server restarted, on all pages', async () => {
    const { owner, list, ids } = await openList(30);
    await first.shutDown();
    await owner.rest('DELETE', `/links/${ids[3]}`);
    await owner.rest('PATCH', `/links/${ids[25]}`, { title: 'Theirs' });
    await owner.link({ title: 'New' });
    expect(list.shown.at(-1)).toContain('Link 27');
    const { port } = new URL(first.origin);
    first = await startTestServer({ background: true, url: other.databaseUrl, port: Number(port) });
    const titles = Array.from({ length: 30 }, (_, i) => `Link ${30 - i}`);
    titles[25] = 'Theirs';
    titles.splice(3, 1);
    await expect.poll(() => list.shown.at(-1)).toEqual(['New', ...titles]);
    await owner.link({ title: 'Newer' });
    await expect.poll(() => list.shown.at(-1)?.[0]).toEqual('Newer');
  });
});
