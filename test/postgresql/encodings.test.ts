import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrations } from '../../src/db/migrations.ts';
import { connectTo } from '../../src/engine/db/postgresql/client.ts';
import { runCommand } from '../support/command.ts';
import { newDatabase, onServer, postgresqlUrl } from '../support/database.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { refusalOf, startService } from '../support/service.ts';
import { visit } from '../support/visit.ts';

// All migrations run in two databases in Latin-1: 3 s of processor time.

/** The URL of a new database in this encoding. */
async function databaseIn(encoding: string): Promise<string> {
  const given = inject('database');
  if (given.provider !== 'postgresql') throw new Error('this is about PostgreSQL');
  const name = `linkspace_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(
    given.url,
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE_PROVIDER libc LOCALE 'C'`,
  );
  return postgresqlUrl(given.url, name);
}

/** One that an earlier version has migrated, when any encoding was accepted. */
async function migratedIn(encoding: string): Promise<string> {
  const url = await databaseIn(encoding);
  const client = await connectTo(url);
  await client.query(`CREATE TABLE "_prisma_migrations" (
    "id" VARCHAR(36), "migration_name" TEXT, "finished_at" TIMESTAMPTZ DEFAULT now(), "rolled_back_at" TIMESTAMPTZ)`);
  for (const name of migrations.known('postgresql')) {
    await client.query(migrations.scriptOf('postgresql', name));
    await client.query('INSERT INTO "_prisma_migrations" ("migration_name") VALUES ($1)', [name]);
  }
  await client.end();
  return url;
}

const databaseName = (url: string) => new URL(url).pathname.slice(1);

test.each(['LATIN1', 'SQL_ASCII', 'EUC_JP'])(
  'refuses a new database in %s at every door',
  async (encoding) => {
    const url = await databaseIn(encoding);
    const refusal = (variable: string) =>
      `The database "${databaseName(url)}" of ${variable} is in ${encoding}, which lacks most characters. Make another one: CREATE DATABASE "NAME" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`;
    const env = { DATABASE_URL: url };
    expect(await refusalOf(env)).toBe(refusal('DATABASE_URL'));
    expect((await runCommand('migrate', env)).stderr).toBe(`${refusal('DATABASE_URL')}\n`);
    expect((await runCommand('keys', env, ['list'])).stderr).toBe(`${refusal('DATABASE_URL')}\n`);
    const good = await newDatabase();
    const others = { DATABASE_URL: good, DATABASE_DIRECT_URL: url };
    expect(await refusalOf(others)).toBe(refusal('DATABASE_DIRECT_URL'));
    expect(await refusalOf({ DATABASE_URL: good, DATABASE_READ_URLS: url })).toBe(
      refusal('DATABASE_READ_URLS'),
    );
    const { stderr } = await runCommand('copy', {}, ['--from', good, '--to', url]);
    expect(stderr).toBe(`${refusal('--to')}\n`);
    const client = await connectTo(url);
    const { rows } = await client.query("SELECT * FROM pg_tables WHERE schemaname = 'public'");
    await client.end();
    expect(rows).toEqual([]);
  },
);

let url: string;
let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  url = await migratedIn('LATIN1');
  server = await startTestServer({ url });
  owner = await server.caller();
});
afterAll(() => server.stop());

test('warns of a database that has tables already', async () => {
  const said = 'the database is in LATIN1 instead of UTF8: texts with other characters are refused';
  const copied = await newDatabase();
  const env = { DATABASE_URL: url, DATABASE_DIRECT_URL: url, DATABASE_READ_URLS: url };
  const service = await startService({ BASE_URL: 'https://s.example', ...env });
  await service.stop();
  const warned = service.log.filter(({ msg }) => msg === said).map(({ variable }) => variable);
  expect(warned).toEqual(Object.keys(env).toSorted((one) => (one === 'DATABASE_DIRECT_URL' ? -1 : 1)));
  expect((await runCommand('migrate', { DATABASE_URL: url })).stderr).toBe(`T${said.slice(1)}.\n`);
  const { stderr } = await runCommand('copy', {}, ['--from', copied, '--to', await migratedIn('LATIN1')]);
  expect(stderr).toBe('The target is in LATIN1 instead of UTF8: texts with other characters are refused.\n');
});

