import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Events, subscribe } from '../support/events.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true, clickInterval: 20 });
  owner = await server.caller();
});
afterAll(() => server.stop());

interface Told {
  data: { clicks: { linkId: string | null; clicks: number; bots: number; at: string } } | null;
  errors?: { message: string; extensions: { code: string; fields?: { path: string[] }[] } }[];
}

const QUERY = 'subscription ($linkIds: [ID!]) { clicks(linkIds: $linkIds) { linkId clicks bots at } }';
const listen = (caller: Pick<Caller, 'fetch'>, linkIds: readonly unknown[] | null = null) =>
  subscribe<Told>(caller, QUERY, { linkIds });
const told = ({ seen }: Events<Told>) =>
  seen.map(({ data }) => `${data?.clicks.linkId} ${data?.clicks.clicks} ${data?.clicks.bots}`);

test('tells the clicks of links and of the account, as they are counted', async () => {
  const { id, alias } = await owner.link();
  const [events, whole] = [await listen(owner, [id]), await listen(owner)];
  await expect.poll(() => [told(events), told(whole)]).toEqual([[`${id} 0 0`], ['null 0 0']]);
  expect(events.seen[0]?.data?.clicks.at).toBe(server.clock.now.toISOString());
  await visit(server.origin, `/${alias}`, {});
  await server.flush();
  await expect.poll(() => [told(events).at(-1), told(whole).at(-1)]).toEqual([`${id} 1 0`, 'null 1 0']);
  await visit(server.origin, `/${alias}`, { headers: { 'User-Agent': 'Googlebot/2.1' } });
  await server.flush();
  await expect
    .poll(() => [told(events), told(whole)])
    .toEqual([
      [`${id} 0 0`, `${id} 1 0`, `${id} 1 1`],
      ['null 0 0', 'null 1 0', 'null 1 1'],
    ]);
  events.close();
  whole.close();
});

test('is for everybody who may read, and ends with their rights', async () => {
  const { accountId } = await server.database.prisma.link.findFirstOrThrow();
  const viewer = await signedIn(server, accountId, 'VIEWER');
  const reader = await server.caller('owner', ['read']);
  const writer = await server.caller('owner', ['write']);
  const events = [await listen(viewer), await listen(reader)];
  for (const one of events) await expect.poll(() => told(one)).toEqual(['null 1 1']);
  const refused = await listen(writer);
  await refused.ended;
  expect(refused.seen[0]?.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  await server.database.prisma.apiKey.updateMany({
    where: { accountId, scopes: 'read' },
    data: { revokedAt: server.clock.now },
  });
  expect(await events[1]?.ended).toBe('complete');
  // The viewer's goes on.
  const { alias } = await server.database.prisma.link.findFirstOrThrow();
  await visit(server.origin, `/${alias}`, {});
  await server.flush();
  await expect.poll(() => told(events[0] as Events<Told>).at(-1)).toBe('null 2 1');
  expect(told(events[1] as Events<Told>)).toEqual(['null 1 1']);
  events[0]?.close();
});

test.each([
  [['x'], ['linkIds', '0']],
  [[1_999_999_999], ['linkIds', '0']],
  [[], ['linkIds']],
])('refuses the links %j', async (linkIds, path) => {
  const events = await listen(owner, linkIds);
  await events.ended;
  expect(events.seen[0]?.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION', fields: [{ path }] });
});

test('ends when the service stops', async () => {
  const last = await startTestServer({ url: server.databaseUrl, clickInterval: 20 });
  const events = await listen(last.callerWith(owner.key));
  await expect.poll(() => events.seen.length).toBe(1);
  last.endSubscriptions();
  // The client comes back.
  expect(await events.ended).toBe('next');
  await last.shutDown();
});
