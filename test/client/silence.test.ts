import { connect, createServer, type Socket } from 'node:net';
import { fetchQuery, requestSubscription } from 'relay-runtime';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import changed from '../../examples/screen/__generated__/relayOperationsChangesSubscription.graphql.ts';
import list, {
  type relayOperationsListQuery,
} from '../../examples/screen/__generated__/relayOperationsListQuery.graphql.ts';
import { TITLES, type Titles } from '../../examples/screen/start.ts';
import * as apollo from '../../packages/client/src/apollo.ts';
import { createClient, type Timing } from '../../packages/client/src/index.ts';
import * as relay from '../../packages/client/src/relay.ts';
import * as urql from '../../packages/client/src/urql.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type StandingTime, timeThatStands } from './support.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());

/** A proxy whose connections can go silent without an end, as those of a computer that slept. */
async function startProxy() {
  const { port } = new URL(server.origin);
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    sockets.add(near);
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      from.on('data', (bytes) => silent.has(near) || to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => (from === far && silent.has(near)) || to.destroy());
    }
    near.on('close', () => sockets.delete(near));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('it has a port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    silence() {
      for (const socket of sockets) silent.add(socket);
    },
  };
}

type Endpoint = { url: string; headers: Record<string, string>; timing: Timing; pause: () => number };
type Show = (links: { edges: readonly { node: { title?: string | null } }[] } | null | undefined) => void;

/** Screens that show the titles of links. */
const screens: Record<string, (endpoint: Endpoint, show: Show) => () => void> = {
  apollo(endpoint, show) {
    const client = apollo.newClient(endpoint);
    client.watchQuery({ query: TITLES }).subscribe(({ data }) => show((data as Titles | undefined)?.links));
    apollo.followChanges(client);
    return () => client.stop();
  },
  urql(endpoint, show) {
    const client = urql.newClient(endpoint);
    const shown = client.query(TITLES, {}).subscribe(({ data }) => show(data?.links));
    const followed = client.subscription(urql.changes, {}).subscribe(() => {});
    return () => [shown, followed].map((one) => one.unsubscribe());
  },
  relay(endpoint, show) {
    const read = async () => {
      const data = await fetchQuery<relayOperationsListQuery>(environment, list, { first: 20 }).toPromise();
      show((data as Titles | undefined)?.links);
    };
    const environment = relay.newEnvironment({ ...endpoint, heard: relay.oneAtATime(read, endpoint.pause) });
    return requestSubscription(environment, { subscription: changed, variables: {} }).dispose;
  },
};

/** Lets time pass whenever it is asked for the value. */
const passUntil = (timing: StandingTime, value: () => unknown) => async () => {
  await timing.pass(5_000);
  return value();
};

test.each(Object.keys(screens))(
  '%s shows what others did while the connections were silent',
  async (name) => {
    const caller = await server.caller(name);
    await caller.link({ title: 'One' });
    const proxy = await startProxy();
    const timing = timeThatStands();
    let titles: unknown[] = [];
    const show: Show = (links) => {
      if (links) titles = links.edges.map(({ node }) => node.title);
    };
    const headers = { Authorization: `Bearer ${caller.key}` };
    const endpoint = { url: `${proxy.origin}/graphql`, headers, timing, pause: () => 1 };
    const leave = screens[name]?.(endpoint, show);
    onTestFinished(() => leave?.());
    await expect.poll(() => titles).toEqual(['One']);
    await caller.link({ title: 'Two' });
    await expect.poll(() => titles).toEqual(['Two', 'One']);
    proxy.silence();
    await caller.link({ title: 'Three' });
    await timing.pass(30_000);
    // The next requests may go over silent connections, too.
    await expect
      .poll(
        passUntil(timing, () => titles),
        { interval: 300 },
      )
      .toEqual(['Three', 'Two', 'One']);
  },
);

test('changes of the client come although its other connections are silent, too', async () => {
  const caller = await server.caller('changes');
  const proxy = await startProxy();
  const timing = timeThatStands();
  const client = createClient({ url: proxy.origin, key: caller.key, timing });
  const changes = client.changes();
  await changes.position();
  const next = changes.next();
  await expect.poll(() => timing.waiting).toBe(1);
  // A connection is lost while nothing is asked: both reads of the log, before and after it began, have ended.
  await expect.poll(() => timing.pauses.length).toBeGreaterThanOrEqual(2);
  await client.domains().page();
  proxy.silence();
  const missed = await caller.tag('missed');
  const asked = timing.limits.length;
  await timing.pass(30_000);
  await expect.poll(() => timing.limits.length).toBe(asked + 2);
  // The first attempts are short: they may meet silent connections.
  expect(timing.limits.slice(asked).toSorted((one, other) => one - other)).toEqual([5_000, 10_000]);
  let seen: string | undefined;
  void next.then(({ value }) => {
    seen = value?.reset ? 'reset' : value?.recordId;
  });
  await expect
    .poll(
      passUntil(timing, () => seen),
      { interval: 300 },
    )
    .toBe(String(missed));
  client.close();
});
