import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isAlias, normalizeAlias } from '../../src/domain/link/alias-grammar.ts';
import { isReserved } from '../../src/domain/link/reserved.ts';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { chromiumPath, closeTabs, openPage } from '../support/browser.ts';

const run = promisify(execFile);

/** Aliases of all kinds, the same in each run. */
function sampleAliases(count: number): string[] {
  const part = fc.oneof(
    fc.constantFrom(
      'a',
      'Z9',
      '-',
      '_',
      '.',
      '/',
      'ä',
      'ß',
      'é',
      '👍🏽',
      '❤',
      '🏳‍🌈',
      '1⃣',
      '#⃣',
      '👩‍👩‍👧‍👦',
      '🇩🇪',
    ),
    fc.constantFrom('лето', 'שלום', 'سلام', 'हिन्दी', '日本', 'ひらがな', '한국어', 'ไทย', '/'),
    fc.string({ unit: 'grapheme', maxLength: 2 }),
  );
  const alias = fc
    .array(part, { minLength: 1, maxLength: 8 })
    .map((parts) => normalizeAlias(parts.join('')))
    .filter((one) => isAlias(one) && !isReserved(one));
  return [...new Set(fc.sample(alias, { seed: 20_261_130, numRuns: count }))];
}

describe.runIf(chromiumPath)('an alias of any form', () => {
  let server: TestServer;
  let target: Server;
  beforeAll(async () => {
    server = await startTestServer({ sharesScripts: true });
    target = createServer((_req, res) => void res.end('here')).listen(0, '127.0.0.1');
    await once(target, 'listening');
  });
  afterEach(closeTabs);
  afterAll(async () => {
    await server.stop();
    target.close();
  });

  test('leads to its link where shortUrl says, in Chromium, curl and Node', async () => {
    const caller = await server.caller();
    const { port } = target.address() as AddressInfo;
    const links: { alias: string; address: string; written: string; url: string }[] = [];
    for (const alias of sampleAliases(60)) {
      const url = `http://127.0.0.1:${port}/${links.length}`;
      const made = await caller.link({ alias, url });
      expect(made.alias).toBe(alias);
      const address = String(made.short_url).replace('https://s.example', server.origin);
      expect(address).toMatch(/^[!-~]+$/);
      links.push({ alias, address, written: `${server.origin}/${alias.replaceAll('#', '%23')}`, url });
    }
    expect(links.filter(({ alias }) => /\P{ASCII}/u.test(alias)).length).toBeGreaterThan(30);
    const { page } = await openPage(server.origin);
    for (const { alias, address, written, url } of links) {
      for (const one of [address, `${address}/`, written]) {
        await page.goto(one);
        expect([alias, one, page.url()]).toEqual([alias, one, url]);
      }
      const { stdout } = await run('curl', ['-s', '-o', '/dev/null', '-w', '%{redirect_url}', address]);
      expect([alias, stdout]).toEqual([alias, url]);
      const { stdout: led } = await run('curl', [
        '-s',
        '-L',
        '-o',
        '/dev/null',
        '-w',
        '%{url_effective}',
        written,
      ]);
      expect([alias, led]).toEqual([alias, url]);
      const { headers } = await fetch(address, { redirect: 'manual' });
      expect([alias, headers.get('location')]).toEqual([alias, url]);
    }
  });
});
