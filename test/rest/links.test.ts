import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainly } from '../support/plain-fields.ts';
import {
  type Caller,
  NOON,
  type RestLink,
  startTestServer,
  type TestServer,
  timeAfter,
} from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let space: number;
let pixels: number[];
let tags: number[];
let domain: number;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  space = await owner.space('Launch', { color: 3 });
  tags = [await owner.tag('Sale'), await owner.tag('ads')];
  pixels = [await owner.pixel('Ads'), await owner.pixel('More ads')];
  domain = await owner.domain('go.example');
});
afterAll(() => server.stop());

const noon = NOON.toISOString();
const notFound = { message: 'Resource not found.', status: 404 };

/** A link created with only a URL and an alias. */
const plain = {
  url: 'https://example.com/',
  ...plainly('inV1', () => null),
  title: null,
  domain_id: 1,
  domain: { id: 1, name: 's.example' },
  space_id: null,
  space: null,
  pixel_ids: [],
  pixels: [],
  tag_ids: [],
  tags: [],
  has_password: false,
  disabled: 0,
  forward_query: 1,
  privacy: 0,
  has_privacy_password: false,
  expiration_url: null,
  expiration_date: null,
  expiration_time: null,
  expiration_clicks: null,
  ends_at: null,
  target_type: 0,
  country: [],
  platform: [],
  language: [],
  rotation: [],
  starts_at: null,
  archived: 0,
  redirect_status: 302,
  clicks: 0,
  last_clicked_at: null,
  state: 1,
  created_at: noon,
  updated_at: noon,
};

let aliases = 0;
const newAlias = () => `alias-${aliases++}`;
const post = (form: string) => owner.rest('POST', '/links', `url=https://example.com/&${form}`);

function refused(errors: Record<string, string>) {
  const sentences = Object.fromEntries(
    Object.entries(errors).map(([name, message]) => [name, [`The ${name} field ${message}.`]]),
  );
  return { status: 422, body: { message: Object.values(sentences)[0]?.[0], errors: sentences, status: 422 } };
}

async function errorsOf(answer: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await answer;
  return { status, body };
}

