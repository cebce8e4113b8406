// Takes more than 3 s of the processor: three clients in a browser, each with a proxy and a server that restarts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Caller } from '../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { chromiumPath, closeTabs, openPage } from '../support/browser.ts';

/** The scripts of the page, as a build of a front end makes them. */
async function bundle(): Promise<string> {
  const built = await rolldown({
    input: 'test/browser/clients-page.mjs',
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await built.generate({ format: 'esm', codeSplitting: false });
  return output[0].code;
}

/** The proxy of the guide in front of a server; returns its URL. */
async function startProxy(origin: string, key: string): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', LINKSPACE_URL: origin, LINKSPACE_KEY: key, PORT: '0' };
  const proxy = spawn(process.execPath, ['examples/proxy/server.mjs'], { env });
  onTestFinished(async () => {
    proxy.kill();
    await once(proxy, 'close');
  });
  const [said] = await once(proxy.stdout.setEncoding('utf8'), 'data');
  return new URL(String(said).trim()).origin;
}

describe.runIf(chromiumPath)('the list of the guide to clients in a browser', () => {
  let first: TestServer;
  let other: TestServer;
  let script: string;
  beforeAll(async () => {
    other = await startTestServer({ background: true });
    first = await startTestServer({ background: true, url: other.databaseUrl });
    script = await bundle();
  });
  afterEach(closeTabs);
  afterAll(async () => {
    await first.stop();
    await other.stop();
  });

  /** Deletes, changes and creates a link, as another client. */
  async function work(owner: Caller, ids: readonly unknown[], titles: string[], at: number): Promise<void> {
    await owner.rest('DELETE', `/links/${ids[at]}`);
    titles.splice(titles.indexOf(`Link ${at}`), 1);
    await owner.rest('PATCH', `/links/${ids[at + 1]}`, { title: `Theirs ${at}` });
    titles[titles.indexOf(`Link ${at + 1}`)] = `Theirs ${at}`;
    await owner.link({ title: `New ${at}` });
    titles.unshift(`New ${at}`);
  }

  test.each(['apollo', 'urql', 'relay'])(
    'with %s follows another client and a restart of the server, and keeps its state',
    async (name) => {
      const owner = await other.caller(name);
      const ids: unknown[] = [];
      const titles: string[] = [];
      for (let i = 45; i >= 0; i--) {
        titles.unshift(`Link ${i}`);
        ids.unshift((await owner.link({ title: `Link ${i}` })).id);
      }
      const origin = await startProxy(first.origin, owner.key);
      const { page, elsewhere } = await openPage(origin);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      let refused = 0;
      page.on('response', (response) => {
        if (response.status() === 502) refused++;
      });
      await page.route(`${origin}/`, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<body><script type="module" src="/page.js"></script>`,
        }),
      );
      await page.route(`${origin}/page.js`, (route) =>
        route.fulfill({ contentType: 'text/javascript', body: script }),
      );
      await page.goto(`${origin}/#${name}`);
      const shown = () => page.locator('li').allTextContents();
      for (const rows of [20, 40, 46]) {
        await expect.poll(shown).toHaveLength(rows);
        if (rows < 46) await page.getByRole('button', { name: 'More' }).click();
      }
      await page.getByLabel('Note').fill('a draft');

      for (const at of [3, 23, 43]) {
        await work(owner, ids, titles, at);
        await expect.poll(shown).toEqual(titles);
      }
      await first.shutDown();
      await work(owner, ids, titles, 30);
      // By the waits of the guide, as many tries take more than 20 seconds.
      await expect.poll(() => refused).toBeGreaterThan(6);
      await expect.poll(() => shown()).toHaveLength(46);
      const { port } = new URL(first.origin);
      first = await startTestServer({ background: true, url: other.databaseUrl, port: Number(port) });
      await expect.poll(shown).toEqual(titles);
      await work(owner, ids, titles, 10);
      await expect.poll(shown).toEqual(titles);

      await expect.poll(() => page.getByLabel('Note').inputValue()).toBe('a draft');
      const lengths = await page.evaluate<number[]>('lengths.slice(lengths.indexOf(46))');
      expect(Math.min(...lengths)).toBeGreaterThan(43);
      expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
    },
  );
});
