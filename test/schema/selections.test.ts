import fc, { type GeneratorValue } from 'fast-check';
import {
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { settled } from '../support/database.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
/** The fields of the query that lead to each type. */
let roots: Record<string, string>;

const MAX_DEPTH = 3;
/** Arguments that lists get, so that answers stay small. */
const listArgs: Readonly<Record<string, string>> = { first: '3', perPage: '10' };

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  const domain_id = await owner.domain('go.example');
  for (let i = 1; i <= 3; i++) {
    const space_id = await owner.space(`Space ${i}`, { color: i });
    const fields = {
      domain_id,
      space_id,
      pixel_ids: await owner.pixel(`Pixel ${i}`),
      title: `Link ${i}`,
      tag_ids: await owner.tag(`Tag ${i}`),
    };
    await owner.link(i === 1 ? { alias: 'plain' } : fields);
    await owner.link({
      ...fields,
      password: 'x',
      expiration_clicks: 9,
      expiration_url: 'https://example.com/over',
      expiration_date: '2030-01-01',
      target_type: 1,
      'country[0][key]': 'DE',
      'country[0][value]': 'https://example.com/de',
    });
    await owner.data(
      `mutation { createWebhook(input: { url: "https://example.com/${i}", events: [LINK_CREATED] }) { __typename } }`,
    );
  }
  await server.database.prisma.linkCounter.updateMany({
    data: { clicks: 7, lastClickedAt: server.clock.now },
  });
  await settled(server.database);
  const { links } = await owner.data<{ links: { nodes: { id: string; nodeId: string }[] } }>(
    '{ links(first: 2) { nodes { id nodeId } } }',
  );
  const [one, other] = links.nodes;
  roots = {
    links: 'links(first: 3)',
    'links by clicks': 'links(first: 3, orderBy: { field: CLICKS })',
    linkPage: 'linkPage(perPage: 10)',
    link: `link(id: ${one?.id})`,
    nodes: `nodes(nodeIds: ["${one?.nodeId}", "${other?.nodeId}"])`,
    spaces: 'spaces(first: 3)',
    space: 'space(id: 1)',
    tags: 'tags(first: 3)',
    domains: 'domains(first: 3)',
    pixels: 'pixels(first: 3)',
    changes: 'changes(first: 3)',
    webhooks: 'webhooks(first: 3)',
    viewer: 'viewer',
  };
});
afterAll(() => server.stop());

/** A selected field with what is selected of its value. */
interface Selected {
  readonly field: GraphQLField<unknown, unknown>;
  readonly alias: string | null;
  /** True if the field is included only if the variable `$yes` is true. */
  readonly isConditional: boolean;
  readonly text: string;
  readonly below: readonly Selected[];
}

/** The type of the records below a field: links for `nodes`, whose ids are those of links, and keys as authors. */
function recordsOf(type: GraphQLOutputType) {
  const named = getNamedType(type);
  const concrete = named.name === 'ChangeAuthor' ? 'ApiKey' : 'Link';
  const found = isAbstractType(named) ? schema.getType(concrete) : named;
  return isObjectType(found) ? found : null;
}

/**
 * Fields whose values differ from one request to the next, that need arguments, or whose records are of several types: a test of
 * `Change.record` is in `change-record.test.ts`.
 */
const SKIPPED = new Set([
  // Has records alone, which may be deeper than the selection goes: `apps.test.ts` reads it.
  'apps',
  // Costs too much below lists of lists: `value-series.test.ts` reads it.
  'sparkline',
  'rateLimit',
  'lastUsedAt',
  'statistics',
  'topLinks',
  'clicksIn',
  'qrCode',
  'record',
]);

function fieldsOf(type: GraphQLOutputType, depth: number): GraphQLField<unknown, unknown>[] {
  const fields = Object.values(recordsOf(type)?.getFields() ?? {}).filter(({ name }) => !SKIPPED.has(name));
  return fields.filter((field) => isLeafType(getNamedType(field.type)) || depth < MAX_DEPTH);
}

/** One level less for lists below lists, which would make answers large, and none for the links of each tag of a link. */
const levelsOf = ({ type, name }: GraphQLField<unknown, unknown>): number => {
  const isList = isListType(getNullableType(type));
  if (isList && getNamedType(type).name === 'Tag' && name === 'tags') return MAX_DEPTH;
  return isList || name === 'node' || name === 'pageInfo' ? 0 : 1;
};

function written({ name, args }: GraphQLField<unknown, unknown>): string {
  const given = args.flatMap((arg) => (listArgs[arg.name] ? `${arg.name}: ${listArgs[arg.name]}` : []));
  return given.length > 0 ? `${name}(${given.join()})` : name;
}

/** All fields down to the depth, once each. */
function whole(type: GraphQLOutputType, depth = 0): string {
  const fields = fieldsOf(type, depth).map((field) => {
    const below = recordsOf(field.type) ? whole(field.type, depth + levelsOf(field)) : '';
    return below === '' ? written(field) : `${written(field)} ${below}`;
  });
  const own = `{ ${fields.join(' ')} }`;
  return isAbstractType(getNamedType(type)) ? `{ ... on ${recordsOf(type)?.name} ${own} }` : own;
}

interface Choice {
  readonly conditional: boolean;
  /** True if records may have lists of their own, such as the links of each space. */
  readonly listsBelow: boolean;
}

