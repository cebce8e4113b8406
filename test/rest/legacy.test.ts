import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldCase } from '../../src/engine/rules/input.ts';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

async function send(method: string, path: string, body: FormData | string, type?: string) {
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
  const response = await owner.fetch(`/api/v1${path}`, { method, body, headers });
  return { status: response.status, body: (await response.json()) as { data: RestLink; errors?: object } };
}

function multipart(fields: Record<string, string | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

/** A nested value as PHP's http_build_query writes it: null is left out, flags are 1 and 0. */
function asForm(value: unknown, name = ''): [string, string][] {
  if (value === null) return [];
  if (typeof value !== 'object')
    return [[name, typeof value === 'boolean' ? String(Number(value)) : String(value)]];
  return Object.entries(value).flatMap(([key, inner]) =>
    asForm(inner, name === '' ? key : `${name}[${key}]`),
  );
}

describe('multipart/form-data', () => {
  test('returns 201, like a form', async () => {
    const { status, body } = await send(
      'POST',
      '/links',
      multipart({
        url: 'https://example.com/',
        title: ' Grüße 🎈 ',
        target_type: '1',
        'country[0][key]': 'de',
        'country[0][value]': 'https://example.com/de',
        unknown: 'ignored',
      }),
    );
    expect([status, body.data]).toMatchObject([
      201,
      {
        title: 'Grüße 🎈',
        target_type: 1,
        country: [{ key: 'DE', value: 'https://example.com/de' }],
        rotation: [],
      },
    ]);
    const changed = await send('PATCH', `/links/${body.data.id}`, multipart({ title: '', disabled: '1' }));
    expect([changed.status, changed.body.data]).toMatchObject([200, { title: null, disabled: 1 }]);
  });

  test.each([
    ['a file', new File(['x'], 'x.txt')],
    ['an empty file', new File([], 'x.txt')],
    ['a file without a name', new File(['x'], '')],
  ])('returns 415 with %s', async (_what, file) => {
    const form = multipart({ url: 'https://example.com/', file });
    expect((await send('POST', '/links', form)).status).toBe(415);
  });

  test.each([
    ['an empty file input of a browser', '; filename=""', '', 201],
    ['an empty file without a name', '', '', 201],
    ['content without a name', '; filename=""', 'x', 415],
  ])('returns 201 or 415 for %s', async (_what, fileName, content, expected) => {
    const file = `name="file"${fileName}\r\nContent-Type: application/octet-stream\r\n\r\n${content}`;
    const parts = [file, 'name="url"\r\n\r\nhttps://example.com/', 'name="title"\r\n\r\nNo file'];
    const body = parts.map((part) => `--a\r\nContent-Disposition: form-data; ${part}\r\n`).join('');
    const answer = await send('POST', '/links', `${body}--a--\r\n`, 'multipart/form-data; boundary=a');
    expect(answer.status).toBe(expected);
    if (expected === 201) expect(answer.body.data.title).toBe('No file');
  });

  test.each([
    ['no boundary', 'x', 'multipart/form-data'],
    [
      'another boundary',
      '--a\r\nContent-Disposition: form-data; name="url"\r\n\r\nx\r\n--a--',
      'multipart/form-data; boundary=b',
    ],
    [
      'no end',
      '--a\r\nContent-Disposition: form-data; name="url"\r\n\r\nx',
      'multipart/form-data; boundary=a',
    ],
  ])('returns 400 for %s', async (_what, body, type) => {
    expect((await send('POST', '/links', body, type)).status).toBe(400);
  });

  test.each([
    ['bytes that are not UTF-8', 'x\xff', 400],
    ['such bytes after a replacement character', '\xef\xbf\xbd\xff', 400],
    ['a replacement character', '\xef\xbf\xbd', 201],
  ])('returns 201 or 400 for a text with %s', async (_what, title, expected) => {
    const parts = ['name="url"\r\n\r\nhttps://example.com/', `name="title"\r\n\r\n${title}`];
    const text = parts.map((part) => `--a\r\nContent-Disposition: form-data; ${part}\r\n`).join('');
    const headers = { 'Content-Type': 'multipart/form-data; boundary=a' };
    const body = Buffer.from(`${text}--a--\r\n`, 'latin1');
    expect((await owner.fetch('/api/v1/links', { method: 'POST', headers, body })).status).toBe(expected);
  });
});

describe('_method', () => {
  const form = 'application/x-www-form-urlencoded';

  test.each(['PUT', 'PATCH', 'put'])('%s in a form changes a record', async (method) => {
    const { id } = await owner.link({ title: 'Old' });
    const { status, body } = await send('POST', `/links/${id}`, `_method=${method}&title=New`, form);
    expect([status, body.data]).toMatchObject([200, { title: 'New' }]);
  });

  test('works in the query and in multipart', async () => {
    const { id } = await owner.link();
    expect((await send('POST', `/links/${id}?_method=PATCH`, 'title=New', form)).body.data).toMatchObject({
      title: 'New',
    });
    const { status, body } = await send('POST', `/links/${id}`, multipart({ _method: 'DELETE' }));
    expect([status, body]).toEqual([200, { id, object: 'link', deleted: true, status: 200 }]);
  });

  test('works in JSON, and only in a POST', async () => {
    const { id } = await owner.link();
    expect(
      (await send('POST', `/links/${id}`, '{"_method":"PATCH","title":"J"}', 'application/json')).body.data,
    ).toMatchObject({ title: 'J' });
    expect((await owner.fetch(`/api/v1/links/${id}?_method=DELETE`)).status).toBe(200);
    expect((await owner.fetch(`/api/v1/links/${id}`)).status).toBe(200);
  });

  test.each(['GET', 'TRACE', 'nonsense', ''])('ignores the value %j', async (method) => {
    const { id } = await owner.link();
    const { status } = await send('POST', `/links/${id}`, `_method=${method}`, form);
    expect(status).toBe(405);
    expect((await send('POST', '/spaces', `_method=${method}&name=Made`, form)).status).toBe(201);
  });

  test('returns 403 for a key that may not write, before the body is read', async () => {
    const reader = await server.caller('owner', ['read']);
    const { id } = await owner.link();
    const response = await reader.fetch(`/api/v1/links/${id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'x/y' },
    });
    expect(response.status).toBe(403);
  });
});

describe('an answer that is sent back', () => {
  let shown: RestLink;
  beforeAll(async () => {
    const domain = await owner.domain('own.example');
    const { id } = await owner.link({
      domain_id: domain,
      title: 'Whole',
      space_id: await owner.space('Space'),
      pixel_ids: await owner.pixel(),
      expiration_date: '2030-01-01',
      target_type: 2,
      'platform[0][key]': 'os x',
      'platform[0][value]': 'https://example.com/mac',
      'rotation[0][value]': 'https://example.com/turn',
    });
    shown = ((await owner.rest('GET', `/links/${id}`)).body as { data: RestLink }).data;
  });

  test.each(['PUT', 'PATCH'])('by %s is accepted unchanged, as JSON and as a form', async (method) => {
    const json = await send(method, `/links/${shown.id}`, JSON.stringify(shown), 'application/json');
    expect([json.status, json.body.data]).toEqual([200, shown]);
    const form = await owner.rest(method, `/links/${shown.id}`, asForm(shown));
    expect([form.status, form.body]).toEqual([200, { data: shown, status: 200 }]);
  });

  test('is accepted unchanged for a space', async () => {
    const { body } = await owner.rest('GET', `/spaces/${shown.space_id}`);
    const { data } = body as { data: object };
    const sent = await send('PUT', `/spaces/${shown.space_id}`, JSON.stringify(data), 'application/json');
    expect([sent.status, sent.body.data]).toEqual([200, data]);
  });

  test('is accepted with addresses that are longer than new ones may be once escaped', async () => {
    const long = `https://example.com/${'ä'.repeat(1_000)}`;
    const refused = await owner.rest('POST', '/links', `url=${encodeURIComponent(long)}`);
    expect([refused.status, refused.body]).toMatchObject([
      422,
      {
        errors: {
          url: ['The url field may have at most 2048 characters as it is sent, with special ones escaped.'],
        },
      },
    ]);
    const { id } = await owner.link();
    const data = { url: long, urlKey: foldCase(long), expirationUrl: long, rotation: JSON.stringify([long]) };
    await server.database.prisma.link.update({ where: { id }, data });
    const link = ((await owner.rest('GET', `/links/${id}`)).body as { data: RestLink }).data;
    const sent = await send('PUT', `/links/${id}`, JSON.stringify(link), 'application/json');
    expect([sent.status, sent.body.data]).toEqual([200, link]);
    expect(
      (await send('PUT', `/links/${id}`, JSON.stringify({ url: `${long}b` }), 'application/json')).status,
    ).toBe(422);
  });

  test('accepts a URL of the maximum length without a path', async () => {
    const url = `https://example.com?${'x'.repeat(2_048 - 20)}`;
    expect((await owner.rest('POST', '/links', `url=${encodeURIComponent(url)}`)).status).toBe(201);
  });

  const errorsOf = async (json: object) => {
    const { status, body } = await send(
      'PUT',
      `/links/${shown.id}`,
      JSON.stringify(json),
      'application/json',
    );
    expect(status).toBe(422);
    return body.errors;
  };

  test.each([
    ['domain_id', 1],
    ['domain_id', 'x'],
    ['domain', { id: 1, name: 's.example' }],
    ['domain', 1],
    ['domain', ''],
  ])('is refused with another %s: %j', async (name, value) => {
    const cannot = 'cannot be changed: a link stays on its domain';
    expect(await errorsOf({ [name]: value })).toEqual({ [name]: [`The ${name} field ${cannot}.`] });
  });

  test.each([[{}], [[]], [{ name: 's.example' }], [{ id: null }]])(
    'is refused with %j as its domain',
    async (domain) => {
      expect(await errorsOf({ domain })).toEqual({ domain: ['The domain field must be a single value.'] });
    },
  );
});

describe('spellings of other clients', () => {
  test.each([
    ['disabled=true', { disabled: 1 }],
    ['disabled=True', { disabled: 1 }],
    ['disabled=false', { disabled: 0 }],
    [
      'platform[0][key]=ANDROID&platform[0][value]=https://example.com/',
      { platform: [{ key: 'Android', value: 'https://example.com/' }] },
    ],
    [
      'platform[0][key]=chrome os&platform[0][value]=https://example.com/',
      { platform: [{ key: 'Chrome OS', value: 'https://example.com/' }] },
    ],
  ])('accepts %s', async (form, expected) => {
    const { status, body } = await owner.rest('POST', '/links', `url=https://example.com/&${form}`);
    expect([status, body]).toMatchObject([201, { data: expected }]);
  });

  test.each([
    'disabled=yes',
    'expiration_date=2030-01-01&expiration_time=10:20:30',
    'expiration_date=2030-01-01&expiration_time=10:20:00',
    'platform[0][key]=macOS&platform[0][value]=https://example.com/',
  ])('returns 422 for %s', async (form) => {
    expect((await owner.rest('POST', '/links', `url=https://example.com/&${form}`)).status).toBe(422);
  });
});

describe('a request body', () => {
  test('with all fields and full lists fits', async () => {
    const rotation = Array.from({ length: 250 }, (_, i) => `https://example.com/${'x'.repeat(2_000)}${i}`);
    const form = rotation.map((url, i): [string, string] => [`rotation[${i}][value]`, url]);
    const { status, body } = await owner.rest('POST', '/links', [['url', 'https://example.com/'], ...form]);
    expect(status).toBe(201);
    expect((body as { data: RestLink }).data.rotation).toEqual(rotation.map((value) => ({ value })));
  });

  test.each([
    [1024 * 1024, 201],
    [1024 * 1024 + 1, 413],
  ])('of %i bytes returns %i', async (size, status) => {
    const start = 'name=Large&filling=';
    const answer = await send(
      'POST',
      '/spaces',
      start + 'x'.repeat(size - start.length),
      'application/x-www-form-urlencoded',
    );
    expect(answer.status).toBe(status);
  });
});
