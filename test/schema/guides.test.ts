import { Kind, type OperationDefinitionNode, parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscribe } from '../support/events.ts';
import { allBlocks, type Block, blocksOf } from '../support/markdown.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

/** The mutations of the guides whose result is an error. */
const refused = ['CreateLinks', 'RenameLink'];

let server: TestServer;
let caller: Caller;
/** The variables of the examples, for existing records. */
const variables: Record<string, () => Promise<string>> = {
  id: async () => String((await caller.link()).id),
  async changeId() {
    await caller.space('To revert');
    const last = await server.database.prisma.change.findFirstOrThrow({ orderBy: { id: 'desc' } });
    return String(last.id);
  },
  spaceId: async () => String(await caller.space('Launch')),
  async domainId() {
    const id = String(await caller.domain('guide.example'));
    const { domain } = await caller.data<{ domain: { verification: { name: string; value: string } } }>(
      'query ($id: ID!) { domain(id: $id) { verification { name value } } }',
      { id },
    );
    server.dns.set(domain.verification.name, [domain.verification.value]);
    return id;
  },
};
beforeAll(async () => {
  server = await startTestServer({ verifiesDomains: true, background: true });
  caller = await server.caller('reader of the guides');
});
afterAll(() => server.stop());

function operationOf({ text }: Block): OperationDefinitionNode {
  const [operation, ...others] = parse(text).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0)
    throw new Error('An example is one operation.');
  return operation;
}

async function run(block: Block, given: Record<string, string> = {}): Promise<unknown> {
  const { variableDefinitions = [] } = operationOf(block);
  const values = { ...given };
  for (const { variable, type } of variableDefinitions) {
    const name = variable.name.value;
    if (name in values) continue;
    if (variables[name]) values[name] = await variables[name]();
    else if (type.kind === Kind.NON_NULL_TYPE) throw new Error(`Nobody gives $${name}.`);
  }
  return caller.data(block.text, values);
}

const examples = allBlocks.filter(
  ({ language, file }) => language === 'graphql' && file !== 'docs/redirects.md',
);

const subscriptions = examples.filter((block) => operationOf(block).operation === 'subscription');
const requests = examples.filter((block) => !subscriptions.includes(block));

test.each(subscriptions.map((block) => [block.place, block] as const))(
  'the subscription in %s reports a new link',
  async (_place, block) => {
    const events = await subscribe(caller, block.text);
    const { id } = await caller.link();
    await expect.poll(() => JSON.stringify(events.seen)).toContain(`"recordId":"${id}"`);
    events.close();
  },
);

test.each(requests.map((block) => [block.place, operationOf(block).name?.value ?? '', block] as const))(
  'the example of %s, %s, runs unchanged',
  async (_place, name, block) => {
    const data = await run(block);
    const errors = JSON.stringify(data).match(/\w+Error\b/g) ?? [];
    expect(errors.length > 0).toBe(refused.includes(name));
  },
);

test('the redirects guide shows the real explanation of the link in the GraphQL guide', async () => {
  const [query, answer] = blocksOf('docs/redirects.md').filter(({ language }) =>
    ['graphql', 'json'].includes(language),
  );
  const { links } = await caller.data<{ links: { edges: { node: { id: string } }[] } }>(
    '{ links(filter: { search: "launch", searchBy: ALIAS }) { edges { node { id } } } }',
  );
  const data = await run(query as Block, { id: links.edges[0]?.node.id ?? '' });
  expect(data).toEqual({ explainRedirect: JSON.parse(answer?.text ?? '') });
});
