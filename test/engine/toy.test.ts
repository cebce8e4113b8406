// The engine on one page: a product with a table of notes, a GraphQL type, a list and two REST routes.
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { changing } from '../../src/engine/changes/log.ts';
import type { Data } from '../../src/engine/db/database.ts';
import { RequestData } from '../../src/engine/db/request-data.ts';
import { columnsIn, sql } from '../../src/engine/db/sql.ts';
import type { Api, Execution } from '../../src/engine/graphql/api.ts';
import { runOwn } from '../../src/engine/graphql/pipeline.ts';
import { is } from '../../src/engine/lists/conditions.ts';
import { ListReader } from '../../src/engine/lists/list-reader.ts';
import { byCreation, type EdgesInput, readConnection } from '../../src/engine/lists/pagination.ts';
import { success } from '../../src/engine/rest/answer.ts';
import { integerField, textField } from '../../src/engine/rest/form/field.ts';
import { route } from '../../src/engine/rest/route.ts';
import { createRestRouter } from '../../src/engine/rest/router.ts';
import { parseInput, textSchema } from '../../src/engine/rules/input.ts';
import { sendTo, type ToyRequest, toyDatabase, toyRequest } from '../support/toy.ts';

interface Note {
  readonly id: number;
  readonly text: string;
}

// Rules: an input is a schema, and a change is a transaction that also records it in the log.
const noteInput = z.object({ text: textSchema(1, 20) });

async function addNote(db: Data, request: ToyRequest, input: z.input<typeof noteInput>): Promise<Note> {
  const { text } = parseInput(noteInput, input);
  const { accountId, keyId } = request.actor;
  return changing(db, async (tx, record) => {
    const [id = 0] = await tx.insertMany('Note', [{ accountId, text }]);
    const change = { action: 'CREATED', kind: 'NOTE', recordId: id, fields: ['text'] };
    await record([{ accountId, keyId, at: request.now(), ...change }]);
    return { id, text };
  });
}

// Lists: the engine reads them by keyset, and batches those of one tick.
function notes(lists: ListReader, { actor }: ToyRequest, input: EdgesInput) {
  return readConnection<Note>(lists, byCreation('Note', is('accountId', actor.accountId)), input);
}

// GraphQL: types and resolvers, and a context that has the data of one execution.
type Context = ToyRequest & Execution & { readonly db: Data; readonly lists: ListReader };

type Resolver = GraphQLFieldResolver<unknown, Context>;

function schemaWith(resolvers: Readonly<Record<string, Resolver>>): GraphQLSchema {
  const schema = buildSchema(`
    type Note { id: ID!, text: String! }
    type Edge { node: Note!, cursor: String! }
    type Notes { edges: [Edge!]!, total: Int! }
    type Query { notes(first: Int, after: String): Notes! }
    type Mutation { addNote(text: String!): Note! }`);
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(type?.getFields() ?? {})) field.resolve = resolvers[field.name];
  return schema;
}

const schema = schemaWith({
  notes: (_root, args, context) => notes(context.lists, context, args),
  addNote: (_root, { text }, context) => addNote(context.db, context, { text }),
});

const api: Api<ToyRequest, Context> = {
  schema,
  coveredSchema: () => schema,
  readsRelations: () => false,
  permissionFor: (operation) => (operation === 'mutation' ? 'WRITE' : 'READ'),
  requirePermission() {},
  limits: {},
  rollsBack: () => false,
  contextOf(request, execution) {
    const { data, actor } = request;
    const source = execution.operation.isMutation ? data.primary : data.reader();
    const db = new RequestData(source, execution.ask, execution.deadline);
    return { ...request, ...execution, db, lists: new ListReader(db, actor.accountId, execution.signal) };
  },
};

// REST: a route is data. It runs a document, and encodes what that gives.
const listDocument: TypedDocumentNode<
  { notes: { total: number; edges: { cursor: string; node: Note }[] } },
  { first?: number; after?: string }
> = parse(`query ($first: Int, $after: String) {
  notes(first: $first, after: $after) { total edges { cursor node { id text } } }
}`);
const addDocument: TypedDocumentNode<{ addNote: Note }, { text?: string }> = parse(
  'mutation ($text: String!) { addNote(text: $text) { id text } }',
);

const routes = [
  route({
    methods: ['GET'],
    path: '/notes',
    fields: { size: integerField('first'), after: textField('after') },
    schema: z.object({ first: z.int().optional(), after: z.string().optional() }),
    document: listDocument,
    variables: (input) => input,
    encode: ({ notes: { total, edges } }) =>
      success({ total, notes: edges.map(({ node }) => node.text), next: edges.at(-1)?.cursor }),
  }),
  route({
    methods: ['POST'],
    path: '/notes',
    fields: { text: textField('text') },
    schema: noteInput,
    document: addDocument,
    variables: (input) => input,
    encode: ({ addNote }) => success({ note: addNote }, 201),
  }),
];

test('a product of one table has a list, changes, and writes that are done once', async () => {
  const database = await toyDatabase({ columnsOf: { Note: columnsIn('Note', ['id', 'text']) } });
  const isSqlite = database.provider === 'sqlite';
  const id = isSqlite ? sql`INTEGER PRIMARY KEY AUTOINCREMENT` : sql`SERIAL PRIMARY KEY`;
  await database.execute(sql`CREATE TABLE "Note" ("id" ${id}, "accountId" INTEGER, "text" TEXT)`);
  const changes: string[] = [];
  database.changes.on('change', ({ action, kind }) => changes.push(`${action} ${kind}`));

  const run = <Given, Answer>(
    document: TypedDocumentNode<Answer, Given>,
    given: Given,
    request: ToyRequest,
  ) => runOwn(api, document, given, request);
  const readRequest = async () => toyRequest(database);
  const common = { baseUrl: 'https://toy.example', readRequest, requirePermission() {}, report() {} };
  const send = await sendTo(createRestRouter({ ...common, routes, run }));

  expect(await send('/notes', 'one', 'a key')).toEqual({ note: { id: '1', text: 'one' }, status: 201 });
  expect(await send('/notes', 'one', 'a key')).toEqual({ note: { id: '1', text: 'one' }, status: 201 });
  expect(await send('/notes', 'two')).toMatchObject({ status: 201 });
  expect(await send('/notes', 'a text of more than 20 characters')).toMatchObject({ status: 422 });
  expect(changes).toEqual(['CREATED NOTE', 'CREATED NOTE']);
  const first = await send('/notes?size=1');
  expect(first).toMatchObject({ total: 2, notes: ['one'] });
  expect(await send(`/notes?after=${first.next}`)).toMatchObject({ total: 2, notes: ['two'] });
});
