import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
let stranger: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('owner');
  stranger = await server.caller('stranger');
});
afterAll(() => server.stop());

const noon = NOON.toISOString();
const notFound = { message: 'Resource not found.', status: 404 };
const required = 'The name field is required.';
const tooLong = 'The name field must have 1 to 255 characters, not 256.';
const wrongColor = 'The color field must be a whole number from 1 to 6.';

function refused(errors: Record<string, string[]>) {
  return { status: 422, body: { message: Object.values(errors)[0]?.[0], errors, status: 422 } };
}

describe('POST /spaces', () => {
  test.each([
    ['a name and a color', { name: 'Launch', color: '3' }, { name: 'Launch', color: 3 }],
    ['a name alone, with color 1', { name: 'Plain' }, { name: 'Plain', color: 1 }],
    ['an empty color, as none', { name: 'Empty', color: '' }, { name: 'Empty', color: 1 }],
    ['white space around text and numbers', { name: '  Trim\t', color: ' 2 ' }, { name: 'Trim', color: 2 }],
    [
      '255 characters beyond the basic plane',
      { name: '🚀'.repeat(255) },
      { name: '🚀'.repeat(255), color: 1 },
    ],
    ['a name that programs might trip over', { name: '__proto__' }, { name: '__proto__', color: 1 }],
    ['fields that are not listed', { name: 'More', id: '99', constructor: 'x' }, { name: 'More', color: 1 }],
  ])('returns 201 for %s', async (_what, form, expected) => {
    const { status, body } = await owner.rest('POST', '/spaces', form);
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        data: { id: expect.any(Number), ...expected, created_at: noon, updated_at: noon },
        status: 201,
      },
    });
  });

  test('returns 201 for a field that is sent twice, and uses the last one', async () => {
    const { body } = await owner.rest('POST', '/spaces', 'name=First&color=2&name=Last&color=4');
    expect(body).toMatchObject({ data: { name: 'Last', color: 4 } });
  });

  test('returns 201 for JSON with the same field names', async () => {
    const response = await owner.fetch('/api/v1/spaces', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ name: 'From JSON', color: 5 }),
    });
    expect([response.status, await response.json()]).toEqual([
      201,
      {
        data: { id: expect.any(Number), name: 'From JSON', color: 5, created_at: noon, updated_at: noon },
        status: 201,
      },
    ]);
  });

  test.each([
    ['no body', undefined, { name: [required] }],
    ['an empty name', { name: '' }, { name: [required] }],
    ['a name of white space', { name: ' \t ' }, { name: [required] }],
    ['a name of 256 characters', { name: 'é'.repeat(256) }, { name: [tooLong] }],
    ['a color below the range', { name: 'x', color: '0' }, { color: [wrongColor] }],
    ['a color above the range', { name: 'x', color: '7' }, { color: [wrongColor] }],
    ['a color that is a fraction', { name: 'x', color: '1.5' }, { color: [wrongColor] }],
    ['a color beyond 32 bits', { name: 'x', color: '99999999999999999999' }, { color: [wrongColor] }],
    ['a color in words', { name: 'x', color: 'red' }, { color: [wrongColor] }],
    ['every wrong field at once', { color: 'red' }, { name: [required], color: [wrongColor] }],
    ['a name in brackets', { 'name[0]': 'x' }, { name: ['The name field must be a single value.'] }],
    [
      'a null character',
      { name: 'a\0b' },
      { name: ['The name field may not contain null characters or broken surrogate pairs.'] },
    ],
  ])('returns 422 for %s, and saves nothing', async (_what, form, errors) => {
    const before = await owner.rest('GET', '/spaces');
    const { status, body } = await owner.rest('POST', '/spaces', form as Record<string, string> | undefined);
    expect({ status, body }).toEqual(refused(errors as Record<string, string[]>));
    expect((await owner.rest('GET', '/spaces')).body).toEqual(before.body);
  });
});

