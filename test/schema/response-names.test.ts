import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscribe } from '../support/events.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true });
  caller = await server.caller();
  await caller.link();
  await caller.link();
});
afterAll(() => server.stop());

/** Names with a meaning in JavaScript, which are ordinary response names in GraphQL. */
const names = [
  'then',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'toJSON',
  'next',
];

async function textOf(query: string, isKeyed = false): Promise<string> {
  const key = isKeyed && { 'Idempotency-Key': encodeURIComponent(query).slice(0, 200) };
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...key },
    body: JSON.stringify({ query }),
  });
  expect(response.status).toBe(200);
  return response.text();
}

const create = (name: string, space: string) =>
  `mutation { ${name}: createSpace(input: { name: "${space}" }) { ${name}: __typename ... on Space { name } } }`;

test.each(names)('accepts the response name %s', async (name) => {
  const same = async (query: (name: string) => string, isKeyed = false) => {
    const expected = (await textOf(query('plain'), isKeyed)).replaceAll('"plain":', `"${name}":`);
    expect(expected).not.toContain('errors');
    // The third execution is compiled.
    for (let time = 1; time <= 3; time++) expect(await textOf(query(name), isKeyed)).toBe(expected);
  };
  await same((one) => `{ ${one}: __typename }`);
  await same((one) => `{ ${one}: viewer { ${one}: account { ${one}: name } } }`);
  await same((one) => `{ links { ${one}: totalCount nodes { title ${one}: url } } }`);
  await same((one) => `{ links { nodes { ${one}: domain { ${one}: name } } } }`);
  await same((one) => `{ nodes(nodeIds: ["TGluazox"]) { ${one}: nodeId ... on Link { title } } }`);
  await same((one) => `{ ${one}: __type(name: "Node") { ${one}: possibleTypes { ${one}: name } } }`);
  await same((one) => create(one, name));
  await same((one) => create(one, `${name} once`), true);
});

test.each(names)('accepts the response name %s in a subscription', async (name) => {
  const { seen, comments, close, ended } = await subscribe(
    caller,
    `subscription { ${name}: changes { ${name}: action key { ${name}: prefix } } }`,
  );
  await expect.poll(comments).toBeGreaterThan(0);
  await textOf(create('space', `${name} sent`));
  const expected = `{"data":{"${name}":{"${name}":"CREATED","key":{"${name}":"${caller.key.slice(0, 8)}"}}}}`;
  await expect.poll(() => JSON.stringify(seen[0])).toBe(expected);
  close();
  await ended;
});
