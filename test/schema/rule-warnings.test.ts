import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { settled } from '../support/database.ts';
import { subscribe } from '../support/events.ts';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ now: new Date('2026-11-30T12:00:00Z'), background: true });
});
beforeEach(async () => {
  await emptyServer(server);
  owner = await server.caller();
});
afterAll(() => server.stop());

const WARNINGS = 'ruleWarnings { rule kind by test message }';
const OF_LINK = `... on Link { id nodeId shortUrl ${WARNINGS} }`;
const url = 'https://example.com/';

interface Warned {
  readonly id: string;
  readonly nodeId: string;
  readonly shortUrl: string;
  readonly ruleWarnings: readonly object[] | null;
}

const rule = (name: string, ...when: object[]) => ({ name, when, to: [{ url }] });
const [germany, austria] = [{ country: { in: ['DE'] } }, { country: { in: ['AT'] } }];
const rules = [
  rule('Old', { time: { until: '2026-11-30T12:00:00Z' } }),
  rule('Germany', germany),
  rule('Germany again', germany),
  rule('Austria', austria),
  rule('Both', { country: { in: ['AT', 'DE'] } }),
  rule('German iPhones', germany, { platform: { in: ['IOS'] } }),
  rule('Nowhere', germany, austria),
];

const create = async (input: object) =>
  (
    await owner.data<{ createLink: Warned }>(
      `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ${OF_LINK} } }`,
      { input: { url, ...input } },
    )
  ).createLink;

const OLD = {
  ...{ rule: '1', kind: 'NEVER', by: null, test: null },
  message: 'The rule "Old" matches nobody: its conditions exclude each other, or lie in the past.',
};

test('warns of rules that lead nobody, and says why', async () => {
  const { ruleWarnings } = await create({ rules });
  const [of1, of2] = [
    { by: '2', test: null },
    { by: null, test: null },
  ];
  expect(ruleWarnings).toEqual([
    OLD,
    {
      ...{ rule: '3', kind: 'DUPLICATE', ...of1 },
      message: 'The rule "Germany again" has the same conditions as the earlier rule "Germany".',
    },
    {
      ...{ rule: '5', kind: 'UNREACHABLE', ...of2 },
      message:
        'The rule "Both" leads nobody: several earlier rules together lead all visitors that it matches.',
    },
    {
      ...{ rule: '6', kind: 'UNREACHABLE', ...of1 },
      message:
        'The rule "German iPhones" leads nobody: the earlier rule "Germany" leads all visitors that it matches.',
    },
    {
      ...{ rule: '7', kind: 'NEVER', ...of2 },
      message: 'The rule "Nowhere" matches nobody: its conditions exclude each other, or lie in the past.',
    },
  ]);
});

test('warns as time goes by', async () => {
  const { id, ruleWarnings } = await create({
    rules: [rule('Offer', { time: { until: '2026-12-01T00:00:00Z' } })],
  });
  expect(ruleWarnings).toEqual([]);
  server.clock.now = new Date('2026-12-01T00:00:00Z');
  const { link } = await owner.data<{ link: Warned }>(`query ($id: ID!) { link(id: $id) { ${WARNINGS} } }`, {
    id,
  });
  expect(link.ruleWarnings).toMatchObject([{ kind: 'NEVER' }]);
  server.clock.now = new Date('2026-11-30T12:00:00Z');
});

test('gives warnings for the record of a root field', async () => {
  const { id, nodeId, shortUrl } = await create({ rules: rules.slice(0, 1) });
  const read = await owner.data<Record<string, Warned>>(
    `query ($id: ID!, $nodeId: ID!, $url: String!) {
      link(id: $id) { ${OF_LINK} } renamed: link(id: $id) { ${OF_LINK} } node(nodeId: $nodeId) { ${OF_LINK} }
      linkByShortUrl(url: $url) { ${OF_LINK} }
    }`,
    { id, nodeId, url: shortUrl },
  );
  const written = await owner.data<Record<string, Warned>>(
    `mutation ($id: ID!) {
      updateLink(id: $id, input: { title: "Other" }) { ${OF_LINK} }
      upsertLink(externalId: "a", input: { url: "${url}", rules: [{ when: [{ time: { until: "2020-01-01T00:00:00Z" } }], to: [{ url: "${url}" }] }] }) { ${OF_LINK} }
    }`,
    { id },
  );
  const all = Object.values({ ...read, ...written });
  expect(all.map(({ ruleWarnings }) => ruleWarnings)).toEqual([
    ...Array(5).fill([OLD]),
    [{ ...OLD, message: OLD.message.replace('Old', 'Rule 1') }],
  ]);
});

test('gives warnings for the record of a change that is taken back, alone', async () => {
  const { id } = await create({ rules: rules.slice(0, 1) });
  await owner.data('mutation ($id: ID!) { updateLink(id: $id, input: { title: "Other" }) { __typename } }', {
    id,
  });
  await settled(server.database);
  const { changes } = await owner.data<{ changes: { nodes: { id: string }[] } }>(
    '{ changes(last: 100) { nodes { id } } }',
  );
  const change = changes.nodes.at(-1)?.id;
  const reverted = `... on RevertedChange { change { id } record { ${OF_LINK} } }`;
  type Result = { change: { id: string }; record: Warned };
  const { revertChange } = await owner.data<{ revertChange: Result }>(
    `mutation ($change: ID!) { revertChange(id: $change) { ${reverted} } }`,
    { change },
  );
  expect(revertChange.record.ruleWarnings).toEqual([OLD]);
  const { revertChanges } = await owner.data<{ revertChanges: Result[] }>(
    `mutation ($changes: [ID!]!) { revertChanges(ids: $changes) { ${reverted} } }`,
    { changes: [revertChange.change.id] },
  );
  expect(revertChanges[0]?.record.ruleWarnings).toBeNull();
});

test('gives none in lists, in the log and in subscriptions', async () => {
  const events = await subscribe<{ data: { changes: { record: Warned } } }>(
    owner,
    `subscription { changes { record { ${OF_LINK} } } }`,
  );
  const { nodeId } = await create({ rules: rules.slice(0, 1) });
  await expect.poll(() => events.seen.length).toBe(1);
  expect(events.seen[0]?.data.changes.record).toMatchObject({ nodeId, ruleWarnings: null });
  events.close();
  const { links, linkPage, nodes, changes, createLinks } = {
    ...(await owner.data<{
      links: { nodes: Warned[] };
      linkPage: { items: Warned[] };
      nodes: Warned[];
      changes: { nodes: { record: Warned }[] };
    }>(
      `query ($ids: [ID!]!) {
        links { nodes { ${OF_LINK} } } nodes(nodeIds: $ids) { ${OF_LINK} } changes { nodes { record { ${OF_LINK} } } }
        linkPage { items { ${OF_LINK} } }
      }`,
      { ids: [nodeId] },
    )),
    ...(await owner.data<{ createLinks: Warned[] }>(
      `mutation { createLinks(inputs: [{ url: "${url}" }]) { ${OF_LINK} } }`,
    )),
  };
  const all = [
    ...links.nodes,
    ...linkPage.items,
    ...nodes,
    ...changes.nodes.map(({ record }) => record),
    ...createLinks,
  ];
  expect(all.map(({ ruleWarnings }) => ruleWarnings)).toEqual(Array(5).fill(null));
});
