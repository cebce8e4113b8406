import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readStoredRules } from '../../src/domain/rule/parse.ts';
import { importInto } from '../support/moving.ts';
import { startTestServer } from '../support/server.ts';

const rules = [
  {
    longUrl: 'https://a.example/ios',
    priority: 1,
    conditions: [{ type: 'device', matchKey: null, matchValue: 'ios' }],
  },
];

/** A Shlink server with two pages of short URLs, one of which has rules. Returns its address and the asked paths. */
async function startShlink() {
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, answer) => {
    asked.push(`${url} ${headers['x-api-key']}`);
    const page = Number(new URL(url, 'http://s').searchParams.get('page'));
    const short = (hasRedirectRules: boolean) => ({
      ...{ shortCode: `a${page}`, longUrl: 'https://a.example/', domain: 'go.example', hasRedirectRules },
    });
    const content = url.includes('redirect-rules')
      ? { defaultLongUrl: 'https://a.example/', redirectRules: rules }
      : { shortUrls: { data: [short(page === 2)], pagination: { currentPage: page, pagesCount: 2 } } };
    answer.setHeader('Content-Type', 'application/json').end(JSON.stringify(content));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }; // It listens on TCP.
}

test('the script of the guide makes a file of short URLs with their rules', async () => {
  const { asked, origin } = await startShlink();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['examples/moving/shlink.mjs', `${origin}/`],
    {
      env: { SHLINK_API_KEY: 'the key' },
    },
  );
  expect(asked).toEqual([
    '/rest/v3/short-urls?page=1&itemsPerPage=100 the key',
    '/rest/v3/short-urls?page=2&itemsPerPage=100 the key',
    '/rest/v3/short-urls/a2/redirect-rules?domain=go.example the key',
  ]);
  const server = await startTestServer();
  onTestFinished(() => server.stop());
  await server.caller();
  expect(await importInto(server, { text: stdout }, { format: 'shlink' })).toMatchObject({
    created: 2,
    told: [],
  });
  const links = await server.database.prisma.link.findMany({ orderBy: { alias: 'asc' } });
  expect(links.map((link) => readStoredRules(link.rules).rules.length)).toEqual([0, 1]);
});