const has = (character: string) => `has the character U+${character}, which the database cannot store`;

test('422s on text that the database cannot store, and names the field', async () => {
  const { id } = await owner.link({ title: 'Café' });
  const title = { errors: { title: [`The title field ${has('0141')}.`] } };
  expect(await owner.rest('POST', '/links', { url: 'https://example.com', title: 'Łódź' })).toMatchObject({
    status: 422,
    body: title,
  });
  expect(await owner.rest('PATCH', `/links/${id}`, { title: 'Łódź' })).toMatchObject({
    status: 422,
    body: title,
  });
  expect(await owner.rest('POST', '/spaces', { name: '日本' })).toMatchObject({
    status: 422,
    body: { errors: { name: [`The name field ${has('65E5')}.`] } },
  });
  // Its folded form has a letter that is not in Latin-1.
  expect((await owner.rest('POST', '/spaces', { name: '5 µm' })).status).toBe(422);
  expect(await owner.rest('GET', '/links?search=Łódź')).toMatchObject({
    status: 422,
    body: { errors: { search: [`The search field ${has('0142')}.`] } },
  });
  expect((await owner.rest('GET', `/links/${id}`)).body).toMatchObject({ data: { title: 'Café' } });
});

test('GraphQL refuses it as a wrong field, and other items of a batch are done', async () => {
  const refused = (path: string[], character = '0141') => ({
    __typename: 'ValidationError',
    fields: [{ path, messages: [has(character)] }],
  });
  const error = '__typename ... on ValidationError { fields { path messages } }';
  const made = await owner.data(
    `mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { ${error} } }`,
    {
      inputs: [
        { url: 'https://example.com/1', title: 'Łódź' },
        { url: 'https://example.com/2', title: 'Malmö' },
      ],
    },
  );
  expect(made).toEqual({ createLinks: [refused(['title']), { __typename: 'Link' }] });
  expect(
    await owner.data(
      `mutation {
        createTag(input: { name: "Łódź", color: 1 }) { ${error} }
        createSpace(input: { name: "Łódź" }) { ${error} }
        createUtmTemplate(input: { name: "Łódź", source: "x" }) { ${error} }
      }`,
    ),
  ).toMatchObject({ createTag: refused(['name']), createSpace: refused(['name']) });
  const keys = await runCommand('keys', { DATABASE_URL: url }, ['create', '--account', 'Łódź']);
  expect(keys.stderr).toBe(`A text ${has('0141')}.\n`);
  const { errors } = await owner.graphql('{ links(filter: { search: "Łódź" }) { nodes { id } } }');
  expect(errors).toMatchObject([{ message: `A text ${has('0142')}.`, extensions: { code: 'VALIDATION' } }]);
});

test('an import refuses only such lines', async () => {
  const text = 'url,title,alias\nhttps://example.com/3,Łódź,lodz\nhttps://example.com/4,Malmö,malmo';
  const imported = await owner.data(
    'mutation ($text: String!) { importLinks(text: $text, format: CSV) { results { status alias reason } } }',
    { text },
  );
  expect(imported).toEqual({
    importLinks: {
      results: [
        { status: 'REFUSED', alias: 'lodz', reason: `"title" ${has('0141')}` },
        { status: 'CREATED', alias: 'malmo', reason: null },
      ],
    },
  });
});

test('visits and their counts go on whatever they contain', async () => {
  await owner.link({ alias: 'here' });
  expect((await visit(server.origin, '/%C5%81%C3%B3d%C5%BA')).status).toBe(404);
  const headers = { referer: 'https://xn--d1acufc.example/', 'accept-language': 'pl' };
  expect((await visit(server.origin, '/here?utm_source=%C5%81', { headers })).status).toBe(302);
  await server.flush();
  expect(await owner.data('{ linkByShortUrl(url: "https://s.example/here") { clicks } }')).toEqual({
    linkByShortUrl: { clicks: 1 },
  });
});
