import { expect, test } from 'vitest';
import { hashPassword, ofAccount } from '../../src/domain/password.ts';
import { settled } from '../support/database.ts';
import { startTestServer } from '../support/server.ts';

test('an account with many passwords hardly delays others, and is told to wait', async () => {
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
  expect(await server.database.prisma.link.count()).toBe(121 - refused.length);
  await server.stop();
});

/** Fills the account's queue of passwords, until the returned function is called. */
function flood(accountId: number): () => Promise<void> {
  let goesOn = true;
  const hash = async () => {
    // The next password is queued before anything else can happen.
    while (goesOn) await hashPassword(ofAccount({ accountId }), 'secret', { N: 2 ** 12, r: 8, p: 1 });
  };
  const all = Promise.allSettled(Array.from({ length: 60 }, hash));
  return async () => {
    goesOn = false;
    await all;
  };
}

test.each([
  ['v1', '/api/v1/links', { url: 'https://example.com/', password: 'secret' }, 201],
  [
    'GraphQL',
    '/graphql',
    {
      query:
        'mutation { createLink(input: { url: "https://example.com/", password: "secret" }) { __typename } }',
    },
    200,
  ],
])(
  '%s says how long to wait, and does not store that answer for an idempotency key',
  async (_which, path, body, done) => {
    const server = await startTestServer();
    const owner = await server.caller();
    const { accountId } = await server.database.prisma.apiKey.findFirstOrThrow();
    const create = async () => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'one' };
      const response = await owner.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      return [response.status, response.headers.get('Retry-After')];
    };
    const end = flood(accountId);
    expect(await create()).toEqual([429, '1']);
    await end();
    expect(await create()).toEqual([done, null]);
    await server.stop();
  },
);

test('a password that is set again in the same batch is no change', async () => {
  const server = await startTestServer();
  try {
    const owner = await server.caller();
    const { id } = await owner.link();
    const input = { password: 'same', privacyPassword: 'other', privacy: 'PASSWORD' };
    const { updateLinks } = await owner.data<{ updateLinks: object[] }>(
      `mutation ($inputs: [UpdateLinksInput!]!) {
        updateLinks(inputs: $inputs) { ... on Link { hasPassword } ... on Error { message } }
      }`,
      {
        inputs: [input, input, { ...input, password: 'new' }].map((one) => ({ id: String(id), input: one })),
      },
    );
    expect(updateLinks).toEqual(Array(3).fill({ hasPassword: true }));
    await settled(server.database);
    // The creation, the first change and the last one.
    const { link } = await owner.data<{ link: object }>(`{ link(id: "${id}") { history { totalCount } } }`);
    expect(link).toEqual({ history: { totalCount: 3 } });
  } finally {
    await server.stop();
  }
});
