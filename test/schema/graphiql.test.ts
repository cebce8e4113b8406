import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const query = readFileSync('web/examples.graphql', 'utf8');
const names = parse(query).definitions.flatMap((definition) =>
  definition.kind === Kind.OPERATION_DEFINITION && definition.name ? [definition.name.value] : [],
);

/** The examples of the guide, in order: a later one may use what an earlier one made. */
const guide = [...readFileSync('docs/graphql.md', 'utf8').matchAll(/^```graphql\n(.*?)^```/gms)].map(
  ([, example = '']) => example,
);

test("the guide's examples run as they stand, and none is refused but the one that shows it", async () => {
  const caller = await server.caller('reader of the guide');
  const { id } = await caller.link();
  const variables = {
    id: String(id),
    spaceId: String(await caller.space('Launch')),
    domainId: String(await caller.domain('guide.example')),
  };
  const refused: string[] = [];
  for (const example of guide) {
    const asks = [...example.matchAll(/\$(\w+):/g)].map(([, name = '']) => name);
    const given = Object.entries(variables).filter(([name]) => asks.includes(name));
    const data = await caller.data(example, Object.fromEntries(given));
    for (const [type] of JSON.stringify(data).matchAll(/\w+Error/g)) refused.push(type);
  }
  expect([guide.length, refused]).toEqual([8, ['ValidationError']]);
});

test('the explained visit of the guide to redirects is answered as it says', async () => {
  const [query = '', answer = ''] = [
    ...readFileSync('docs/redirects.md', 'utf8').matchAll(/^```\w+\n(.*?)^```/gms),
  ].map(([, block = '']) => block);
  const caller = await server.caller();
  const { id } = await caller.link({
    target_type: 1,
    'country[0][key]': 'DE',
    'country[0][value]': 'https://example.com/de',
  });
  const data = await caller.data(query, { id: String(id) });
  expect(data).toEqual({ explainRedirect: JSON.parse(answer) });
});

test.each(names)("GraphiQL's example %s runs as it stands", async (operationName) => {
  const caller = await server.caller();
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, operationName }),
  });
  const answer = (await response.json()) as { errors?: unknown };
  expect([response.status, answer.errors]).toEqual([200, undefined]);
});
