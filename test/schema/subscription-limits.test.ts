import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Events, subscribe } from '../support/events.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true, maxSubscriptionsPerKey: 10, maxSubscriptions: 200 });
});
afterAll(() => server.stop());

interface Told {
  data: { changes: object } | null;
  errors?: { message: string; extensions: { code: string } }[];
}

const listen = (caller: Caller, query: string, variables = {}) => subscribe<Told>(caller, query, variables);
const closeAll = (all: readonly Events<Told>[]) => {
  for (const one of all) one.close();
};

/** A subscription with a number of lists, each of which costs a hundred. */
const withLists = (count: number) =>
  `subscription { changes { ${Array.from({ length: count }, (_, i) => `list${i}: fields`).join(' ')} } }`;

test('an event may cost 3,000; a subscription to more is refused before it begins', async () => {
  const owner = await server.caller('costly');
  const allowed = await listen(owner, withLists(29));
  const space = await owner.space('S');
  await expect.poll(() => allowed.seen.length).toBe(1);
  allowed.close();
  const refused = await listen(owner, withLists(30));
  expect([refused.status, await refused.ended]).toEqual([400, 'complete']);
  const message =
    "The operation's cost of each event, 3001, is above the limit of 3000. Ask for the rest in a query after the event.";
  expect(refused.seen).toEqual([
    { errors: [{ message, extensions: { code: 'TOO_COSTLY', event: 3001, limit: 3000 } }] },
  ]);
  // A query may cost more.
  expect(
    (await owner.graphql(`{ changes(first: 100) { nodes { id fields } } space(id: ${space}) { id } }`))
      .errors,
  ).toBe(undefined);
});

test('subscriptions of callers with the same rights and selection are executed once an event', async () => {
  const callers = [
    await server.caller('equal'),
    await server.caller('equal'),
    await server.caller('equal'),
    await server.caller('equal', ['read']),
    await server.caller('other'),
  ] as const;
  const [owner, , , reader, stranger] = callers;
  const query = 'subscription ($filter: ChangeFilter) { changes(filter: $filter) { id by { __typename } } }';
  const filter = { kind: 'SPACE' };
  const groups = [
    [...callers.slice(0, 3), owner].map((caller) => listen(caller, query, { filter })),
    // Another filter, in a variable and in another text.
    [listen(owner, query, { filter: { kind: 'SPACE', since: '2026-01-01T00:00:00Z' } })],
    [listen(owner, 'subscription Named { changes(filter: { kinds: [SPACE] }) { id, by { __typename } } }')],
    // Another scope, and another selection.
    [listen(reader, query, { filter })],
    [listen(owner, query.replace('id', 'id kind'), { filter })],
    [listen(stranger, query, { filter })],
  ];
  const all = await Promise.all(groups.flat());
  const events = 5;
  const sent = await server.statementsOf(async () => {
    for (let i = 0; i < events; i++) await owner.space(`S ${i}`);
    await expect.poll(() => all.slice(0, 8).map(({ seen }) => seen.length)).toEqual(Array(8).fill(events));
  });
  // Who made a change is read for each execution.
  const executions = sent.filter((sql) => /FROM .*\bChange\b.* WHERE .*\bChange\b.*\bid\b.* = /.test(sql));
  expect(executions).toHaveLength(3 * events);
  const [first, ...others] = all.slice(0, 6).map(({ seen }) => seen);
  expect(others).toEqual(Array(5).fill(first));
  expect(all[8]?.seen).toEqual([]);
  closeAll(all);
});

test('an account has at most a third of the subscriptions of the process', async () => {
  const keys: Caller[] = [];
  for (let i = 0; i < 7; i++) keys.push(await server.caller('greedy'));
  const query = 'subscription { changes { id } }';
  const begun = async (caller: Caller) => {
    const events = await listen(caller, query);
    await expect.poll(() => events.comments() > 0).toBe(true);
    return events;
  };
  // Each key may have ten.
  const all = await Promise.all(keys.flatMap((key) => Array.from({ length: 10 }, () => begun(key))));
  const refused = () => all.filter(({ seen }) => seen.length > 0);
  await expect.poll(() => refused().length).toBe(4);
  const message = 'The account may have 66 subscriptions at once.';
  for (const { seen } of refused())
    expect(seen).toMatchObject([{ errors: [{ message, extensions: { code: 'RATE_LIMITED' } }] }]);
  const other = await begun(await server.caller('modest'));
  expect(other.seen).toEqual([]);
  closeAll([...all, other]);
});

test('readers with another value of a selected variable do not get each other’s results', async () => {
  const owner = await server.caller('included');
  const query = 'subscription ($on: Boolean!) { changes { id kind @include(if: $on) } }';
  const all = await Promise.all([true, false].map((on) => listen(owner, query, { on })));
  await owner.space('S');
  await expect
    .poll(() => all.map(({ seen }) => seen.map(({ data }) => Object.keys(data?.changes ?? {}))))
    .toEqual([[['id', 'kind']], [['id']]]);
  closeAll(all);
});
