import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let person: Person;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  const { id } = await server.database.prisma.account.findFirstOrThrow({ where: { name: 'owner' } });
  person = await signedIn(server, id, 'OWNER');
});
afterAll(() => server.stop());

interface FieldError {
  path: string[];
  messages: string[];
  rule: string;
  values: { name: string; value: string }[];
  reason: string;
  reasonValues: { name: string; value: string }[];
}

const why = 'rule values { name value } reason reasonValues { name value }';
const refused = `... on Error { code message ${why} }
  ... on ValidationError { fields { path messages ${why} } }`;

/** The words of each rule, as the schema describes it. */
async function wordsOfRules(): Promise<Map<string, string>> {
  const { __type } = await owner.data<{ __type: { enumValues: { name: string; description: string }[] } }>(
    '{ __type(name: "Rule") { enumValues { name description } } }',
  );
  return new Map(__type.enumValues.map(({ name, description }) => [name, description]));
}

const filled = (words: string, values: FieldError['values']): string =>
  values.reduce((text, { name, value }) => text.replace(`{${name}}`, value), words);

test.each<[string, object, string, Record<string, string>, string, (readonly [string, string])[]?]>([
  ['url', { url: 'nothing' }, 'URL', {}, 'NOT_A_URL'],
  ['url', { url: 'htp:/example.com' }, 'URL_SCHEME', {}, 'URL_SCHEME_MISTYPED'],
  ['url', { url: 'https://https://example.com/' }, 'URL_SCHEME', {}, 'URL_SCHEME_MISTYPED'],
  ['url', { url: 'https://example,com/' }, 'URL_HOST', {}, 'URL_HOST_INVALID'],
  ['url', { url: 'https:///page' }, 'URL_WITHOUT_HOST', {}, 'URL_HOST_MISSING'],
  ['url', { url: 'https://exa mple.com/' }, 'URL_HOST_SPACE', {}, 'URL_HOST_HAS_SPACE'],
  ['url', { url: 'https://example.com:99999/' }, 'URL_HOST', {}, 'URL_HOST_INVALID'],
  ['url', { url: 'https://example.com/\u0007' }, 'CONTROL_CHARACTERS', {}, 'HAS_CONTROL_CHARACTERS'],
  ['url', { url: '' }, 'BLANK', {}, 'BLANK'],
  [
    'url',
    { url: `https://example.com/${'x'.repeat(2_048)}` },
    'LENGTH_GIVEN',
    { max: '2048', length: '2068' },
    'WRONG_LENGTH',
  ],
  ['domainId', { domainId: '999' }, 'ID', { what: 'a domain that you may use' }, 'UNKNOWN_DOMAIN', []],
  [
    'utmTemplateId',
    { utmTemplateId: '9' },
    'ID',
    { what: 'one of your UTM templates' },
    'UNKNOWN_UTM_TEMPLATE',
    [],
  ],
  ['tagIds', { tagIds: ['7'] }, 'TAG_UNKNOWN', { id: '7' }, 'UNKNOWN_TAG'],
  ['tagIds.0', { tagIds: ['seven'] }, 'TAGS', {}, 'UNKNOWN_TAG'],
  [
    'pixelIds',
    { pixelIds: ['1', '2', '3', '4'] },
    'PIXELS_UNKNOWN',
    { ids: '1, 2, 3, 4' },
    'UNKNOWN_PIXEL',
    [
      ['id', '1'],
      ['id', '2'],
      ['id', '3'],
    ],
  ],
  ['alias', { alias: 'a b' }, 'ALIAS_CHARACTERS', {}, 'ALIAS_HAS_WRONG_CHARACTERS'],
  ['alias', { alias: 'graphql' }, 'SERVICE_PATH', {}, 'RESERVED_PATH'],
  ['spaceId', { spaceId: '999' }, 'ID', { what: 'one of your spaces' }, 'UNKNOWN_SPACE', []],
  [
    'pixelIds',
    { pixelIds: ['998', '999'] },
    'PIXELS_UNKNOWN',
    { ids: '998, 999' },
    'UNKNOWN_PIXEL',
    [
      ['id', '998'],
      ['id', '999'],
    ],
  ],
  ['privacyPassword', { privacy: 'PASSWORD' }, 'PRIVACY_PASSWORD', {}, 'PRIVACY_PASSWORD_MISSING'],
  ['expiration.at', { expiration: { at: 'soon' } }, 'TIME', {}, 'NOT_A_TIME'],
  [
    'expiration.clicks',
    { expiration: { clicks: 0 } },
    'INTEGER',
    { min: '1', max: '999999999' },
    'NOT_AN_INTEGER_IN_RANGE',
  ],
  ['targeting.countries.0.country', countries('XX'), 'COUNTRY', {}, 'NOT_A_COUNTRY'],
  ['targeting.countries.1.country', countries('DE', 'de'), 'DUPLICATE', {}, 'ENTRY_REPEATED'],
])(
  'of %s in %o, tells the rule %s, the reason, and their values',
  async (path, given, rule, values, reason, reasonValues) => {
    const input = { url: 'https://example.com/', ...given };
    const { createLink } = await owner.data<{ createLink: { fields: FieldError[] } }>(
      `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ${refused} } }`,
      { input },
    );
    const [field] = createLink.fields;
    expect(field).toMatchObject({ path: path.split('.'), rule, reason });
    const told = field?.reasonValues.map(({ name, value }) => [name, value]) ?? [];
    if (reasonValues) expect(told).toEqual(reasonValues);
    else expect(Object.fromEntries(told)).toMatchObject(values);
    expect(Object.fromEntries(field?.values.map(({ name, value }) => [name, value]) ?? [])).toMatchObject(
      values,
    );
    const words = await wordsOfRules();
    expect(field?.messages[0]).toBe(filled(words.get(rule) ?? '', field?.values ?? []));
  },
);

