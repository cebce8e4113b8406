import { setTimeout } from 'node:timers/promises';
import { ApolloClient, ApolloLink, gql, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscriptionLink } from '../../packages/client/src/apollo.ts';
import { growing, subscribe } from '../../packages/client/src/events.ts';
import { subscriptions } from '../../packages/client/src/urql.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const QUERY = 'subscription Watched { changes(filter: { kind: SPACE }) { id recordId } }';

interface Told {
  readonly changes: { readonly recordId: string };
}

/** The events that a client received: ids of records, and the end of its subscription. */
interface Heard {
  readonly ids: string[];
  ended: string;
}

/** Subscribing clients by name. */
const clients: Record<string, (url: string, headers: Record<string, string>, heard: Heard) => () => void> = {
  'graphql-sse': (url, headers, heard) =>
    createClient({ url, headers, retryAttempts: 1_000, retry: () => setTimeout(20) }).subscribe<Told>(
      { query: QUERY },
      sinkOf(heard),
    ),
  'the transport of the guide': (url, headers, heard) =>
    subscribe<Told>({ url, headers, pause: () => 20 }, { query: QUERY }, sinkOf(heard)),
  'Apollo Client': (url, headers, heard) => {
    const link = ApolloLink.from([subscriptionLink({ url, headers, pause: () => 20 })]);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const sink = sinkOf(heard);
    const subscription = client.subscribe<Told>({ query: gql(QUERY) }).subscribe(sink);
    return () => subscription.unsubscribe();
  },
  urql: (url, headers, heard) => {
    const exchanges = [fetchExchange, subscriptions({ url, headers, pause: () => 20 })];
    const client = new Client({ url, preferGetMethod: false, exchanges });
    return client.subscription<Told>(QUERY, {}).subscribe(sinkOf(heard).next).unsubscribe;
  },
};

function sinkOf(heard: Heard) {
  return {
    next({ data }: { data?: Told | null | undefined }) {
      if (data) heard.ids.push(data.changes.recordId);
    },
    error(error: unknown) {
      heard.ended = String(error);
    },
    complete() {
      heard.ended = 'complete';
    },
  };
}

let first: TestServer;
let other: TestServer;
let caller: Caller;
beforeAll(async () => {
  other = await startTestServer({ background: true });
  first = await startTestServer({ background: true, url: other.databaseUrl });
  caller = await other.caller();
});
afterAll(async () => {
  await first.stop();
  await other.stop();
});

test('all clients come back after a restart, and are told what happens from then on', async () => {
  const told = Object.entries(clients).map(([name, listen]) => {
    const heard: Heard = { ids: [], ended: '' };
    const url = `${first.origin}/graphql`;
    return { name, heard, end: listen(url, { Authorization: `Bearer ${caller.key}` }, heard) };
  });
  /** Makes spaces until all clients were told of a new one. */
  const hearSoon = async () => {
    const before = told.map(({ heard }) => heard.ids.length);
    const missing = async () => {
      await caller.space('A space');
      return told
        .filter(({ heard }, i) => heard.ids.length === before[i])
        .map(({ name, heard }) => ({ name, heard }));
    };
    await expect.poll(missing, { interval: 100 }).toEqual([]);
  };
  await hearSoon();
  await first.shutDown();
  await caller.space('Missed');
  const { port } = new URL(first.origin);
  first = await startTestServer({ background: true, url: other.databaseUrl, port: Number(port) });
  await hearSoon();
  expect(told.map(({ name, heard }) => [name, heard.ended])).toEqual(told.map(({ name }) => [name, '']));
  for (const { end } of told) end();
});

test('the transport of the guide ends with the reason if it is refused, and with complete if its key is revoked', async () => {
  const url = `${first.origin}/graphql`;
  const refused: Heard = { ids: [], ended: '' };
  subscribe({ url, pause: () => 20 }, { query: QUERY }, sinkOf(refused));
  await expect.poll(() => refused.ended).toContain('"code":"UNAUTHENTICATED"');
  const leaving = await first.caller('leaving');
  const heard: Heard = { ids: [], ended: '' };
  subscribe<Told>(
    { url, headers: { Authorization: `Bearer ${leaving.key}` } },
    { query: QUERY },
    sinkOf(heard),
  );
  await expect.poll(() => leaving.space('A space').then(() => heard.ids.length)).toBeGreaterThan(0);
  await first.database.prisma.apiKey.updateMany({
    where: { account: { name: 'leaving' } },
    data: { revokedAt: first.clock.now },
  });
  await expect.poll(() => heard.ended).toBe('complete');
});

test('the waits of the guide are short enough for a server that is away for 20 seconds, and do not end', () => {
  const waits = Array.from({ length: 20 }, (_, tries) => growing(tries));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
  // Whatever the random part: five tries are at most 31 seconds, and the first seven more than 20.
  const least = [0, 1, 2, 3, 4, 5, 6].reduce((sum, tries) => sum + Math.min(500 * 2 ** tries, 15_000), 0);
  expect(least).toBeGreaterThan(20_000);
  expect(waits.slice(0, 7).reduce((sum, wait) => sum + wait, 0)).toBeGreaterThanOrEqual(least);
});
