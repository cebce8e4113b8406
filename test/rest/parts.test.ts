import { Busboy } from '@fastify/busboy';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());
afterEach(() => vi.restoreAllMocks());

const part = (name: string, value: string, more = '') =>
  `--a\r\nContent-Disposition: form-data; name="${name}"\r\n${more}\r\n${value}\r\n`;
const link = part('url', 'https://example.com/');

/** Sends a multipart body; returns the status, the message, and how many bytes a parser got. */
async function send(
  body: string,
  type = 'multipart/form-data; boundary=a',
): Promise<[number, string, number]> {
  const write = vi.spyOn(Busboy.prototype, 'write');
  const headers = { 'Content-Type': type };
  const answer = await owner.fetch('/api/v1/links', { method: 'POST', headers, body });
  const parsed = write.mock.calls.reduce((sum, [chunk]) => sum + Buffer.from(String(chunk)).length, 0);
  write.mockRestore();
  const { message = '' } = (await answer.json()) as { message?: string };
  return [answer.status, message, parsed];
}

test.each([
  ['of fields', part('title', 'x').repeat(5_000)],
  ['without a name', '--a\r\nContent-Disposition: form-data\r\n\r\n\r\n'.repeat(5_000)],
  ['without headers', '--a\r\n\r\n\r\n'.repeat(100_000)],
  ['with nothing at all', '--a\r\n'.repeat(200_000)],
])('returns 400 for too many parts before a parser gets them: %s', async (_what, parts) => {
  expect(await send(`${link}${parts}--a--\r\n`)).toEqual([400, 'The body has more than 5000 parts.', 0]);
});

test('takes as many parts as values', async () => {
  const [status, , parsed] = await send(`${link}${part('title', 'x').repeat(4_999)}--a--\r\n`);
  expect(status).toBe(201);
  expect(parsed).toBeGreaterThan(0);
});

test.each([
  ['too many headers', 'X-More: 1\r\n'.repeat(20), 'A part of the body has more than 20 headers.'],
  ['thousands of them', 'X:\r\n'.repeat(200_000), 'A part of the body has more than 20 headers.'],
  ['a long one', `X-More: ${'x'.repeat(4_000)}\r\n`, 'The headers of a part have more than 4000 bytes.'],
  ['a folded one', `X-More: 1\r\n${' x\r\n'.repeat(20)}`, 'A part of the body has more than 20 headers.'],
])('returns 400 for a part with %s before a parser gets it', async (_what, more, message) => {
  expect(await send(`${link}${part('title', 'x', more)}--a--\r\n`)).toEqual([400, message, 0]);
});

test('returns 400 for a name with many brackets in a part', async () => {
  const name = `a${'[b]'.repeat(30)}`;
  expect((await send(`${link}${part(name, 'x')}--a--\r\n`)).slice(0, 2)).toEqual([
    400,
    'The body is nested too deeply.',
  ]);
});

test.each([
  ['quotes', 'multipart/form-data; boundary="a"'],
  ['other parameters', 'multipart/form-data; charset=utf-8; boundary=a; more="boundary=b"'],
  ['other case', 'Multipart/Form-Data;Boundary=a'],
])('finds the parts by a boundary with %s', async (_what, type) => {
  expect((await send(`${link}--a--\r\n`, type))[0]).toBe(201);
  expect(await send(`${link}${part('title', 'x').repeat(5_000)}--a--\r\n`, type)).toEqual([
    ...[400, 'The body has more than 5000 parts.', 0],
  ]);
});

test.each([
  ['a continued one', 'multipart/form-data; boundary*0=a; boundary*1=b'],
  ['an encoded one', "multipart/form-data; boundary*=utf-8''a"],
  ['a long one', `multipart/form-data; boundary=${'a'.repeat(71)}`],
  ['an escaped one', String.raw`multipart/form-data; boundary="\a"`],
  ['an empty one', 'multipart/form-data; boundary=""'],
])('returns 400 for a boundary that clients do not send: %s', async (_what, type) => {
  const [status, , parsed] = await send(`${link}--a--\r\n`, type);
  expect([status, parsed]).toEqual([400, 0]);
});

test('counts the ids in a text of v1 before it is split up', async () => {
  const split = vi.spyOn(String.prototype, 'split');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const answer = await owner.fetch('/api/v1/links', {
    ...{ method: 'POST', headers },
    body: `url=https://example.com/&tag_ids=${'1,'.repeat(250_000)}`,
  });
  const most = Math.max(...split.mock.results.map(({ value }) => value.length));
  split.mockRestore();
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    { errors: { tag_ids: ['The tag_ids field may have at most 50 entries.'] } },
  ]);
  expect(most).toBeLessThan(1_000);
});