function countries(...codes: string[]): object {
  const targets = codes.map((country) => ({ country, url: 'https://example.com/there' }));
  return { targeting: { type: 'COUNTRY', countries: targets } };
}

test('of an error without fields, tells its code as the rule and the reason', async () => {
  const { deleteLink } = await owner.data<{ deleteLink: object }>(
    `mutation { deleteLink(id: "999") { ... on Error { code message ${why} } } }`,
  );
  const told = { rule: 'NOT_FOUND', values: [], reason: 'NOT_FOUND', reasonValues: [] };
  expect(deleteLink).toEqual({ code: 'NOT_FOUND', message: 'No such link.', ...told });
});

test('tells the reason of a time in the past, of a field that cannot be cleared, and of a missing scope', async () => {
  const { createApiKey } = await person.data<{ createApiKey: { fields: FieldError[] } }>(
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { ${refused} } }`,
    { input: { name: 'Old', role: 'VIEWER', expiresAt: '2020-01-01T00:00:00Z' } },
  );
  expect(createApiKey.fields).toMatchObject([{ rule: 'PAST', reason: 'NOT_IN_FUTURE', reasonValues: [] }]);
  const { id } = await owner.link();
  const { updateLink } = await owner.data<{ updateLink: { fields: FieldError[] } }>(
    `mutation { updateLink(id: "${id}", input: { url: null }) { ${refused} } }`,
  );
  expect(updateLink.fields).toMatchObject([
    { rule: 'NOT_CLEARABLE', reason: 'NOT_CLEARABLE', reasonValues: [] },
  ]);
  const reader = await server.caller('owner', ['read']);
  const scope = { name: 'scope', value: 'write' };
  expect(await reader.graphql('mutation { deleteLink(id: "1") { __typename } }')).toMatchObject({
    errors: [{ extensions: { reason: 'SCOPE_MISSING', reasonValues: [scope] } }],
  });
});

test('tells the reason of errors before the operation, such as a wrong header', async () => {
  const sent = async (who: Pick<Person, 'fetch'>, headers: Record<string, string>) => {
    const body = JSON.stringify({ query: 'mutation { deleteLink(id: "9") { __typename } }' });
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body };
    const { errors } = (await (await who.fetch('/graphql', init)).json()) as {
      errors: { extensions: object }[];
    };
    return errors[0]?.extensions;
  };
  const tooLong = (max: string) => [
    { name: 'max', value: max },
    { name: 'length', value: '300' },
  ];
  expect(await sent(person, { 'X-Account': '999' })).toEqual({
    ...{ code: 'FORBIDDEN', rule: 'NOT_A_MEMBER', values: [], reason: 'NOT_A_MEMBER', reasonValues: [] },
  });
  expect(await sent(person, { 'X-Account': '9'.repeat(300) })).toMatchObject({
    fields: [{ path: ['X-Account'], reason: 'TOO_LONG', reasonValues: tooLong('255') }],
  });
  expect(await sent(owner, { 'Idempotency-Key': 'x'.repeat(300) })).toMatchObject({
    fields: [{ reason: 'WRONG_LENGTH', reasonValues: [{ name: 'min', value: '1' }, ...tooLong('255')] }],
  });
});

test.each([
  ['CSV', 'url,alias\nhttps://a.example/,b,c', 'has 3 cells'],
  ['CSV', 'url,alias\nhttps://a.example/,"b', 'cannot be read'],
  ['SHLINK', '[{"longUrl":"nowhere"},5]', 'is not an object'],
])('a record of %s that cannot be read has a reason: %j', async (format, text, words) => {
  const { importLinks } = await owner.data<{ importLinks: { results: { fields: FieldError[] }[] } }>(
    `mutation ($text: String!, $format: ImportFormat!) { importLinks(text: $text, format: $format) {
      results { fields { path messages reason reasonValues { name value } } } } }`,
    { text, format },
  );
  expect(importLinks.results.at(-1)).toMatchObject({
    fields: [{ path: [], messages: [expect.stringContaining(words)], reason: 'UNREADABLE_RECORD' }],
  });
});

test('the reasons of an import and of a batch, with their values, are within the limit of a request', async () => {
  const fields = 'fields { path messages reason reasonValues { name value } }';
  const { importLinks } = await owner.data<{ importLinks: { results: { fields: FieldError[] }[] } }>(
    `mutation { importLinks(text: "url,title\\nhttps://a.example/,${'x'.repeat(300)}", format: CSV) {
      results { line status alias reason link { id nodeId shortUrl } ${fields} } } }`,
  );
  expect(importLinks.results).toMatchObject([{ fields: [{ path: ['title'], reason: 'TOO_LONG' }] }]);
  const { createLinks } = await owner.data<{ createLinks: object[] }>(
    `mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) {
      ... on Link { id nodeId shortUrl } ... on Error { message reason } ... on ValidationError { ${fields} } } }`,
    { inputs: Array.from({ length: 100 }, () => ({ url: 'nothing' })) },
  );
  expect(createLinks).toHaveLength(100);
  expect(createLinks[0]).toMatchObject({ fields: [{ path: ['url'], reason: 'NOT_A_URL' }] });
});
