import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

const CHECK = `query ($inputs: [CreateLinkInput!]!) {
  checkLinks(inputs: $inputs) { message code fields { path messages } }
}`;
const check = (inputs: object[], caller = owner) => caller.data(CHECK, { inputs });

test('checkLinks returns null for each link that would be created, and creates nothing', async () => {
  const inputs = [{ url: 'https://example.com/' }, { url: 'https://example.com/', alias: 'free' }];
  expect(await check(inputs)).toEqual({ checkLinks: [null, null] });
  expect(await owner.data('{ links { totalCount } changes { totalCount } }')).toEqual({
    links: { totalCount: 0 },
    changes: { totalCount: 0 },
  });
});

test('checkLinks returns the same errors as createLinks, also those caused by earlier inputs', async () => {
  await owner.link({ alias: 'taken', url: 'https://example.com/taken' });
  const other = await server.caller('other');
  await other.link({ alias: 'theirs' });
  const inputs = [
    { url: 'nowhere', expiration: { clicks: 0 } },
    { url: 'https://example.com/taken', alias: 'taken' },
    { url: 'https://example.com/', alias: 'theirs' },
    { url: 'https://example.com/', alias: 'docs' },
    { url: 'https://example.com/', spaceId: '999' },
    { url: 'https://s.example/loop' },
    { url: 'https://example.com/twice', alias: 'twice' },
    { url: 'https://example.com/twice', alias: 'twice' },
    { url: 'https://example.com/twice' },
    { url: 'https://example.com/twice' },
  ];
  const { checkLinks } = await owner.data<{ checkLinks: unknown[] }>(CHECK, { inputs });
  const { createLinks } = await owner.data<{ createLinks: object[] }>(
    `mutation ($inputs: [CreateLinkInput!]!) {
      createLinks(inputs: $inputs) { ... on ValidationError { message code fields { path messages } } }
    }`,
    { inputs },
  );
  expect(checkLinks).toEqual(createLinks.map((one) => (Object.keys(one).length === 0 ? null : one)));
  expect(checkLinks.map((one) => one === null)).toEqual([
    ...[false, false, false, false, false, false],
    ...[true, false, true, true],
  ]);
});

test('checkLinks needs only the read scope, and refuses more than 100 links', async () => {
  const reader = await server.caller('owner', ['read']);
  expect(await check([{ url: 'https://example.com/' }], reader)).toEqual({ checkLinks: [null] });
  const { errors } = await owner.graphql(CHECK, {
    inputs: Array.from({ length: 101 }, () => ({ url: 'https://example.com/' })),
  });
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'VALIDATION',
    fields: [{ path: ['inputs'], messages: ['may have at most 100 entries, not 101'] }],
  });
});

test('a wrong target is told once, and compared with no other one: a list of many costs half', async () => {
  const url = 'https://example.com/';
  const countries = ['??', '??', 'DE', 'de'].map((country) => ({ country, url }));
  const fields = [
    { path: ['targeting', 'countries', '0', 'country'], messages: [expect.stringContaining('ISO 3166-1')] },
    { path: ['targeting', 'countries', '1', 'country'], messages: [expect.stringContaining('ISO 3166-1')] },
    { path: ['targeting', 'countries', '3', 'country'], messages: ['is in the list already'] },
  ];
  expect(await check([{ url, targeting: { countries } }])).toMatchObject({ checkLinks: [{ fields }] });
});