describe('POST /links', () => {
  test('returns 201 for a URL alone, with everything else at its default and a generated alias', async () => {
    const { status, body } = await owner.rest('POST', '/links', { url: 'https://example.com/' });
    const { data } = body as { data: RestLink };
    expect(data.alias).toMatch(/^[bcdfghjkmnpqrstvwxz2456789]{6}$/);
    const { id, alias } = data;
    const expected = { id, ...plain, alias, short_url: `https://s.example/${alias}` };
    expect({ status, body }).toEqual({ status: 201, body: { data: expected, status: 201 } });
  });

  test('returns 201 for every field at once, and returns all of them', async () => {
    const { status, body } = await owner.rest('POST', '/links', [
      ['url', 'https://example.com/?q=1#x'],
      ['domain_id', String(domain)],
      ['alias', 'Every_field-1'],
      ...Object.entries(plainly('inV1', ({ name }) => `Any ${name}`)),
      ['title', 'Everything'],
      ['password', 'secret'],
      ['space_id', String(space)],
      ['pixel_ids[]', String(pixels[1])],
      ['pixel_ids[]', String(pixels[0])],
      ['tag_ids', tags.join()],
      ['disabled', '1'],
      ['privacy', '2'],
      ['privacy_password', 'also secret'],
      ['expiration_url', 'http://example.com/over'],
      ['expiration_date', '2028-02-29'],
      ['expiration_time', '23:59'],
      ['forward_query', '0'],
      ['expiration_clicks', '999999999'],
      ['starts_at', '2027-01-01T01:00:30+01:00'],
      ['archived', '1'],
      ['redirect_status', '308'],
      ['target_type', '3'],
      ['country[0][key]', 'de'],
      ['country[0][value]', 'https://example.com/de'],
      ['platform[0][key]', 'OS X'],
      ['platform[0][value]', 'https://example.com/mac'],
      ['language[0][key]', 'EN'],
      ['language[0][value]', 'https://example.com/en'],
      ['rotation[0][value]', 'https://example.com/1'],
    ]);
    const { id } = (body as { data: RestLink }).data;
    const data = {
      id,
      url: 'https://example.com/?q=1#x',
      alias: 'Every_field-1',
      short_url: 'https://go.example/Every_field-1',
      ...plainly('inV1', ({ name }) => `Any ${name}`),
      title: 'Everything',
      domain_id: domain,
      domain: { id: domain, name: 'go.example' },
      space_id: space,
      space: { id: space, name: 'Launch', color: 3 },
      pixel_ids: pixels,
      pixels: [
        { id: pixels[0], name: 'Ads', type: 'google-ads', value: 'AW-1' },
        { id: pixels[1], name: 'More ads', type: 'google-ads', value: 'AW-1' },
      ],
      tag_ids: [tags[1], tags[0]],
      tags: [
        { id: tags[1], name: 'ads' },
        { id: tags[0], name: 'Sale' },
      ],
      has_password: true,
      disabled: 1,
      forward_query: 0,
      privacy: 2,
      has_privacy_password: true,
      expiration_url: 'http://example.com/over',
      expiration_date: '2028-02-29',
      expiration_time: '23:59',
      expiration_clicks: 999999999,
      ends_at: '2028-02-29T23:59:00.000Z',
      target_type: 3,
      country: [{ key: 'DE', value: 'https://example.com/de' }],
      platform: [{ key: 'OS X', value: 'https://example.com/mac' }],
      language: [{ key: 'en', value: 'https://example.com/en' }],
      rotation: [{ value: 'https://example.com/1' }],
      starts_at: '2027-01-01T00:00:30.000Z',
      archived: 1,
      redirect_status: 308,
      clicks: 0,
      last_clicked_at: null,
      state: 3,
      created_at: noon,
      updated_at: noon,
    };
    expect({ status, body }).toEqual({ status: 201, body: { data, status: 201 } });
    expect(Object.keys((body as { data: RestLink }).data).sort()).toEqual(Object.keys(data).sort());
  });

  test.each([
    ['a domain under the name domain', () => `domain=${domain}`, () => ({ domain_id: domain })],
    [
      'a domain as it is shown',
      () => `domain[id]=${domain}&domain[name]=go.example`,
      () => ({ domain_id: domain }),
    ],
    ['domain_id over domain', () => `domain_id=${domain}&domain=1`, () => ({ domain_id: domain })],
    [
      'an empty domain_id beside a domain',
      () => `domain=${domain}&domain_id=`,
      () => ({ domain_id: domain }),
    ],
    [
      'empty values, as none',
      () => 'title=&space_id=&pixel_ids=&disabled=&privacy=&target_type=',
      () => plain,
    ],
    ['white space around text', () => 'title=+a+b%09', () => ({ title: 'a b' })],
    ['a title that programs might trip over', () => 'title=__proto__', () => ({ title: '__proto__' })],
    ['pixel_ids as one', () => `pixel_ids=${pixels[0]}`, () => ({ pixel_ids: [pixels[0]] })],
    ['pixel_ids with commas', () => `pixel_ids=${pixels.join(', ')}`, () => ({ pixel_ids: pixels })],
    [
      'only the last of pixel_ids that are repeated without brackets',
      () => `pixel_ids=${pixels[0]}&pixel_ids=${pixels[1]}`,
      () => ({ pixel_ids: [pixels[1]] }),
    ],
    [
      'pixel_ids twice the same',
      () => `pixel_ids=${pixels[0]},${pixels[0]}`,
      () => ({ pixel_ids: [pixels[0]] }),
    ],
    [
      'pixel_ids in numbered brackets',
      () => `pixel_ids[7]=${pixels[1]}&pixel_ids[]=${pixels[0]}`,
      () => ({ pixel_ids: pixels }),
    ],
    [
      'a date alone, as midnight',
      () => 'expiration_date=2027-01-01',
      () => ({
        expiration_date: '2027-01-01',
        expiration_time: '00:00',
        ends_at: '2027-01-01T00:00:00.000Z',
      }),
    ],
    [
      'positions that are large, sparse and out of order, which give the order',
      () =>
        'rotation[999999999][value]=https://example.com/c&rotation[7][value]=https://example.com/b&rotation[007][value]=https://example.com/b2&rotation[0][value]=https://example.com/a',
      () => ({
        rotation: ['a', 'b', 'b2', 'c'].map((path) => ({ value: `https://example.com/${path}` })),
      }),
    ],
    [
      'positions of many digits, in the order of the numbers',
      () =>
        [`${'9'.repeat(100)}`, '9007199254740993', '1763792400000', '9007199254740992', '0000000000002']
          .map((position) => `rotation[${position}][value]=https://example.com/${position}`)
          .join('&'),
      () => ({
        rotation: [
          '0000000000002',
          '1763792400000',
          '9007199254740992',
          '9007199254740993',
          '9'.repeat(100),
        ].map((position) => ({ value: `https://example.com/${position}` })),
      }),
    ],
    [
      'blank entries, as none',
      () => 'country[0][key]=&country[0][value]=&country[1][key]=us&country[1][value]=https://example.com/us',
      () => ({ country: [{ key: 'US', value: 'https://example.com/us' }] }),
    ],
    [
      'a URL of 2048 characters',
      () => `url=https://example.com/${'x'.repeat(2028)}`,
      () => ({ url: `https://example.com/${'x'.repeat(2028)}` }),
    ],
    [
      'a URL with a port, a user and letters beyond ASCII, as it was written',
      () => `url=${encodeURIComponent('HTTP://u:p@Bücher.example:8080/ä b')}`,
      () => ({ url: 'HTTP://u:p@Bücher.example:8080/ä b' }),
    ],
    [
      'every platform',
      () =>
        ['iOS', 'Android', 'Windows', 'OS X', 'Linux', 'Ubuntu', 'Chrome OS']
          .map((key, i) => `platform[${i}][key]=${key}&platform[${i}][value]=https://example.com/${i}`)
          .join('&'),
      () => ({
        platform: ['iOS', 'Android', 'Windows', 'OS X', 'Linux', 'Ubuntu', 'Chrome OS'].map((key, i) => ({
          key,
          value: `https://example.com/${i}`,
        })),
      }),
    ],
  ])('returns 201 for %s', async (_what, form, expected) => {
    const { status, body } = await post(`${form()}`);
    expect({ status, body }).toMatchObject({ status: 201, body: { data: expected() } });
  });

  test('returns 201 for JSON with the same names', async () => {
    const response = await owner.fetch('/api/v1/links', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        url: 'https://example.com/',
        disabled: true,
        title: null,
        pixel_ids: pixels,
        target_type: 4,
        rotation: [{ value: 'https://example.com/1' }, { value: 'https://example.com/2' }],
      }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      201,
      {
        data: {
          disabled: 1,
          title: null,
          pixel_ids: pixels,
          target_type: 4,
          rotation: [{ value: 'https://example.com/1' }, { value: 'https://example.com/2' }],
        },
      },
    ]);
  });

  const postJson = async (fields: string) => {
    const response = await owner.fetch('/api/v1/links', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"url":"https://example.com/",${fields}}`,
    });
    return { status: response.status, body: await response.json() };
  };

  test.each([
    ['title', '"title":true'],
    ['space_id', '"space_id":true'],
    ['domain_id', '"domain_id":true'],
    ['domain', '"domain":{"id":true}'],
    ['pixel_ids', '"pixel_ids":true'],
    ['pixel_ids', '"pixel_ids":[true]'],
    ['privacy', '"privacy":true'],
    ['expiration_clicks', '"expiration_clicks":true'],
    ['country.0.key', '"country":[{"key":false,"value":"https://example.com/"}]'],
    ['alias', '"alias":12345678901234567890'],
    ['title', '"title":1.5'],
  ])('returns 422 for a %s that only JSON can have: %s', async (name, fields) => {
    expect(await postJson(fields)).toEqual(
      refused({ [name]: 'must be a text, or a whole number below 2^53' }),
    );
  });

  test('returns 201 for numbers and flags sent as text in JSON', async () => {
    const alias = Number.MAX_SAFE_INTEGER;
    expect(await postJson(`"alias":${alias},"title":-5,"disabled":true`)).toMatchObject({
      status: 201,
      body: { data: { alias: String(alias), title: '-5', disabled: 1 } },
    });
    expect(await postJson('"disabled":false')).toMatchObject({
      status: 201,
      body: { data: { disabled: 0 } },
    });
  });

  test('returns 201 for a body of the maximum size, and stores every pair', async () => {
    const targets = Array.from(
      { length: 250 },
      (_, i) => `rotation[${i}][value]=https://example.com/${'x'.repeat(300)}${i}`,
    );
    const { body } = await post(targets.join('&'));
    expect((body as { data: { rotation: unknown[] } }).data.rotation).toHaveLength(250);
  });

  const address = 'must be an absolute http or https URL, such as https://example.com/page';
  test.each<[string, string, Record<string, string>]>([
    ['no URL', 'url=', { url: 'is required' }],
    ['a URL of another scheme', 'url=javascript:alert(1)', { url: address }],
    ['a relative URL', 'url=/there', { url: address }],
    ['a URL without a host', 'url=https:///there', { url: 'has no host after https://' }],
    [
      'a URL with a line break',
      'url=https://example.com/%0aSet-Cookie:x',
      { url: 'may have no control characters and no line breaks' },
    ],
    [
      'a URL of 2049 characters',
      `url=https://example.com/${'x'.repeat(2029)}`,
      { url: 'must have 1 to 2048 characters, not 2049' },
    ],
    [
      'an alias with other characters',
      'alias=a b',
      { alias: 'may have only letters, digits, emoji, -, _, and . and / inside' },
    ],
    [
      'an alias of 256 characters',
      `alias=${'x'.repeat(256)}`,
      { alias: 'must have 1 to 255 characters, not 256' },
    ],
    ['a path of the service', 'alias=GraphQL', { alias: 'is a path of the service itself' }],
    [
      'a title of 256 characters',
      `title=${'x'.repeat(256)}`,
      { title: 'may have at most 255 characters, not 256' },
    ],
    [
      'a password of 129 characters',
      `password=${'x'.repeat(129)}`,
      { password: 'must have 1 to 128 characters, not 129' },
    ],
    ['a space that is no number', 'space_id=x', { space_id: 'must be the id of one of your spaces' }],
    ['a domain that is no number', 'domain=x', { domain: 'must be the id of a domain that you may use' }],
    ...['domain_id[]=2', 'domain_id[id]=2'].map((form): [string, string, Record<string, string>] => [
      `a domain in brackets: ${form}`,
      form,
      { domain_id: 'must be a single value' },
    ]),
    ...['domain[]=2', 'domain[name]=go.example', 'domain[id]=', 'domain[id][]=2'].map(
      (form): [string, string, Record<string, string>] => [
        `a domain without its id: ${form}`,
        form,
        { domain: 'must be a single value' },
      ],
    ),
    ['pixels in deeper brackets', 'pixel_ids[0][id]=1', { pixel_ids: 'must be a single value' }],
    ['a flag of another value', 'disabled=yes', { disabled: 'must be one of 0, 1' }],
    ['an unknown privacy', 'privacy=3', { privacy: 'must be one of 0, 1, 2' }],
    [
      'privacy by a password that is missing',
      'privacy=2',
      { privacy_password: 'is required where a password guards the statistics' },
    ],
    ['an expiration URL without a scheme', 'expiration_url=example.com', { expiration_url: address }],
    [
      'a day that is none',
      'expiration_date=2027-02-29',
      { expiration_date: 'must be a real date, as YYYY-MM-DD' },
    ],
    [
      'a date in another form',
      'expiration_date=1.2.2027',
      { expiration_date: 'must be a real date, as YYYY-MM-DD' },
    ],
    [
      'a year that not every database keeps',
      'expiration_date=0000-01-01',
      { expiration_date: 'must lie in the years 1000 to 9999, in UTC' },
    ],
    [
      'a time that is none',
      'expiration_date=2027-01-01&expiration_time=24:00',
      { expiration_time: 'must be a time of day, as HH:MM, from 00:00 to 23:59' },
    ],
    ['a time without a date', 'expiration_time=10:00', { expiration_time: 'needs expiration_date as well' }],
    ['no clicks', 'expiration_clicks=0', { expiration_clicks: 'must be a whole number from 1 to 999999999' }],
    ...['005', '%2B5', '5.0'].map((clicks): [string, string, Record<string, string>] => [
      `clicks in another form: ${clicks}`,
      `expiration_clicks=${clicks}`,
      { expiration_clicks: 'must be a whole number from 1 to 999999999' },
    ]),
    ['an unknown target type', 'target_type=5', { target_type: 'must be one of 0, 1, 2, 3, 4' }],
    [
      'a country that is none',
      'country[3][key]=XX&country[3][value]=https://example.com/',
      { 'country.3.key': 'must be an ISO 3166-1 alpha-2 code, such as DE, or XK' },
    ],
    ['a key without a value', 'country[3][key]=DE', { 'country.3.value': 'is required' }],
    ['a value without a key', 'language[3][value]=https://example.com/', { 'language.3.key': 'is required' }],
    [
      'a platform without a key',
      'platform[3][value]=https://example.com/',
      { 'platform.3.key': 'is required' },
    ],
    [
      'the same key twice, in another case',
      'language[5][key]=en&language[5][value]=https://example.com/&language[2][key]=EN&language[2][value]=https://example.com/',
      { 'language.5.key': 'is in the list already' },
    ],
    [
      'an unknown platform',
      'platform[0][key]=macOS&platform[0][value]=https://example.com/',
      { 'platform.0.key': 'must be one of iOS, Android, Windows, OS X, Linux, Ubuntu, Chrome OS' },
    ],
    ['a rotation to nowhere', 'rotation[4][value]=x', { 'rotation.4.value': address }],
    ['a list that is none', 'country=DE', { country: 'must be a list of numbered entries' }],
    ['an entry that is none', 'country[0]=DE', { 'country.0': 'must have key and value' }],
    [
      'an entry in deeper brackets',
      'country[0][key][x]=DE&country[0][value]=https://example.com/',
      { 'country.0.key': 'must be a single value' },
    ],
    [
      'a position that is no number',
      'rotation[__proto__][value]=https://example.com/',
      { 'rotation.__proto__': 'must have a whole number of at most 100 digits as its position' },
    ],
    [
      'a country at a position of many digits',
      'country[1763792400000][key]=XX&country[1763792400000][value]=https://example.com/',
      { 'country.1763792400000.key': 'must be an ISO 3166-1 alpha-2 code, such as DE, or XK' },
    ],
    [
      'a position of very many digits',
      `rotation[${'9'.repeat(101)}][value]=https://example.com/`,
      { [`rotation.${'9'.repeat(50)}…`]: 'must have a whole number of at most 100 digits as its position' },
    ],
    [
      'more than 250 entries',
      Array.from({ length: 251 }, (_, i) => `rotation[${i}][value]=https://example.com/`).join('&'),
      { rotation: 'may have at most 250 entries' },
    ],
  ])('returns 422 for %s', async (_what, form, errors) => {
    expect(await errorsOf(post(form))).toEqual(refused(errors));
  });

  test('returns 422 for all malformed fields at once, before any query', async () => {
    const form = 'url=x&alias=a+b&space_id=999&disabled=2&country[1][key]=XX&privacy=2';
    expect(await errorsOf(post(form))).toEqual(
      refused({
        url: address,
        alias: 'may have only letters, digits, emoji, -, _, and . and / inside',
        disabled: 'must be one of 0, 1',
        privacy_password: 'is required where a password guards the statistics',
        'country.1.key': 'must be an ISO 3166-1 alpha-2 code, such as DE, or XK',
        'country.1.value': 'is required',
      }),
    );
  });

  test('returns 422 for all errors that need the database at once, and saves nothing', async () => {
    const alias = newAlias();
    await owner.link({ alias });
    const before = await owner.rest('GET', '/links');
    const form = `url=https://S.example/x&alias=${alias}&space_id=999999&pixel_ids=${pixels[0]},999999&rotation[3][value]=http://go.example./`;
    const ownDomain = 'may not lead to a short domain of this service';
    expect(await errorsOf(post(form))).toEqual(
      refused({
        url: ownDomain,
        alias: 'is already taken on this domain',
        space_id: 'must be the id of one of your spaces',
        pixel_ids: 'must be ids of your pixels, which 999999 is not',
        'rotation.3.value': ownDomain,
      }),
    );
    expect((await owner.rest('GET', '/links')).body).toEqual(before.body);
  });

  test('returns 422 for a URL on a short domain with any port, and 201 for other ports of a domain with a port', async () => {
    await owner.domain('port.example:8443');
    const ownDomain = 'may not lead to a short domain of this service';
    for (const url of [
      'http://go.example:4101/loop',
      'https://s.example.:8080/',
      'https://port.example:8443/',
    ])
      expect(await errorsOf(post(`url=${url}`))).toEqual(refused({ url: ownDomain }));
    const { id } = await owner.link();
    expect(await errorsOf(owner.rest('PATCH', `/links/${id}`, 'url=http://go.example:4101/loop'))).toEqual(
      refused({ url: ownDomain }),
    );
    for (const url of ['https://port.example/', 'https://port.example:8444/'])
      expect((await post(`url=${url}`)).status).toBe(201);
  });

  test('returns 201 for an alias that is taken on another domain, or that differs in case', async () => {
    const alias = newAlias();
    await owner.link({ alias });
    expect(await owner.link({ alias, domain_id: domain })).toMatchObject({ alias });
    expect(await owner.link({ alias: alias.toUpperCase() })).toMatchObject({ alias: alias.toUpperCase() });
  });

  test('returns 201 once and 422 eleven times for twelve simultaneous requests for one alias', async () => {
    const alias = newAlias();
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(`alias=${alias}`)));
    const taken = refused({ alias: 'is already taken on this domain' });
    const losers = answers.filter(({ status }) => status !== 201);
    expect(losers.map(({ status, body }) => ({ status, body }))).toEqual(Array(11).fill(taken));
  });
});

