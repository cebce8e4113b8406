import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createLinkInput, updateLinkInput } from '../../src/domain/link/fields.ts';
import { createNamedInput, updateNamedInput } from '../../src/domain/name-and-color.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let id: string;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  id = String((await owner.link({ alias: 'stored', privacy: 2, privacy_password: 'secret' })).id);
});
afterAll(() => server.stop());
afterEach(() => vi.restoreAllMocks());

const schemas = { createLinkInput, updateLinkInput, createNamedInput, updateNamedInput };

/** The number of parses of each schema while the work is done. */
async function parsesOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const spies = Object.entries(schemas).map(
    ([name, schema]) => [name, [vi.spyOn(schema, 'safeParse'), vi.spyOn(schema, 'parse')]] as const,
  );
  await work();
  const counts = spies.map(
    ([name, each]) => [name, each.reduce((sum, { mock }) => sum + mock.calls.length, 0)] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const url = 'https://example.com/parsed';
const mutate = (text: string, variables: object) => owner.data(text, variables);
const CREATE = 'mutation ($input: CreateLinkInput!) { createLink(input: $input) { __typename } }';
const UPDATES = 'mutation ($inputs: [UpdateLinksInput!]!) { updateLinks(inputs: $inputs) { __typename } }';
const CHECKS = `query ($inputs: [CreateLinkInput!]!) {
  ${Array.from({ length: 10 }, (_, i) => `a${i}: checkLinks(inputs: $inputs) { code }`).join(' ')}
}`;
const WRONG = Array.from({ length: 101 }, () => ({ country: '??', url }));

test.each<[string, () => Promise<unknown>, Record<string, number>]>([
  ['a new link of v1', () => owner.rest('POST', '/links', { url }), { createLinkInput: 1 }],
  ['a refused link of v1', () => owner.rest('POST', '/links', { url: 'nowhere' }), { createLinkInput: 1 }],
  [
    'a link of v1 that it cannot read',
    () => owner.rest('POST', '/links', { url, privacy: 'x' }),
    { createLinkInput: 1 },
  ],
  [
    'a link of v1 without a URL',
    () => owner.rest('POST', '/links', { expiration_clicks: 'x' }),
    { createLinkInput: 1 },
  ],
  ['a changed link of v1', () => owner.rest('PUT', `/links/${id}`, { title: 'x' }), { updateLinkInput: 1 }],
  ['a new space of v1', () => owner.rest('POST', '/spaces', { name: 'x' }), { createNamedInput: 1 }],
  ['a new link', () => mutate(CREATE, { input: { url } }), { createLinkInput: 1 }],
  [
    'a link that may exist',
    () => mutate(CREATE, { input: { url, title: 'x', reuse: true } }),
    { createLinkInput: 1 },
  ],
  [
    'a changed link of a batch with a password',
    () => mutate(UPDATES, { inputs: [{ id, input: { privacyPassword: 'other' } }] }),
    { updateLinkInput: 1 },
  ],
  [
    'a link that many fields check',
    () => mutate(CHECKS, { inputs: [{ url, targeting: { countries: WRONG } }] }),
    { createLinkInput: 1 },
  ],
  [
    'a refused change of a batch',
    () => mutate(UPDATES, { inputs: [{ id, input: { alias: '?' } }] }),
    { updateLinkInput: 1 },
  ],
])('parses the input of %s once', async (_what, work, expected) => {
  expect(await parsesOf(work)).toEqual(expected);
});

test('v1 tells all wrong fields at once, whichever check finds them', async () => {
  const wrong = 'url,alias,pixel_ids,privacy,expiration_clicks';
  const { status, body } = await owner.rest('POST', '/links', {
    ...{ alias: 'a b', expiration_clicks: '1.5', pixel_ids: 'x', privacy: '7' },
  });
  expect([status, body]).toMatchObject([
    422,
    { errors: expect.toSatisfy((errors: object) => Object.keys(errors).join() === wrong) },
  ]);
});
