import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from '../support/markdown.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { BROWSER } from '../support/visit.ts';

interface Recipe {
  readonly rules: readonly object[];
  readonly ruleTests: readonly { readonly visitor: object; readonly expect: object }[];
}

const recipes = blocksOf('docs/rules.md')
  .filter(({ language }) => language === 'json')
  .map(({ text }): Recipe => JSON.parse(text));

const OWN_URL = 'https://example.com/';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer();
  caller = await server.caller();
});
afterAll(() => server.stop());

async function create(input: object): Promise<{ __typename: string; alias: string }> {
  const { createLink } = await caller.data<{ createLink: { __typename: string; alias: string } }>(
    `mutation ($input: CreateLinkInput!) {
      createLink(input: $input) { __typename ... on Link { alias ruleWarnings { kind } } ... on ValidationError { fields { path messages } } }
    }`,
    { input: { url: OWN_URL, ...input } },
  );
  return createLink;
}

/** Visits of each recipe: the time, the headers and the query, and the destination. */
const visits: [at: string, headers: Record<string, string>, query: string, destination: RegExp][][] = [
  [
    ['2027-01-04T12:00:00Z', { 'User-Agent': IPHONE }, '', /^https:\/\/apps\.apple\.com\/app\/id1$/],
    ['2027-01-04T12:00:00Z', { 'User-Agent': BROWSER }, '', /^https:\/\/example\.com\/$/],
  ],
  [
    ['2027-01-04T08:00:00Z', {}, '', /^https:\/\/chat\.example\.com\/$/],
    ['2027-01-04T16:00:00Z', {}, '', /^https:\/\/example\.com\/$/],
    ['2027-07-05T07:00:00Z', {}, '', /^https:\/\/chat\.example\.com\/$/],
  ],
  [
    ['2027-01-04T12:00:00Z', {}, 'utm_campaign=spring', /^https:\/\/example\.com\/spring\?/],
    ['2027-01-04T12:00:00Z', {}, 'utm_campaign=x', /^https:\/\/example\.com\/campaigns\?/],
    ['2027-01-04T12:00:00Z', {}, '', /^https:\/\/example\.com\/$/],
  ],
  [
    ['2027-01-04T12:00:00Z', { 'Accept-Language': 'fr' }, '', /^https:\/\/example\.com\/fr$/],
    ['2027-01-04T12:00:00Z', { 'Accept-Language': 'en,fr;q=0.5' }, '', /^https:\/\/example\.com\/$/],
  ],
  [
    ['2027-01-04T12:00:00Z', { 'X-Country': 'DE' }, '', /^https:\/\/example\.com\/[ab]$/],
    ['2027-01-04T12:00:00Z', { 'X-Country': 'FR' }, '', /^https:\/\/example\.com\/$/],
  ],
  [
    ['2027-11-30T22:59:59Z', {}, '', /^https:\/\/example\.com\/offer$/],
    ['2027-11-30T23:00:00Z', {}, '', /^https:\/\/example\.com\/$/],
  ],
];

describe.each(recipes.map((recipe, index) => [index + 1, recipe] as const))('recipe %i', (place, recipe) => {
  test('is saved with its tests, and has no warnings', async () => {
    expect(await create(recipe)).toMatchObject({ __typename: 'Link', ruleWarnings: [] });
  });

  test('each of its tests says something: none passes without the rules', async () => {
    const { ruleTests } = recipe;
    const leading = ruleTests.flatMap((one, index) => ('noRule' in one.expect ? [] : [index]));
    const refused = await create({ rules: [], ruleTests });
    expect(refused).toMatchObject({ __typename: 'ValidationError' });
    expect(JSON.stringify(refused)).toContain(`"ruleTests","${leading[0]}"`);
  });

  test('leads visitors', async () => {
    const { alias } = await create(recipe);
    const all = visits[place - 1] ?? [];
    expect(all).not.toEqual([]);
    for (const [at, headers, query, destination] of all) {
      server.clock.now = new Date(at);
      const answer = await fetch(`${server.origin}/${alias}?${query}`, {
        headers: { 'User-Agent': BROWSER, ...headers },
        redirect: 'manual',
      });
      expect(answer.headers.get('Location')).toMatch(destination);
    }
  });
});

test('there are six recipes', () => {
  expect(recipes).toHaveLength(6);
  expect(visits).toHaveLength(6);
});
