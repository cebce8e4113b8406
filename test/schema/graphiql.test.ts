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

test.each(names)("GraphiQL's example %s runs unchanged", async (operationName) => {
  const caller = await server.caller();
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, operationName }),
  });
  const answer = (await response.json()) as { errors?: unknown };
  expect([response.status, answer.errors]).toEqual([200, undefined]);
});
