import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-bytes-'));

/** Deterministic random numbers, so that both databases get the same. */
function repeatable(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

let servers: [TestServer, TestServer];
beforeAll(async () => {
  const file = `file:${join(folder, 'sqlite.db')}`;
  await applyMigrations(file);
  servers = [
    await startTestServer({ url: file, random: repeatable() }),
    await startTestServer({ random: repeatable() }),
  ];
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const link = 'url=https://example.com/';
const titles = [
  'Ähre',
  'ähre',
  'Zebra',
  'apfel',
  'Äpfel',
  'zoo',
  '',
  'ß',
  'SS',
  'İ',
  'i',
  '_%\\',
  '🚀',
  '\u{ffff}',
];
const fields = `id url alias shortUrl title space { name } pixels { name } domain { name }
  expiration { url at clicks } targeting { type countries { country url } rotation } clicks status createdAt updatedAt`;

/** Method, path and body of v1, or a GraphQL operation. */
const calls: ([string, string, string?] | string)[] = [
  ...['Launch', 'älter', 'Zoo', 'abc'].map((name): [string, string, string] => [
    'POST',
    '/spaces',
    `name=${name}&color=2`,
  ]),
  'mutation { createDomain(input: { name: "BÜCHER.example" }) { ... on Domain { id name shared createdAt } } }',
  'mutation { createPixel(input: { name: "Ads", type: GOOGLE_ADS, value: "AW-1" }) { ... on Pixel { id name type } } }',
  ...titles.map((title, i): [string, string, string] => [
    'POST',
    '/links',
    `${link}${i}&title=${encodeURIComponent(title)}&space_id=${(i % 3) + 1}${i % 2 ? '&pixel_ids=1' : ''}`,
  ]),
  [
    'POST',
    '/links',
    `${link}&alias=Full&domain_id=2&expiration_date=2026-12-31&expiration_time=23:59&expiration_clicks=9&disabled=1`,
  ],
  [
    'POST',
    '/links',
    `${link}&target_type=4&rotation[1][value]=https://example.com/b&rotation[0][value]=https://example.com/a`,
  ],
  ['POST', '/links', `${link}&alias=Full&domain_id=2&space_id=99&pixel_ids=1,98,99`],
  ['POST', '/links', 'url=x&alias=a b&expiration_date=0001-01-01'],
  [
    'PATCH',
    '/links/3',
    'title=Changed&space_id=&expiration_date=1000-01-01&country[0][key]=DE&country[0][value]=https://example.com/de',
  ],
  ['PATCH', '/links/4', 'expiration_date=9999-12-31&pixel_ids=1'],
  ['PUT', '/spaces/2', 'name=umbenannt'],
  ['DELETE', '/links/5'],
  ['DELETE', '/spaces/3'],
  ['DELETE', '/links/5'],
  ...[
    '',
    'sort_by=title',
    'sort_by=title&sort=asc',
    'sort_by=alias',
    'sort_by=url&sort=asc',
    'sort_by=clicks',
    'search=SS',
    'search=%C3%84',
    'search=_%25',
    'search=i',
    'status=1',
    'status=2',
    'status=3',
    'space_id=0',
    'pixel_id=1',
    'per_page=10&page=2',
  ].map((query): [string, string] => ['GET', `/links?${query}`]),
  ['GET', '/spaces?sort_by=name&sort=asc'],
  ['GET', '/links/4'],
  `{ links(first: 5, orderBy: { field: TITLE }) { totalCount edges { cursor node { ${fields} } } pageInfo { hasNextPage endCursor } } }`,
  `{ spaces { edges { cursor node { id name links(last: 2) { totalCount edges { cursor node { title } } } } } } }`,
  '{ domains { edges { cursor node { id name } } } pixels { edges { cursor node { id name } } } viewer { account { id name } } }',
  'mutation { deleteDomain(id: "2") { ... on Error { code message } } }',
  '{ links(filter: { search: "\\u0000" }) { totalCount } }',
];

async function bytesOf(server: TestServer, caller: Caller, call: (typeof calls)[number]): Promise<string> {
  const response =
    typeof call === 'string'
      ? await caller.fetch('/graphql', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ query: call }),
        })
      : await caller.fetch(`/api/v1${call[1]}`, {
          method: call[0],
          body: call[2],
          headers: call[2] === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' },
        });
  return `${response.status} ${(await response.text()).replaceAll(server.origin, 'ORIGIN')}`;
}

test('both databases give the same bytes for the same requests', async () => {
  const callers = [await servers[0].caller(), await servers[1].caller()];
  const answers: string[][] = [[], []];
  for (const call of calls)
    for (const [index, server] of servers.entries())
      answers[index]?.push(await bytesOf(server, callers[index] as Caller, call));
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[0]?.filter((answer) => answer.startsWith('5'))).toEqual([]);
});
