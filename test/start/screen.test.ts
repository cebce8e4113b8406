import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApolloClient, gql } from '@apollo/client';
import { buildSchema, isAbstractType, parse, print, validate } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as apollo from '../../examples/screen/apollo.ts';
import * as relay from '../../examples/screen/relay.ts';
import type { Options, Row, Screen } from '../../examples/screen/screen.ts';
import * as urql from '../../examples/screen/urql.ts';
import { followChanges, newCache, newClient } from '../../packages/client/src/apollo.ts';
import { possibleTypes } from '../../packages/client/src/possible-types.ts';
import { changes, newClient as newUrqlClient } from '../../packages/client/src/urql.ts';
import { blocksOf } from '../support/markdown.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

const clients = { 'Apollo Client': apollo, urql, Relay: relay };

let server: TestServer;
let accounts = 0;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  owner = await server.caller(`account ${accounts++}`);
});

/** Waits as long as a browser does before it shows something: no answer comes meanwhile. */
const atOnce = () => Promise.resolve();

const titles = (screen: Screen) => screen.rows().map(({ title }) => title);
const first = (screen: Screen): Row => {
  const [row] = screen.rows();
  if (row === undefined) throw new Error('there are no rows');
  return row;
};

/** A screen of nine links, whose requests go through `through`. */
async function open(name: keyof typeof clients, through: typeof fetch = fetch): Promise<Screen> {
  for (let i = 1; i <= 9; i++) await owner.link({ title: `Link ${i}` });
  const headers = { Authorization: `Bearer ${owner.key}` };
  const options: Options = { url: `${server.origin}/graphql`, headers, pageSize: 2, fetch: through };
  return clients[name].openScreen(options);
}

describe.each(Object.keys(clients) as (keyof typeof clients)[])('%s', (name) => {
  test('loads five pages into one list, and keeps records of different types with the same id apart', async () => {
    const [link] = await Promise.all([owner.link({ title: 'The link' })]);
    const spaces = [];
    while (spaces.at(-1) !== link.id) spaces.push(await owner.space(`Space ${spaces.length}`));
    const screen = await open(name);
    let pages = 1;
    for (; screen.hasMore(); pages++) await screen.loadMore();
    expect(pages).toBe(5);
    expect(titles(screen)).toEqual([
      ...[9, 8, 7, 6, 5, 4, 3, 2, 1].map((number) => `Link ${number}`),
      'The link',
    ]);
    expect(screen.rows().at(-1)?.id).toBe(String(spaces.at(-1)));
    expect(screen.spaces()).toContain(`Space ${spaces.length - 1}`);
  });

  test('shows a change at once, and reverts it if another editor was first', async () => {
    const screen = await open(name);
    const row = first(screen);
    await screen.loadMore();
    server.clock.now = new Date(server.clock.now.getTime() + 1_000);
    const renaming = screen.rename(row, 'Mine');
    await atOnce();
    expect(titles(screen)[0]).toBe('Mine');
    expect(await renaming).toBeNull();
    expect(titles(screen).slice(0, 3)).toEqual(['Mine', 'Link 8', 'Link 7']);
    // The row is outdated.
    const late = screen.rename(row, 'Late');
    await atOnce();
    expect(titles(screen)[0]).toBe('Late');
    expect((await late)?.message).toContain('was changed since');
    expect(titles(screen)[0]).toBe('Mine');
    expect(await screen.rename(first(screen), 'Mine again')).toBeNull();
  });

  test('shows another editor’s change', async () => {
    const screen = await open(name);
    server.clock.now = new Date(server.clock.now.getTime() + 1_000);
    await owner.rest('PATCH', `/links/${first(screen).id}`, { title: 'Theirs' });
    expect((await screen.rename(first(screen), 'Mine'))?.message).toContain('was changed since');
    expect(titles(screen)[0]).toBe('Theirs');
  });

  test('shows an error at its field, and reverts the change', async () => {
    const screen = await open(name);
    const renaming = screen.rename(first(screen), 'x'.repeat(256));
    await atOnce();
    expect(titles(screen)[0]).toHaveLength(256);
    expect(await renaming).toEqual({
      message: 'title may have at most 255 characters, not 256.',
      fields: { title: 'may have at most 255 characters, not 256' },
    });
    expect(titles(screen)[0]).toBe('Link 9');
    const created = await screen.create('nonsense', 'Wrong');
    expect(created?.fields).toEqual({
      url: 'must be an absolute http or https URL, such as https://example.com/page',
    });
    expect(titles(screen)).not.toContain('Wrong');
  });

  test('shows a new link first in the list, and removes a deleted one', async () => {
    const screen = await open(name);
    await screen.loadMore();
    expect(await screen.create('https://example.com/', 'New')).toBeNull();
    expect(titles(screen)).toEqual(['New', 'Link 9', 'Link 8', 'Link 7', 'Link 6']);
    const [, nine, eight] = screen.rows();
    expect(await screen.remove(nine as Row)).toBeNull();
    expect(titles(screen)).toEqual(['New', 'Link 8', 'Link 7', 'Link 6']);
    expect((await screen.remove(nine as Row))?.message).toBe('No such link.');
    await screen.remove(eight as Row);
    await screen.loadMore();
    expect(titles(screen)).toEqual(['New', 'Link 7', 'Link 6', 'Link 5', 'Link 4']);
  });

  test('repeats a mutation whose answer was lost, and executes it once', async () => {
    let lost = 0;
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (lost > 0 || !String(init?.body).includes('createLink')) return response;
      lost++;
      await response.arrayBuffer();
      throw new TypeError('fetch failed: the connection was reset');
    };
    const screen = await open(name, losing);
    expect(await screen.create('https://example.com/once', 'Once')).toBeNull();
    expect(lost).toBe(1);
    expect(titles(screen)[0]).toBe('Once');
    expect(await owner.data('{ links(filter: { search: "Once" }) { totalCount } }')).toEqual({
      links: { totalCount: 1 },
    });
  });
});

