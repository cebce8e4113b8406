import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSchema, isAbstractType, parse, print, validate } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as apollo from '../../examples/screen/apollo.ts';
import * as relay from '../../examples/screen/relay.ts';
import type { Options, Row, Screen } from '../../examples/screen/screen.ts';
import * as urql from '../../examples/screen/urql.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const clients = { 'Apollo Client': apollo, urql, Relay: relay };

let server: TestServer;
let accounts = 0;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  owner = await server.caller(`account ${accounts++}`);
});

const titles = (screen: Screen) => screen.rows().map(({ title }) => title);
const first = (screen: Screen): Row => {
  const [row] = screen.rows();
  if (row === undefined) throw new Error('there are no rows');
  return row;
};

/** A screen of nine links, whose requests go through `through`. */
async function open(name: keyof typeof clients, through: typeof fetch = fetch): Promise<Screen> {
  for (let i = 1; i <= 9; i++) await owner.link({ title: `Link ${i}` });
  const options: Options = { url: `${server.origin}/graphql`, key: owner.key, pageSize: 2, fetch: through };
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
    expect(titles(screen)[0]).toBe('Mine');
    expect(await renaming).toBeNull();
    expect(titles(screen).slice(0, 3)).toEqual(['Mine', 'Link 8', 'Link 7']);
    // The row is outdated.
    const late = screen.rename(row, 'Late');
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
    expect(titles(screen)[0]).toHaveLength(256);
    expect(await renaming).toEqual({
      message: 'title may have at most 255 characters, not 256.',
      fields: { title: 'may have at most 255 characters, not 256' },
    });
    expect(titles(screen)[0]).toBe('Link 9');
    const created = await screen.create('nonsense', 'Wrong');
    expect(created?.fields).toEqual({ url: 'must be an absolute http or https URL' });
    expect(titles(screen)).not.toContain('Wrong');
  });

  test('a new link is first in the list, and a deleted one is removed', async () => {
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

  test('a mutation with a lost answer is sent again, and done once', async () => {
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

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

test('Apollo Client knows the types of all interfaces that it uses', () => {
  const interfaces = Object.values(schema.getTypeMap()).filter(
    (type) => isAbstractType(type) && type.name in apollo.possibleTypes,
  );
  const possible = interfaces.map((type) => [
    type.name,
    schema
      .getPossibleTypes(type as never)
      .map((one) => one.name)
      .sort(),
  ]);
  expect(Object.fromEntries(possible)).toEqual(apollo.possibleTypes);
});

test('the output of Relay’s compiler matches the operations and the schema', async () => {
  const source = readFileSync('examples/screen/relay-operations.ts', 'utf8');
  const texts = [...source.matchAll(/graphql`([^`]*)`/g)].map(([, text = '']) => text);
  expect(texts).toHaveLength(4);
  for (const text of texts) {
    const [, operation] = /(?:query|mutation) (\w+)/.exec(text) ?? [];
    const made = await import(`../../examples/screen/__generated__/${operation}.graphql.ts`);
    expect(made.default.hash).toBe(
      createHash('md5')
        .update(print(parse(text).definitions[0] as never))
        .digest('hex'),
    );
    expect(validate(schema, parse(made.default.params.text))).toEqual([]);
  }
});
