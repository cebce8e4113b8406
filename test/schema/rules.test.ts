import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
});
afterAll(() => server.stop());

interface FieldError {
  path: string[];
  messages: string[];
  rule: string;
  values: { name: string; value: string }[];
}

const refused = `... on Error { code message rule values { name value } }
  ... on ValidationError { fields { path messages rule values { name value } } }`;

/** The words of each rule, as the schema describes it. */
async function wordsOfRules(): Promise<Map<string, string>> {
  const { __type } = await owner.data<{ __type: { enumValues: { name: string; description: string }[] } }>(
    '{ __type(name: "Rule") { enumValues { name description } } }',
  );
  return new Map(__type.enumValues.map(({ name, description }) => [name, description]));
}

const filled = (words: string, values: FieldError['values']): string =>
  values.reduce((text, { name, value }) => text.replace(`{${name}}`, value), words);

test.each<[string, object, string, Record<string, string>]>([
  ['url', { url: 'nothing' }, 'URL', {}],
  ['url', { url: 'htp:/example.com' }, 'URL_SCHEME', {}],
  ['url', { url: 'https://https://example.com/' }, 'URL_SCHEME', {}],
  ['url', { url: 'https://example,com/' }, 'URL_HOST', {}],
  ['url', { url: 'https:///page' }, 'URL_WITHOUT_HOST', {}],
  ['url', { url: 'https://exa mple.com/' }, 'URL_HOST_SPACE', {}],
  ['url', { url: 'https://example.com:99999/' }, 'URL_HOST', {}],
  ['url', { url: 'https://example.com/\u0007' }, 'CONTROL_CHARACTERS', {}],
  ['url', { url: '' }, 'BLANK', {}],
  [
    'url',
    { url: `https://example.com/${'x'.repeat(2_048)}` },
    'LENGTH_GIVEN',
    { max: '2048', length: '2068' },
  ],
  ['alias', { alias: 'a b' }, 'ALIAS_CHARACTERS', {}],
  ['alias', { alias: 'graphql' }, 'SERVICE_PATH', {}],
  ['spaceId', { spaceId: '999' }, 'ID', { what: 'one of your spaces' }],
  ['pixelIds', { pixelIds: ['998', '999'] }, 'PIXELS_UNKNOWN', { ids: '998, 999' }],
  ['privacyPassword', { privacy: 'PASSWORD' }, 'PRIVACY_PASSWORD', {}],
  ['expiration.at', { expiration: { at: 'soon' } }, 'TIME', {}],
  ['expiration.clicks', { expiration: { clicks: 0 } }, 'INTEGER', { min: '1', max: '999999999' }],
  ['targeting.countries.0.country', countries('XX'), 'COUNTRY', {}],
  ['targeting.countries.1.country', countries('DE', 'de'), 'DUPLICATE', {}],
])('of %s in %o, tells the rule %s and its values', async (path, given, rule, values) => {
  const input = { url: 'https://example.com/', ...given };
  const { createLink } = await owner.data<{ createLink: { fields: FieldError[] } }>(
    `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ${refused} } }`,
    { input },
  );
  const [field] = createLink.fields;
  expect(field).toMatchObject({ path: path.split('.'), rule });
  expect(Object.fromEntries(field?.values.map(({ name, value }) => [name, value]) ?? [])).toMatchObject(
    values,
  );
  const words = await wordsOfRules();
  expect(field?.messages[0]).toBe(filled(words.get(rule) ?? '', field?.values ?? []));
});

function countries(...codes: string[]): object {
  const targets = codes.map((country) => ({ country, url: 'https://example.com/there' }));
  return { targeting: { type: 'COUNTRY', countries: targets } };
}

test('of an error without fields, tells its code as the rule', async () => {
  const { deleteLink } = await owner.data<{ deleteLink: object }>(
    'mutation { deleteLink(id: "999") { ... on Error { code message rule values { name value } } } }',
  );
  expect(deleteLink).toEqual({ code: 'NOT_FOUND', message: 'No such link.', rule: 'NOT_FOUND', values: [] });
});