describe('Apollo Client, configured as in the guide', () => {
  const blocks = blocksOf('docs/clients.md').filter(({ language }) => language === 'graphql');
  const pages = gql(blocks.find(({ text }) => text.startsWith('query LinkPages'))?.text ?? '');
  interface Pages {
    links: { edges: { node: { nodeId: string; title: string } }[]; pageInfo: { endCursor: string } };
  }
  const open = (key: string) =>
    newClient({ url: `${server.origin}/graphql`, headers: { Authorization: `Bearer ${key}` } });
  const shown = (client: ApolloClient) =>
    client.readQuery<Pages>({ query: pages }, true)?.links.edges.map(({ node }) => node) ?? [];

  test('shows all 37 links after two pages, with the query of the guide', async () => {
    for (let i = 1; i <= 37; i++) await owner.link({ title: `Link ${i}` });
    const client = open(owner.key);
    const list = client.watchQuery<Pages>({ query: pages });
    list.subscribe(() => {});
    const { data } = await client.query<Pages>({ query: pages });
    expect(shown(client)).toHaveLength(20);
    await list.fetchMore({ variables: { after: data?.links.pageInfo.endCursor } });
    expect(new Set(shown(client).map(({ nodeId }) => nodeId)).size).toBe(37);
    client.stop();
  });

  test('keeps lists with different filters apart', async () => {
    for (const title of ['One', 'Two']) await owner.link({ title });
    const client = open(owner.key);
    const query = gql`query ($search: String) {
      links(first: 20, filter: { search: $search }) { edges { node { nodeId title } } pageInfo { hasNextPage endCursor } }
    }`;
    const titlesOf = async (search: string | null) =>
      (await client.query<Pages>({ query, variables: { search } })).data?.links.edges.map(
        ({ node }) => node.title,
      );
    expect(await titlesOf('One')).toEqual(['One']);
    expect(await titlesOf(null)).toEqual(['Two', 'One']);
    expect(await titlesOf('One')).toEqual(['One']);
    client.stop();
  });

  test('removes a link that somebody else deletes, through the subscription', async () => {
    const links = [await owner.link({ title: 'Stays' }), await owner.link({ title: 'Goes' })];
    const client = open(owner.key);
    await client.query({ query: pages });
    const end = followChanges(client);
    expect(shown(client)).toHaveLength(2);
    // The subscription may begin after the first deletion.
    await expect
      .poll(
        async () => {
          const titles = shown(client).map(({ title }) => title);
          if (titles.length === 1) return titles;
          await owner.rest('DELETE', `/links/${links.pop()?.id}`);
          links.push(await owner.link({ title: 'Short-lived' }));
          await client.query({ query: pages, fetchPolicy: 'network-only' });
          await owner.rest('DELETE', `/links/${links.at(-1)?.id}`);
          return titles;
        },
        { interval: 200 },
      )
      .toEqual(['Stays']);
    end();
    client.stop();
  });

  test('shows an optimistic response at once if each record has its type, also with masking', async () => {
    const { id, title } = await owner.link({ title: 'Old' });
    const masking = new ApolloClient({ cache: newCache(), link: open(owner.key).link, dataMasking: true });
    await masking.query({ query: pages });
    const [row] = shown(masking);
    const mutation = gql`
      mutation ($id: ID!) {
        updateLink(id: $id, input: { title: "New" }) { ...Title }
      }
      fragment Title on Link { nodeId title }
    `;
    const changing = (updateLink: object) =>
      masking.mutate({ mutation, variables: { id: String(id) }, optimisticResponse: { updateLink } });
    const untyped = changing({ ...row, __typename: undefined, title: 'Lost' });
    expect(shown(masking).map((one) => one.title)).toEqual([title]);
    await untyped;
    const typed = changing({ ...row, __typename: 'Link', title: 'Guess' });
    expect(shown(masking).map((one) => one.title)).toEqual(['Guess']);
    await typed;
    expect(shown(masking).map((one) => one.title)).toEqual(['New']);
    masking.stop();
  });
});

