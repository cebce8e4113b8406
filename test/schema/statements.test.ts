import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let few: Caller;
let many: Caller;
beforeAll(async () => {
  server = await startTestServer();
  few = await server.caller('few');
  many = await server.caller('many');
  for (let i = 0; i < 2; i++) await few.space(`Space ${i}`);
  for (let i = 0; i < 25; i++) await many.space(`Space ${i}`);
});
afterAll(() => server.stop());

test.each([
  ['a page over REST', 1, (caller: Caller) => caller.rest('GET', '/spaces?per_page=25')],
  [
    'a searched page over REST',
    1,
    (caller: Caller) => caller.rest('GET', '/spaces?per_page=25&search=space&sort_by=name'),
  ],
  [
    'a page with its total',
    1,
    (caller: Caller) => caller.data('{ spacePage(perPage: 25) { total items { id name color } } }'),
  ],
  [
    'a connection',
    1,
    (caller: Caller) =>
      caller.data('{ spaces(first: 20) { edges { node { id name } } pageInfo { hasNextPage } } }'),
  ],
  [
    'a connection with its total',
    2,
    (caller: Caller) => caller.data('{ spaces(first: 20) { totalCount edges { node { id } } } }'),
  ],
])('reads %s in %i statement(s), at 2 and at 20 spaces', async (_what, expected, read) => {
  expect(await server.statementsOf(() => read(few))).toHaveLength(expected);
  expect(await server.statementsOf(() => read(many))).toHaveLength(expected);
});

test('tells the total of an unfiltered list without counting rows', async () => {
  const statements = await server.statementsOf(() =>
    many.data('{ spacePage { total } spaces { totalCount } }'),
  );
  expect(statements.join()).not.toMatch(/count\s*\(/i);
});

test('keeps that total right through creations and deletions', async () => {
  const id = await few.space('One more');
  expect(await few.data('{ spacePage { total } }')).toEqual({ spacePage: { total: 3 } });
  await few.rest('DELETE', `/spaces/${id}`);
  await few.rest('DELETE', `/spaces/${id}`);
  expect(await few.data('{ spacePage { total } }')).toEqual({ spacePage: { total: 2 } });
});

test('keeps that total right while many write at once', async () => {
  const busy = await server.caller('busy');
  const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => busy.space(`Space ${index}`)));
  await Promise.all(ids.slice(0, 5).map((id) => busy.rest('DELETE', `/spaces/${id}`)));
  expect(await busy.data('{ spacePage { total } }')).toEqual({ spacePage: { total: 15 } });
});
