import { readFileSync } from 'node:fs';
import { Kind, type OperationDefinitionNode, parse, print } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscribe } from '../support/events.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());

const query = readFileSync('web/examples.graphql', 'utf8');
const operations = parse(query).definitions.flatMap((definition) =>
  definition.kind === Kind.OPERATION_DEFINITION ? [definition] : [],
);
const readOperationName = ({ name }: OperationDefinitionNode) => name?.value ?? '';
/** The examples that change or delete a record. */
const changing = operations
  .filter(({ variableDefinitions = [] }) => variableDefinitions.length > 0)
  .map(readOperationName);

async function run(caller: Caller, operationName: string, variables: object) {
  const response = await caller.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, operationName, variables }),
  });
  const { errors, data } = (await response.json()) as { errors?: { message: string }[]; data?: unknown };
  return { status: response.status, errors: errors?.map(({ message }) => message), data };
}

const isSubscription = ({ operation }: OperationDefinitionNode) => operation === 'subscription';

test.each(operations.filter((one) => !isSubscription(one)).map(readOperationName))(
  'the GraphiQL example %s runs unchanged',
  async (operationName) => {
    const caller = await server.caller();
    const id = operationName.endsWith('Space') ? await caller.space('S') : (await caller.link()).id;
    const variables = changing.includes(operationName) ? { id: String(id) } : {};
    expect(await run(caller, operationName, variables)).toMatchObject({ status: 200, errors: undefined });
  },
);

test('an example of a subscription shows a change', async () => {
  const caller = await server.caller();
  const [subscription] = operations.filter(isSubscription);
  const events = await subscribe(caller, print(subscription as OperationDefinitionNode));
  const { id } = await caller.link();
  await expect.poll(() => JSON.stringify(events.seen)).toContain(`"recordId":"${id}"`);
  events.close();
});

test('the comments of the examples fit the editor in a window of 1280 pixels', () => {
  const comments = query.split('\n').filter((line) => line.startsWith('#'));
  expect(comments.filter((line) => line.length > 48)).toEqual([]);
});

test('examples that change or delete a record do nothing until an id is given', async () => {
  expect(changing).toEqual(['UpdateSpace', 'DeleteSpace', 'UpdateLink', 'DeleteLink']);
  const caller = await server.caller();
  for (const name of changing)
    expect((await run(caller, name, {})).errors).toEqual([expect.stringContaining('$id')]);
});

test('no example of a mutation contains the id of a record', () => {
  for (const operation of operations.filter(({ operation }) => operation === 'mutation'))
    expect(print(operation)).not.toMatch(/\b\w*[iI]d: "/);
});
