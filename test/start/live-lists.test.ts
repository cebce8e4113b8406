// Takes more than 3 s of the processor: three real clients read lists of 50 links over restarts of a real server.
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as apollo from '../../examples/screen/apollo.ts';
import * as relay from '../../examples/screen/relay.ts';
import type { Screen } from '../../examples/screen/screen.ts';
import * as urql from '../../examples/screen/urql.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const clients = { 'Apollo Client': apollo, urql, Relay: relay };

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

describe.each(Object.entries(clients))('%s, set up as in the guide, shows', (_name, { openScreen }) => {
  const titles = (screen: Screen) => screen.rows().map(({ title }) => title);

  /** A screen with all links of a new account, which follows changes. */
  async function openAll(count: number): Promise<{ owner: Caller; screen: Screen; ids: unknown[] }> {
    const owner = await other.caller(`account ${accounts++}`);
    const ids: unknown[] = [];
    for (let i = 1; i <= count; i++) ids.unshift((await owner.link({ title: `Link ${i}` })).id);
    const headers = { Authorization: `Bearer ${owner.key}` };
    const url = `${first.origin}/graphql`;
    const screen = await openScreen({ url, headers, pageSize: 20, fetch, pause: () => 20 });
    onTestFinished(screen.follow());
    // A page may come from the cache at once while the list is read again: the loop lets the answers in.
    while (screen.hasMore()) {
      await screen.loadMore();
      await setImmediate();
    }
    await expect.poll(() => screen.rows()).toHaveLength(count);
    return { owner, screen, ids };
  }

  test('what others create, edit and delete on all pages, and stays as long as it is', async () => {
    const { owner, screen, ids } = await openAll(50);
    const expected = Array.from({ length: 50 }, (_, i) => `Link ${50 - i}`);
    for (const [index, deleted] of [5, 25, 45].entries()) {
      await owner.rest('DELETE', `/links/${ids[deleted]}`);
      expected.splice(expected.indexOf(`Link ${50 - deleted}`), 1);
      await owner.rest('PATCH', `/links/${ids[deleted + 1]}`, { title: `Theirs ${index}` });
      expected[expected.indexOf(`Link ${49 - deleted}`)] = `Theirs ${index}`;
      await owner.link({ title: `New ${index}` });
      expected.unshift(`New ${index}`);
      const lengths = new Set<number>();
      const shown = () => {
        lengths.add(screen.rows().length);
        return titles(screen);
      };
      await expect.poll(shown, { interval: 1 }).toEqual(expected);
      expect(Math.min(...lengths)).toBeGreaterThan(45);
    }
  });

  test('what happened while the server restarted, on all pages', async () => {
    const { owner, screen, ids } = await openAll(30);
    await first.shutDown();
    await owner.rest('DELETE', `/links/${ids[3]}`);
    await owner.rest('PATCH', `/links/${ids[25]}`, { title: 'Theirs' });
    await owner.link({ title: 'New' });
    expect(titles(screen)).toContain('Link 27');
    const { port } = new URL(first.origin);
    first = await startTestServer({ background: true, url: other.databaseUrl, port: Number(port) });
    const expected = Array.from({ length: 30 }, (_, i) => `Link ${30 - i}`);
    expected[25] = 'Theirs';
    expected.splice(3, 1);
    await expect.poll(() => titles(screen)).toEqual(['New', ...expected]);
    await owner.link({ title: 'Newer' });
    await expect.poll(() => titles(screen)[0]).toBe('Newer');
  });
});
