import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { actorFor } from '../../src/domain/access/actor.ts';
import { dispatchChanges } from '../../src/domain/webhook/dispatch.ts';
import { giveUpWebhook, updateWebhook } from '../../src/domain/webhook/webhook.ts';
import { enclose, HELD, keepOpen } from '../support/database.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const dispatch = () =>
  dispatchChanges(
    server.database,
    () => 0,
    () => server.clock.now,
  );

/** Dispatches all changes; on PostgreSQL this waits for transactions of other tests. */
async function dispatchAll(): Promise<void> {
  const { prisma } = server.database;
  const last = await prisma.change.findFirst({ orderBy: [{ tx: 'desc' }, { id: 'desc' }] });
  await expect
    .poll(async () => {
      await dispatch();
      return prisma.logReader.findFirst();
    })
    .toMatchObject({ tx: last?.tx, changeId: last?.id });
}

/** The events and records of a webhook's deliveries, in order. */
async function deliveriesOf(webhookId: string): Promise<string[]> {
  const made = await server.database.prisma.webhookDelivery.findMany({
    where: { webhookId: Number(webhookId) },
    orderBy: { id: 'asc' },
  });
  return made.map(({ event, recordId }) => `${event} ${recordId}`);
}

async function addWebhook(caller: Caller, events: readonly string[]): Promise<string> {
  const { createWebhook } = await caller.data<{ createWebhook: { webhook: { id: string } } }>(
    `mutation ($events: [WebhookEvent!]!) { createWebhook(input: { url: "https://crm.example/", events: $events }) {
      ... on CreatedWebhook { webhook { id } } } }`,
    { events },
  );
  return createWebhook.webhook.id;
}

function change(caller: Caller, id: string, input: object): Promise<unknown> {
  const update =
    'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { __typename } }';
  return caller.data(update, { id, input });
}

const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('rename') }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('change'),
      events: fc.option(fc.subarray(['SPACE_CREATED', 'SPACE_UPDATED'], { minLength: 1 }), {
        nil: undefined,
      }),
      disabled: fc.option(fc.boolean(), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('give up') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('dispatch') }) },
);

test('a webhook gets the changes made while it was enabled for them, even if they are dispatched later', async () => {
  let account = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 20 }), async (commands) => {
      const caller = await server.caller(`account ${account++}`);
      let space = await caller.space('Before');
      const state = { events: ['SPACE_CREATED'], disabled: false };
      const webhook = await addWebhook(caller, state.events);
      const expected: string[] = [];
      const made = (event: string) => {
        if (state.disabled || !state.events.includes(event)) return;
        const last = expected.findLast((one) => one.endsWith(` ${space}`));
        const one = `${event} ${space}`;
        // An update joins the last message about the record if that is one, too.
        if (event !== 'SPACE_UPDATED' || last !== one) expected.push(one);
      };
      for (const [index, one] of commands.entries())
        if (one.do === 'create') {
          space = await caller.space(`${index}`);
          made('SPACE_CREATED');
        } else if (one.do === 'rename') {
          await caller.rest('PATCH', `/spaces/${space}`, { name: `Renamed ${index}` });
          made('SPACE_UPDATED');
        } else if (one.do === 'give up') {
          await giveUpWebhook(server.database, Number(webhook), NOON);
          state.disabled = true;
        } else if ('events' in one) {
          const { events = state.events, disabled = state.disabled } = one;
          await change(caller, webhook, { events, disabled });
          Object.assign(state, { events, disabled });
        } else await dispatch();
      await dispatchAll();
      expect(await deliveriesOf(webhook)).toEqual(expected);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

// On PostgreSQL transactions of other tests may split the changes.
test.runIf(inject('database').provider === 'sqlite')(
  'dispatches the changes of many webhooks with as many statements as those of one',
  async () => {
    const callers = await Promise.all(Array.from({ length: 4 }, (_, i) => server.caller(`many ${i}`)));
    const statements = async (some: readonly Caller[]) => {
      await dispatchAll();
      for (const caller of some) {
        const id = await addWebhook(caller, ['SPACE_CREATED']);
        await caller.space('Told of');
        await change(caller, id, { disabled: true });
      }
      const dispatched = await server.statementsOf(dispatchAll);
      return dispatched.filter((sql) => /"Webhook/.test(sql)).length;
    };
    const one = await statements(callers.slice(0, 1));
    expect(one).toBeGreaterThan(0);
    expect(await statements(callers)).toBe(one);
  },
);

test.runIf(inject('database').provider === 'postgresql')(
  'the last of concurrent changes to a webhook counts, whatever their order in the log',
  async () => {
    const db = server.database;
    const caller = await server.caller('concurrent');
    const id = await addWebhook(caller, ['SPACE_CREATED']);
    const { accountId, id: keyId } = await db.prisma.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const actor = actorFor(accountId, keyId);
    const early = enclose(db);
    // Only a row makes this the earlier transaction: to make a space locks the account, for which the change would wait.
    const space = { accountId, name: 'x', nameKey: 'x', color: 1, createdAt: NOON, updatedAt: NOON };
    await early.transaction((tx) => tx.prisma.space.create({ data: space }));
    await change(caller, id, { disabled: true });
    await updateWebhook(early, actor, id, { disabled: false }, NOON);
    await early.commit();
    await dispatchAll();
    const later = await caller.space('After both');
    await dispatchAll();
    expect((await deliveriesOf(id)).at(-1)).toBe(`SPACE_CREATED ${later}`);
  },
);

test.runIf(inject('database').provider === 'postgresql')(
  'a webhook that is deleted during the dispatch does not delay others',
  async () => {
    const { prisma } = server.database;
    const caller = await server.caller('deleting');
    const [gone, other] = [
      await addWebhook(caller, ['SPACE_CREATED']),
      await addWebhook(caller, ['SPACE_CREATED']),
    ];
    await dispatchAll();
    const space = await caller.space('Told of');
    const deleted = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const deletion = prisma.$transaction(async (tx) => {
      await keepOpen(tx);
      await tx.webhook.delete({ where: { id: Number(gone) } });
      deleted.resolve();
      await mayCommit.promise;
    }, HELD);
    await deleted.promise;
    const dispatched = (async () => {
      while ((await dispatch()) === 0) await sleep(20);
    })();
    const waiting = () => prisma.$queryRaw`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(waiting).toHaveLength(1);
    mayCommit.resolve();
    await Promise.all([deletion, dispatched]);
    expect(await deliveriesOf(other)).toEqual([`SPACE_CREATED ${space}`]);
  },
);
