import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

const LIMIT = 4;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ rateLimit: LIMIT });
});
afterAll(() => server.stop());

function limitsIn(headers: Headers) {
  return [headers.get('X-RateLimit-Limit'), headers.get('X-RateLimit-Remaining')];
}

test('returns 429 when a key reaches its limit per minute over both APIs', async () => {
  const caller = await server.caller();
  expect(limitsIn((await caller.rest('GET', '/spaces')).headers)).toEqual(['4', '3']);
  expect(limitsIn((await caller.graphql('{ viewer { account { name } } }')).headers)).toEqual(['4', '2']);
  expect(limitsIn((await caller.rest('GET', '/spaces/999')).headers)).toEqual(['4', '1']);
  expect(limitsIn((await caller.rest('GET', '/spaces?page=x')).headers)).toEqual(['4', '0']);

  const rest = await caller.rest('POST', '/spaces', { name: 'One too many' });
  const message = 'The key may make 4 requests a minute. Try again later.';
  expect([rest.status, rest.body]).toEqual([429, { message, status: 429 }]);
  expect(limitsIn(rest.headers)).toEqual(['4', '0']);
  expect(Number(rest.headers.get('Retry-After'))).toBeGreaterThan(50);

  const graphql = await caller.graphql('mutation { createSpace(input: { name: "More" }) { __typename } }');
  expect(graphql.status).toBe(429);
  expect(graphql.errors).toEqual([{ message, extensions: { code: 'RATE_LIMITED' } }]);
  expect(Number(graphql.headers.get('Retry-After'))).toBeGreaterThan(50);
  expect(await server.database.prisma.space.count()).toBe(0);
});

test('limits each key separately', async () => {
  const [one, other] = [await server.caller(), await server.caller()];
  for (let i = 0; i <= LIMIT; i++) await one.rest('GET', '/spaces');
  expect((await other.rest('GET', '/spaces')).status).toBe(200);
});

describe('wrong keys', () => {
  test('return 429 after half of a key’s limit, while valid keys from the same address work', async () => {
    const wrong = server.callerWith('wrong');
    const statuses = [];
    for (let i = 0; i <= LIMIT / 2; i++) statuses.push((await wrong.rest('GET', '/spaces')).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect((await wrong.graphql('{ __typename }')).status).toBe(429);
    expect((await (await server.caller()).rest('GET', '/spaces')).status).toBe(200);
  });

  test('send no statement above the limit, while valid keys work', async () => {
    const known = await server.caller();
    expect((await known.rest('GET', '/spaces')).status).toBe(200);
    const wrong = server.callerWith('wrong-too');
    await wrong.rest('GET', '/spaces');
    const statements = await server.statementsOf(async () => {
      for (let i = 0; i < 5; i++) expect((await wrong.rest('GET', '/spaces')).status).toBe(429);
    });
    expect(statements).toEqual([]);
    expect((await known.rest('GET', '/links')).status).toBe(200);
  });

  test('are limited per network for IPv6', async () => {
    const from = (address: string) =>
      fetch(`${server.origin}/api/v1/spaces`, {
        headers: { Authorization: 'Bearer wrong', 'X-Forwarded-For': address },
      }).then(({ status }) => status);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push(await from(`2001:db8::${i}`));
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect(await from('2001:db8:0:1::1')).toBe(401);
  });
});

test('does not limit visitors and health checks', async () => {
  const statuses = [];
  for (let i = 0; i < 2 * LIMIT; i++) {
    const response = await fetch(`${server.origin}/${i % 2 ? 'livez' : 'no-such-link'}`);
    statuses.push(response.status);
    await response.arrayBuffer();
  }
  expect(new Set(statuses)).toEqual(new Set([200, 404]));
});
