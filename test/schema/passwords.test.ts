import { expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';

test('an account with many passwords delays others little, and is told to wait', async () => {
  const server = await startTestServer({ hashCost: { N: 2 ** 13, r: 8, p: 1 } });
  const [many, one] = [await server.caller('many'), await server.caller('one')];
  const create = `mutation { createLink(input: { url: "https://example.com/", password: "secret" }) { __typename } }`;
  const ended: string[] = [];
  const all = Array.from({ length: 120 }, async () => {
    const response = await many.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: create }),
    });
    const { status, headers } = response;
    ended.push('many');
    return { status, retryAfter: headers.get('Retry-After'), body: await response.json() };
  });
  await expect.poll(() => ended.length, { interval: 1 }).toBeGreaterThan(0);
  const own = one.graphql(create).then((answer) => {
    ended.push('one');
    return answer;
  });
  const answers = await Promise.all(all);
  expect(await own).toMatchObject({ data: { createLink: { __typename: 'Link' } } });
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({
    retryAfter: '1',
    body: {
      errors: [
        { message: 'Too many passwords at once. Try again shortly.', extensions: { code: 'RATE_LIMITED' } },
      ],
    },
  });
  expect(ended.length - ended.indexOf('one')).toBeGreaterThan(20);
  expect(await server.database.client.link.count()).toBe(121 - refused.length);
  await server.stop();
});

test('v1 says how long to wait, and keeps no such answer for an idempotency key', async () => {
  const server = await startTestServer({ hashCost: { N: 2 ** 14, r: 8, p: 1 } });
  const owner = await server.caller();
  const create = async (key: string) => {
    const body = new URLSearchParams({ url: 'https://example.com/', password: 'secret' });
    const response = await owner.fetch('/api/v1/links', {
      method: 'POST',
      headers: { 'Idempotency-Key': key },
      body,
    });
    return { key, status: response.status, retryAfter: response.headers.get('Retry-After') };
  };
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => create(`key ${i}`)));
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(refused).toMatchObject({ retryAfter: '1' });
  expect(await create(refused?.key ?? '')).toMatchObject({ status: 201 });
  await server.stop();
});

test('GraphQL keeps no such answer for an idempotency key', async () => {
  const server = await startTestServer({ hashCost: { N: 2 ** 14, r: 8, p: 1 } });
  const owner = await server.caller();
  const query =
    'mutation { createLink(input: { url: "https://example.com/", password: "secret" }) { __typename } }';
  const create = async (key: string) => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    return { key, status: response.status };
  };
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => create(`key ${i}`)));
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(await create(refused?.key ?? 'none')).toMatchObject({ status: 200 });
  await server.stop();
});