/** A random selection of some of the fields, with aliases, fragments and conditions. */
function some(gen: GeneratorValue, type: GraphQLOutputType, depth: number, choice: Choice): Selected[] {
  const fields = fieldsOf(type, depth).filter(({ args }) => choice.listsBelow || args.length === 0);
  const names = fields.map(({ name }) => name);
  const chosen = gen(fc.shuffledSubarray, names, { minLength: 1, maxLength: Math.min(5, names.length) });
  return chosen.flatMap((name, index) => {
    const field = fields.find((one) => one.name === name);
    if (field === undefined) return [];
    const below = recordsOf(field.type) ? some(gen, field.type, depth + levelsOf(field), choice) : [];
    const alias = gen(fc.boolean) ? `a${index}` : null;
    const own = `${alias ? `${alias}: ` : ''}${written(field)}`;
    const isConditional = choice.conditional && gen(fc.boolean);
    const text = `${own}${isConditional ? ' @include(if: $yes)' : ''}${below.length > 0 ? ` ${textOf(gen, field.type, below)}` : ''}`;
    return [{ field, alias, isConditional, text, below }];
  });
}

function textOf(gen: GeneratorValue, type: GraphQLOutputType, selected: readonly Selected[]): string {
  const own = selected.map(({ text }) => text).join(' ');
  const inFragment = isAbstractType(getNamedType(type)) || gen(fc.boolean);
  return inFragment ? `{ ... on ${recordsOf(type)?.name} { ${own} } }` : `{ ${own} }`;
}

/** The expected value of the selection, from the whole record. */
function expected(value: unknown, selected: readonly Selected[], yes: boolean): unknown {
  if (value === null || selected.length === 0) return value;
  if (Array.isArray(value)) return value.map((one) => expected(one, selected, yes));
  const record = value as Record<string, unknown>;
  return Object.fromEntries(
    selected
      .filter(({ isConditional }) => yes || !isConditional)
      .map(({ field, alias, below }) => [alias ?? field.name, expected(record[field.name], below, yes)]),
  );
}

const queryFields = schema.getQueryType()?.getFields() ?? {};
/** Number of times that an operation is sent: at first it is interpreted, later compiled. */
const TIMES = 4;

test.each([
  'links',
  'links by clicks',
  'linkPage',
  'link',
  'nodes',
  'spaces',
  'tags',
  'space',
  'domains',
  'pixels',
  'changes',
  'webhooks',
  'viewer',
])('%s: any selection returns the values of the whole record', async (name) => {
  const root = roots[name] ?? '';
  const type = queryFields[root.replace(/\W.*/s, '')]?.type;
  if (type === undefined) throw new Error(`there is no field ${root}`);
  const all = await owner.data<Record<'of', unknown>>(`{ of: ${root} ${whole(type)} }`);
  await fc.assert(
    fc.asyncProperty(fc.gen(), fc.boolean(), async (gen, conditional) => {
      const selected = some(gen, type, 0, { conditional, listsBelow: true });
      const of = `of: ${root} ${textOf(gen, type, selected)}`;
      const query = conditional
        ? `query ($yes: Boolean!) { ${of} __typename @include(if: $yes) }`
        : `{ ${of} }`;
      for (let i = 0; i < TIMES; i++) {
        const yes = i % 2 === 0;
        const data = await owner.data<Record<'of', unknown>>(query, { yes });
        expect(data.of, query).toEqual(expected(all.of, selected, yes));
      }
    }),
    { numRuns: 12 },
  );
});

test.each(['links', 'spaces', 'tags', 'domains', 'pixels', 'changes', 'webhooks'])(
  '%s: any selection takes as many statements for three records as for one',
  async (name) => {
    const type = queryFields[name]?.type;
    if (type === undefined) throw new Error(`there is no field ${name}`);
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const text = textOf(gen, type, some(gen, type, 0, { conditional: false, listsBelow: false }));
        const statements = (first: number) =>
          server.statementsOf(() => owner.data(`{ ${name}(first: ${first}) ${text} }`));
        const [one, three] = [await statements(1), await statements(3)];
        expect(three, text).toHaveLength(one.length);
      }),
      { numRuns: 12 },
    );
  },
);

/** A link with its relations, and with a condition at each level. */
const fields = `
  id nodeId alias url shortUrl title clicks lastClickedAt status hasPassword privacy createdAt updatedAt
  blocked @include(if: $yes)
  expiration { at clicks url @include(if: $yes) }
  targeting { type countries { url @include(if: $yes) } }
  domain { name } space { name color @include(if: $yes) } pixels { name } ... on Link @include(if: $yes) { disabled }`;

test.each([
  ['a list', `links(first: 3) { nodes { ${fields} } }`],
  ['edges', `links(first: 3) { edges { cursor node { ${fields} } } }`],
  ['a page', `linkPage(perPage: 10) { items { ${fields} } }`],
  ['one link', `link(id: 2) { ${fields} }`],
  ['nodes', `nodes(nodeIds: ["TGluazox"]) { ... on Link { ${fields} } }`],
])('reads %s of whole links with one statement', async (_what, selection) => {
  const query = `query ($yes: Boolean!) { ${selection} }`;
  for (const yes of [true, false, true])
    expect(await server.statementsOf(() => owner.data(query, { yes }))).toHaveLength(1);
});