describe.each(['PUT', 'PATCH'])('%s /links/{id}', (method) => {
  const full = {
    title: 'Before',
    expiration_url: 'https://example.com/over',
    expiration_date: '2027-01-01',
    expiration_time: '10:30',
    expiration_clicks: 5,
    target_type: 1,
    'country[0][key]': 'DE',
    'country[0][value]': 'https://example.com/de',
    'rotation[0][value]': 'https://example.com/1',
  };
  /** Hashing passwords is slow, so only tests that need them use this link. */
  const guarded = { password: 'x', privacy: 2, privacy_password: 'y' };

  test.each([
    ['password=', { has_password: false }],
    ['privacy=0', { privacy: 0 }],
    ['privacy=0&privacy_password=', { privacy: 0, has_privacy_password: false }],
    ['privacy=2', {}],
  ])('returns 200 for %s of a link with passwords, and changes nothing else', async (form, changes) => {
    const { id, ...link } = await owner.link(guarded);
    const { status, body } = await owner.rest(method, `/links/${id}`, form);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: { ...link, id, ...changes, updated_at: timeAfter(link.updated_at, changes) },
        status: 200,
      },
    });
  });

  test('returns 422 for clearing the password of protected statistics, and changes nothing', async () => {
    const link = await owner.link(guarded);
    expect(await errorsOf(owner.rest(method, `/links/${link.id}`, 'privacy_password='))).toEqual(
      refused({ privacy_password: 'is required where a password guards the statistics' }),
    );
    expect((await owner.rest('GET', `/links/${link.id}`)).body).toEqual({ data: link, status: 200 });
  });

  test.each([
    ['title=After', { title: 'After' }],
    ['title=', { title: null }],
    ['url=https://example.com/new', { url: 'https://example.com/new' }],
    ['disabled=1', { disabled: 1, state: 3 }],
    ['expiration_date=', { expiration_date: null, expiration_time: null, ends_at: null }],
    [
      'expiration_date=&expiration_time=11:00',
      { expiration_date: null, expiration_time: null, ends_at: null },
    ],
    [
      'expiration_date=2028-01-01',
      { expiration_date: '2028-01-01', expiration_time: '00:00', ends_at: '2028-01-01T00:00:00.000Z' },
    ],
    ['expiration_time=', { expiration_time: '00:00', ends_at: '2027-01-01T00:00:00.000Z' }],
    [
      'expiration_date=2028-01-01&expiration_time=',
      { expiration_date: '2028-01-01', expiration_time: '00:00', ends_at: '2028-01-01T00:00:00.000Z' },
    ],
    ['expiration_clicks=', { expiration_clicks: null }],
    ['expiration_url=', { expiration_url: null }],
    ['target_type=4', { target_type: 4 }],
    ['target_type=', { target_type: 0 }],
    ['country=', { country: [] }],
    [
      'country[8][key]=us&country[8][value]=https://example.com/us',
      { country: [{ key: 'US', value: 'https://example.com/us' }] },
    ],
    ['country[0][key]=&country[0][value]=', { country: [] }],
    ['clicks=7&state=2&created_at=x', {}],
  ])('returns 200 for %s, and changes nothing else', async (form, changes) => {
    const { id, ...link } = await owner.link(full);
    const { status, body } = await owner.rest(method, `/links/${id}`, form);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: { ...link, id, ...changes, updated_at: timeAfter(link.updated_at, changes) },
        status: 200,
      },
    });
  });

  test('returns 200 for a new alias, space and set of pixels, and for clearing them', async () => {
    const { id } = await owner.link();
    const alias = newAlias();
    const put = await owner.rest(method, `/links/${id}`, {
      alias,
      space_id: space,
      pixel_ids: pixels.join(),
    });
    expect(put.body).toMatchObject({
      data: { alias, short_url: `https://s.example/${alias}`, space_id: space, pixel_ids: pixels },
    });
    const one = await owner.rest(method, `/links/${id}`, { pixel_ids: pixels[1] ?? 0 });
    expect(one.body).toMatchObject({ data: { alias, space_id: space, pixel_ids: [pixels[1]] } });
    const cleared = await owner.rest(method, `/links/${id}`, { space_id: '', pixel_ids: '' });
    expect(cleared.body).toMatchObject({ data: { alias, space: null, pixels: [] } });
  });

  test('returns 200 for an empty time of a link without a date, and changes nothing', async () => {
    const { id, ...link } = await owner.link();
    const { status, body } = await owner.rest(method, `/links/${id}`, 'expiration_time=');
    expect({ status, body }).toEqual({ status: 200, body: { data: { id, ...link }, status: 200 } });
  });

  test('returns 200 for the link’s own alias', async () => {
    const { id, alias } = await owner.link();
    expect((await owner.rest(method, `/links/${id}`, { alias })).status).toBe(200);
  });

  test('shows when it was last changed', async () => {
    const { id } = await owner.link();
    server.clock.now = new Date('2026-11-20T13:00:00.000Z');
    const { body } = await owner.rest(method, `/links/${id}`, { title: 'Later' });
    server.clock.now = NOON;
    expect(body).toMatchObject({ data: { created_at: noon, updated_at: '2026-11-20T13:00:00.000Z' } });
  });

  test.each<[string, Record<string, string>]>([
    ['domain_id=99', { domain_id: 'cannot be changed: a link stays on its domain' }],
    ['domain=', { domain: 'cannot be changed: a link stays on its domain' }],
    ['domain_id[]=1', { domain_id: 'must be a single value' }],
    ['domain[name]=s.example', { domain: 'must be a single value' }],
    ['url=', { url: 'cannot be cleared: it must have 1 to 2048 characters' }],
    ['alias=', { alias: 'cannot be cleared: it must have 1 to 255 characters' }],
    ['disabled=', { disabled: 'must be one of 0, 1' }],
    ['privacy=', { privacy: 'must be one of 0, 1, 2' }],
    ['expiration_time=10:00', { expiration_time: 'needs expiration_date as well' }],
    ['alias=taken&title=x', { alias: 'is already taken on this domain' }],
    // In two stages: the database is asked only if all fields are well-formed.
    [
      'alias=taken&space_id=99999&url=x',
      { url: 'must be an absolute http or https URL, such as https://example.com/page' },
    ],
    [
      'url=https://s.example/&space_id=99999',
      {
        url: 'may not lead to a short domain of this service',
        space_id: 'must be the id of one of your spaces',
      },
    ],
  ])('returns 422 for %s, and changes nothing', async (form, errors) => {
    await owner.rest('POST', '/links', { url: 'https://example.com/', alias: 'taken' });
    const link = await owner.link(full);
    expect(await errorsOf(owner.rest(method, `/links/${link.id}`, form))).toEqual(refused(errors));
    expect((await owner.rest('GET', `/links/${link.id}`)).body).toEqual({ data: link, status: 200 });
  });

  test('returns 422 if privacy becomes 2 without a password', async () => {
    const { id } = await owner.link();
    expect(await errorsOf(owner.rest(method, `/links/${id}`, { privacy: 2 }))).toEqual(
      refused({ privacy_password: 'is required where a password guards the statistics' }),
    );
    const set = await owner.rest(method, `/links/${id}`, { privacy: 2, privacy_password: 'x' });
    expect(set.body).toMatchObject({ data: { privacy: 2, has_privacy_password: true } });
  });

  test('returns 404 for an unknown link', async () => {
    const { status, body } = await owner.rest(method, '/links/999999', { title: 'x' });
    expect({ status, body }).toEqual({ status: 404, body: notFound });
  });
});