describe('urql, configured as in the guide', () => {
  test('reads a list again when somebody else deletes one of its records, through the subscription', async () => {
    await owner.link({ title: 'Stays' });
    const goes = await owner.link({ title: 'Goes' });
    const headers = { Authorization: `Bearer ${owner.key}` };
    const client = newUrqlClient({ url: `${server.origin}/graphql`, headers });
    const warn = vi.spyOn(console, 'warn');
    let shown: string[] = [];
    const pages = blocksOf('docs/clients.md').find(({ text }) => text.startsWith('query LinkPages'));
    const list = client.query(pages?.text ?? '', {}).subscribe(({ data }) => {
      shown = data?.links.edges.map(({ node }: { node: { title: string } }) => node.title);
    });
    await expect.poll(() => shown).toEqual(['Goes', 'Stays']);
    let heard = 0;
    const subscription = client.subscription(changes, {}).subscribe(() => heard++);
    await expect.poll(() => owner.space('Heard').then(() => heard), { interval: 100 }).toBeGreaterThan(0);
    await owner.rest('DELETE', `/links/${goes.id}`);
    await expect.poll(() => shown).toEqual(['Stays']);
    expect(warn).not.toHaveBeenCalled();
    subscription.unsubscribe();
    list.unsubscribe();
  });
});

test('knows the types of all interfaces that it uses', () => {
  const interfaces = Object.values(schema.getTypeMap()).filter(
    (type) => isAbstractType(type) && type.name in possibleTypes,
  );
  const possible = interfaces.map((type) => [
    type.name,
    schema
      .getPossibleTypes(type as never)
      .map((one) => one.name)
      .sort(),
  ]);
  expect(Object.fromEntries(possible)).toEqual(possibleTypes);
});

test('the output of Relay’s compiler matches the operations and the schema', async () => {
  const source = readFileSync('examples/screen/relay-operations.ts', 'utf8');
  const texts = [...source.matchAll(/graphql`([^`]*)`/g)].map(([, text = '']) => text);
  expect(texts).toHaveLength(5);
  for (const text of texts) {
    const [, operation] = /(?:query|mutation|subscription) (\w+)/.exec(text) ?? [];
    const made = await import(`../../examples/screen/__generated__/${operation}.graphql.ts`);
    expect(made.default.hash).toBe(
      createHash('md5')
        .update(print(parse(text).definitions[0] as never))
        .digest('hex'),
    );
    expect(validate(schema, parse(made.default.params.text))).toEqual([]);
  }
});
