import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gql } from '@apollo/client';
import { parse } from 'graphql';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { trustedExchange, trustedLink } from '../../examples/screen/trusted-documents.ts';
import { newClient } from '../../packages/client/src/apollo.ts';
import { newClient as newUrqlClient } from '../../packages/client/src/urql.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);

let server: TestServer;
let caller: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true });
  caller = await server.caller();
});
afterAll(() => server.stop());

function isThere(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function output(program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, LINKSPACE_URL: server.origin, LINKSPACE_KEY: caller.key };
  const { stdout } = await run(program, args, { env });
  return stdout;
}

const total = () => caller.data('{ links { totalCount } spaces { totalCount } }');
const nothing = { links: { totalCount: 0 }, spaces: { totalCount: 0 } };

test.runIf(isThere('curl', '--version'))('the curl example', async () => {
  const lines = (await output('sh', 'examples/legacy/links.sh')).trim().split('\n');
  const bodies = lines.map((line) => JSON.parse(line));
  expect(bodies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(bodies[2]).toMatchObject({
    meta: { total: 1 },
    data: [{ title: 'From curl', space: { name: 'Launch' } }],
  });
  expect(await total()).toEqual(nothing);
});

test.runIf(isThere('python3', '-c', 'import requests'))('the Python example', async () => {
  expect(await output('python3', 'examples/legacy/links.py')).toBe(
    '1 From Python 2\n422 The url field must be an absolute http or https URL, such as https://example.com/page.\n',
  );
  expect(await total()).toEqual(nothing);
});

test.runIf(isThere('php', '--version'))('the PHP example', async () => {
  expect(await output('php', 'examples/legacy/links.php')).toBe(
    '1 From PHP 2\nThe url field must be an absolute http or https URL, such as https://example.com/page.\n',
  );
  expect(await total()).toEqual(nothing);
});

test.each(['apollo', 'urql', 'relay'])('the front-end example with %s', async (name) => {
  const said = await output(process.execPath, '--import', 'tsx', 'examples/screen/main.ts', name);
  expect(said).toBe(
    'At first: no links\nWith a new link: From a screen\nRenamed: Renamed\nAt the end: no links\n',
  );
});

/** The proxy in front of a server, and its URL. */
async function startProxy(origin: string, key: string) {
  const env = { PATH: process.env.PATH ?? '', LINKSPACE_URL: origin, LINKSPACE_KEY: key, PORT: '0' };
  const proxy = spawn(process.execPath, ['examples/proxy/server.mjs'], { env });
  onTestFinished(async () => {
    proxy.kill();
    await once(proxy, 'close');
  });
  const [said] = await once(proxy.stdout.setEncoding('utf8'), 'data');
  return String(said).trim();
}

test('the proxy hides the key, and forwards queries, mutations and subscriptions', async () => {
  const url = await startProxy(server.origin, caller.key);
  const client = newClient({ url });
  const { data } = await client.query<{ viewer: object }>({ query: gql`{ viewer { account { name } } }` });
  expect(data?.viewer).toMatchObject({ account: { name: 'owner' } });

  const created: string[] = [];
  client
    .subscribe<{ changes: { action: string } }>({ query: gql`subscription { changes { id nodeId action } }` })
    .subscribe(({ data: event }) => created.push(event?.changes.action ?? ''));
  const mutation = gql`mutation { createSpace(input: { name: "By proxy" }) { ... on Space { nodeId id } } }`;
  const make = async () => {
    const { data: made } = await client.mutate<{ createSpace: { id: string } }>({ mutation });
    await caller.rest('DELETE', `/spaces/${made?.createSpace.id}`);
    return created;
  };
  await expect.poll(make, { interval: 200 }).toContain('CREATED');
  client.stop();

  const plain = await fetch(url, { method: 'POST', body: '{"query":"{ __typename }"}' });
  expect([plain.status, (await fetch(url)).status]).toEqual([404, 404]);
});

/** Documents as the client preset makes them, with the ids of trusted documents. */
function trustedDocument(text: string, ids: Map<string, string>) {
  const hash = createHash('sha256').update(text).digest('hex');
  ids.set(hash, text);
  return { ...parse(text), __meta__: { hash } };
}

test.each(['Apollo Client', 'urql'])(
  '%s sends only ids of trusted documents through the proxy',
  async (name) => {
    const ids = new Map<string, string>();
    const query = trustedDocument('query Account { viewer { account { name __typename } __typename } }', ids);
    const mutation = trustedDocument(
      'mutation Make($name: String!) { createSpace(input: { name: $name }) { ... on Space { nodeId id __typename } __typename } }',
      ids,
    );
    const subscription = trustedDocument('subscription Told { changes { nodeId action __typename } }', ids);
    const trusting = await startTestServer({ background: true, trusted: ids, graphiql: false });
    onTestFinished(() => trusting.stop());
    const url = await startProxy(trusting.origin, (await trusting.caller('Acme')).key);
    const told: string[] = [];
    interface Told {
      changes: { action: string };
    }
    let ask: () => Promise<unknown>;
    let make: () => Promise<unknown>;
    if (name === 'urql') {
      const client = newUrqlClient({ url }, { exchanges: [trustedExchange] });
      ask = async () => (await client.query(query, {}).toPromise()).data;
      make = async () => (await client.mutation(mutation, { name: 'News' }).toPromise()).data;
      const heard = client.subscription<Told>(subscription, {}).subscribe(({ data }) => {
        told.push(data?.changes.action ?? '');
      });
      onTestFinished(() => heard.unsubscribe());
    } else {
      const client = newClient({ url }, { links: [trustedLink] });
      ask = async () => (await client.query({ query })).data;
      make = async () => (await client.mutate({ mutation, variables: { name: 'News' } })).data;
      const changes = client.subscribe<Told>({ query: subscription });
      const heard = changes.subscribe(({ data }) => told.push(data?.changes.action ?? ''));
      onTestFinished(() => {
        heard.unsubscribe();
        client.stop();
      });
    }
    expect(await ask()).toMatchObject({ viewer: { account: { name: 'Acme' } } });
    expect(await make()).toMatchObject({ createSpace: { __typename: 'Space' } });
    await expect.poll(() => make().then(() => told), { interval: 200 }).toContain('CREATED');
  },
);

test('the front-end example builds and runs', async () => {
  const said = await output(
    process.execPath,
    '--import',
    'tsx',
    'examples/frontend/main.ts',
    'https://example.com/a',
  );
  expect(said).toMatch(
    /^Made https:\/\/s\.example\/\w+\nowner has 1 such link\(s\):\nhttps:\/\/s\.example\/\w+ {2}0 click\(s\) {2}no space\n$/,
  );
});

test('the front-end example does not build with a schema that lacks a field it uses', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-examples-'));
  const schema = join(folder, 'schema.graphql');
  writeFileSync(
    schema,
    readFileSync('schema.graphql', 'utf8').replace('  shortUrl: URL!', '  shortest: URL!'),
  );
  const args = ['--import', 'tsx', 'codegen.ts', 'examples/frontend', join(folder, 'generated.ts'), schema];
  const failure = await run(process.execPath, args).catch((error: { stderr: string }) => error.stderr);
  rmSync(folder, { recursive: true });
  expect(failure).toContain('Cannot query field "shortUrl" on type "Link"');
});