describe('GET and DELETE /links/{id}', () => {
  test('returns 200 for an own link', async () => {
    const link = await owner.link();
    expect((await owner.rest('GET', `/links/${link.id}/`)).body).toEqual({ data: link, status: 200 });
  });

  test('returns 200 for the first deletion, then 404, and the alias is free again', async () => {
    const { id, alias } = await owner.link({ pixel_ids: pixels.join() });
    const first = await owner.rest('DELETE', `/links/${id}`);
    expect([first.status, first.body]).toEqual([200, { id, object: 'link', deleted: true, status: 200 }]);
    const second = await owner.rest('DELETE', `/links/${id}`);
    expect([second.status, second.body]).toEqual([404, notFound]);
    expect(await owner.link({ alias })).toMatchObject({ alias });
  });

  test.each(['2147483648', '0', 'abc', '%ff'])('returns 404 for the id %s', async (id) => {
    const { status, body } = await owner.rest('GET', `/links/${id}`);
    expect({ status, body }).toEqual({ status: 404, body: notFound });
  });
});

describe('the record of another account', () => {
  let stranger: Caller;
  beforeAll(async () => {
    stranger = await server.caller('stranger');
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('returns 404 for its link: %s', async (method) => {
    const link = await owner.link({ title: 'Private' });
    const form = method.startsWith('P') ? { title: 'Stolen', pixel_ids: '' } : undefined;
    const { status, body } = await stranger.rest(method, `/links/${link.id}`, form);
    expect({ status, body }).toEqual({ status: 404, body: notFound });
    expect((await owner.rest('GET', `/links/${link.id}`)).body).toEqual({ data: link, status: 200 });
  });

  test('returns 422 for its space, domain and pixel, like unknown ones', async () => {
    const form = { space_id: space, pixel_ids: pixels.join(), domain_id: domain };
    const strange = stranger.rest('POST', '/links', { url: 'https://example.com/', ...form });
    expect(await errorsOf(strange)).toEqual(
      refused({
        space_id: 'must be the id of one of your spaces',
        pixel_ids: `must be ids of your pixels, which ${pixels.join(', ')} are not`,
        domain_id: 'must be the id of a domain that you may use',
      }),
    );
    const { id } = await stranger.link();
    const { domain_id: _, ...update } = form;
    expect((await stranger.rest('PATCH', `/links/${id}`, update)).status).toBe(422);
  });

  test('is not found by the ids of its space, domain and pixel', async () => {
    const lists = [`space_id=${space}`, `domain_id=${domain}`, `pixel_id=${pixels[0]}`];
    for (const query of lists) {
      const { body } = await stranger.rest('GET', `/links?${query}`);
      expect(body).toMatchObject({ data: [], meta: { total: 0 } });
    }
  });
});
