import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import * as apollo from '../../examples/screen/start-apollo.ts';
import * as relay from '../../examples/screen/start-relay.ts';
import * as urql from '../../examples/screen/start-urql.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// test/start and test/browser have more of the caches: pages, edits, conflicts, restarts, two clients.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());

/** The titles that are shown last, as they come. */
function followed(name: string, url: string, headers: Record<string, string>): () => (string | null)[] {
  let titles: (string | null)[] = [];
  type Edges = readonly { readonly node: { readonly title?: string | null } }[];
  const show = ({ links }: { readonly links: { readonly edges: Edges } }) => {
    titles = links.edges.map(({ node }) => node.title ?? null);
  };
  const start = { apollo, urql, relay }[name];
  if (start === undefined) throw new Error(`no example for ${name}`);
  onTestFinished(start.followTitles(url, headers, show));
  return () => titles;
}

test.each(['apollo', 'urql', 'relay'])('the start with %s shows what others do', async (name) => {
  const caller = await server.caller(name);
  const { id } = await caller.link({ title: 'One' });
  const titles = followed(name, `${server.origin}/graphql`, { Authorization: `Bearer ${caller.key}` });
  await expect.poll(titles).toEqual(['One']);
  await caller.link({ title: 'Two' });
  await expect.poll(titles).toEqual(['Two', 'One']);
  await caller.rest('PATCH', `/links/${id}`, { title: 'Uno' });
  await expect.poll(titles).toEqual(['Two', 'Uno']);
  await caller.rest('DELETE', `/links/${id}`);
  await expect.poll(titles).toEqual(['Two']);
});