describe('GET /spaces/{id}', () => {
  test('returns 200 for an own space, with or without a trailing slash', async () => {
    const id = await owner.space('Shown', { color: 6 });
    const expected = {
      data: { id, name: 'Shown', color: 6, created_at: noon, updated_at: noon },
      status: 200,
    };
    expect((await owner.rest('GET', `/spaces/${id}`)).body).toEqual(expected);
    expect((await owner.rest('GET', `/spaces/${id}/`)).body).toEqual(expected);
  });

  test.each(['999999', '2147483648', '99999999999999999999', '0', '-1', '1.0', 'abc', '01', '%20', '%ff'])(
    'returns 404 for the id %s',
    async (id) => {
      const { status, body } = await owner.rest('GET', `/spaces/${id}`);
      expect({ status, body }).toEqual({ status: 404, body: notFound });
    },
  );
});

describe.each(['PUT', 'PATCH'])('%s /spaces/{id}', (method) => {
  test('returns 200 and changes only the sent fields', async () => {
    const id = await owner.space('Before', { color: 2 });
    server.clock.now = new Date('2026-11-20T13:00:00.000Z');
    const { status, body } = await owner.rest(method, `/spaces/${id}`, { color: 4 });
    server.clock.now = NOON;
    const changed = {
      id,
      name: 'Before',
      color: 4,
      created_at: noon,
      updated_at: '2026-11-20T13:00:00.000Z',
    };
    expect({ status, body }).toEqual({ status: 200, body: { data: changed, status: 200 } });
  });

  test('returns 200 without any field, and changes nothing, not even the time of the last change', async () => {
    const id = await owner.space('Untouched', { color: 2 });
    server.clock.now = new Date('2026-11-20T13:00:00.000Z');
    const { status, body } = await owner.rest(method, `/spaces/${id}`);
    server.clock.now = NOON;
    const same = { id, name: 'Untouched', color: 2, created_at: noon, updated_at: noon };
    expect({ status, body }).toEqual({ status: 200, body: { data: same, status: 200 } });
  });

  test('returns 422 for clearing a required field', async () => {
    const id = await owner.space('Kept');
    const { status, body } = await owner.rest(method, `/spaces/${id}`, { name: '', color: '' });
    expect({ status, body }).toEqual(
      refused({
        name: ['The name field cannot be cleared: it must have 1 to 255 characters.'],
        color: ['The color field cannot be cleared: it must be a whole number from 1 to 6.'],
      }),
    );
    expect((await owner.rest('GET', `/spaces/${id}`)).body).toMatchObject({
      data: { name: 'Kept', color: 1 },
    });
  });

  test('returns 404 for an unknown space', async () => {
    const { status, body } = await owner.rest(method, '/spaces/999999', { name: 'x' });
    expect({ status, body }).toEqual({ status: 404, body: notFound });
  });
});

describe('DELETE /spaces/{id}', () => {
  test('returns 200 once, then 404', async () => {
    const id = await owner.space('Gone');
    const first = await owner.rest('DELETE', `/spaces/${id}`);
    expect([first.status, first.body]).toEqual([200, { id, object: 'space', deleted: true, status: 200 }]);
    const second = await owner.rest('DELETE', `/spaces/${id}`);
    expect([second.status, second.body]).toEqual([404, notFound]);
  });

  test('returns 404 for an id that is not a number', async () => {
    expect((await owner.rest('DELETE', '/spaces/abc')).status).toBe(404);
  });
});

test.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
  'returns 404 for the space of another account: %s',
  async (method) => {
    const id = await owner.space('Private');
    const form = method.startsWith('P') ? { name: 'Stolen' } : undefined;
    const { status, body } = await stranger.rest(method, `/spaces/${id}`, form);
    expect({ status, body }).toEqual({ status: 404, body: notFound });
    expect((await owner.rest('GET', `/spaces/${id}`)).body).toMatchObject({ data: { name: 'Private' } });
  },
);
