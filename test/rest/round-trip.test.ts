import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let spaceIds: string[];
let pixelIds: string[];
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  spaceIds = [String(await owner.space('A')), String(await owner.space('B'))];
  pixelIds = [String(await owner.pixel()), String(await owner.pixel()), String(await owner.pixel())];
});
afterAll(() => server.stop());

const absent = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const url = fc
  .webUrl({ withQueryParameters: true, withFragments: true })
  .filter((text) => text.length <= 2048);
/** Storable text that trimming does not change. */
const anyText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((one) => one.trim() === one);
const listBy = <Key extends string>(key: Key, values: string[]) =>
  absent(
    fc.uniqueArray(fc.record({ [key]: fc.constantFrom(...values), url }), {
      selector: (target) => target[key],
      maxLength: 3,
    }),
  );

const linkWithoutPassword = () =>
  fc.record({
    url,
    title: absent(anyText),
    spaceId: absent(fc.constantFrom(...spaceIds)),
    pixelIds: absent(fc.subarray(pixelIds)),
    disabled: absent(fc.boolean()),
    privacy: absent(fc.constantFrom('PUBLIC', 'PRIVATE', 'PASSWORD')),
    expiration: absent(
      fc.record({
        url: absent(url),
        at: absent(
          fc
            .date({ noInvalidDate: true, min: new Date('1000-01-01'), max: new Date('9999-12-31') })
            .map((at) => at.toISOString()),
        ),
        clicks: absent(fc.integer({ min: 1, max: 999_999_999 })),
      }),
    ),
    targeting: absent(
      fc.record({
        type: absent(fc.constantFrom('NONE', 'COUNTRY', 'PLATFORM', 'LANGUAGE', 'ROTATION')),
        countries: listBy('country', ['DE', 'US', 'FR', 'JP']),
        platforms: listBy('platform', ['IOS', 'OS_X', 'CHROME_OS', 'UBUNTU']),
        languages: listBy('language', ['de', 'en', 'fr', 'ja']),
        rotation: absent(fc.array(url, { maxLength: 3 })),
      }),
    ),
  });

const anyLink = () =>
  linkWithoutPassword().map((link) => ({
    ...link,
    privacyPassword: link.privacy === 'PASSWORD' ? 'y' : undefined,
  }));

/** The fields of an update, by their names in an answer. */
const accepted = [
  ...['url', 'alias', 'title', 'space_id', 'pixel_ids', 'disabled', 'privacy', 'expiration_url'],
  ...['expiration_date', 'expiration_time', 'expiration_clicks', 'target_type'],
  ...['country', 'platform', 'language', 'rotation'],
];

/** A value in a form, as PHP's http_build_query would write it; an empty list as an empty value. */
function formOf(name: string, value: unknown): [string, string][] {
  if (value === null || (Array.isArray(value) && value.length === 0)) return [[name, '']];
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => formOf(`${name}[${key}]`, inner));
}

test('accepts its own answer as a form and as JSON, and changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(anyLink(), async (input) => {
      const { createLink } = await owner.data<{ createLink: { id: string } }>(
        `mutation ($input: CreateLinkInput!) {
          createLink(input: $input) { ... on Link { id } ... on ValidationError { fields { path messages } } }
        }`,
        { input },
      );
      const path = `/links/${createLink.id}`;
      const { body } = await owner.rest('GET', path);
      const link = (body as { data: RestLink }).data;
      const fields = accepted.map((name): [string, unknown] => [name, link[name]]);
      const asForm = await owner.rest(
        'PUT',
        path,
        fields.flatMap(([name, value]) => formOf(name, value)),
      );
      expect(asForm.body).toEqual({ data: link, status: 200 });
      const asJson = await owner.fetch(`/api/v1${path}`, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(Object.fromEntries(fields)),
      });
      expect(await asJson.json()).toEqual({ data: link, status: 200 });
    }),
    { numRuns: 25 },
  );
});
