import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { isObjectType } from 'graphql';
import { createSchema, createYoga } from 'graphql-yoga';
import { describe, expect, test } from 'vitest';
import { documentIdIn, keepBody, modelIn, plannedBy } from '../../../src/engine/graphql/private.ts';
import { schema } from '../../../src/schema/index.ts';

function typeNamed(name: string) {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is no object type`);
  return type;
}

const fieldOf = (type: string, name: string) => plannedBy(typeNamed(type).getFields()[name]?.extensions);

describe("Pothos' Prisma plugin", () => {
  test('says which columns a field selects', () => {
    expect(fieldOf('Link', 'title')).toEqual({ select: { title: true }, relation: undefined });
  });

  test('says which relation a field is', () => {
    expect(fieldOf('Link', 'space')).toMatchObject({
      select: expect.any(Function),
      relation: { name: 'space', isList: false },
    });
  });

  test('says which model a type has', () => {
    expect(modelIn(typeNamed('Link').extensions)).toBe('Link');
  });
});

describe('Yoga', () => {
  test('takes the text of a body that was read already', async () => {
    const yoga = createYoga({
      schema: createSchema({ typeDefs: 'type Query { one: Int }', resolvers: { Query: { one: () => 1 } } }),
      logging: false,
    });
    const req = new IncomingMessage(new Socket());
    Object.assign(req, { method: 'POST', url: '/graphql' });
    req.headers = { host: 'localhost', 'content-type': 'application/json' };
    keepBody(req, JSON.stringify({ query: '{ one }' }));
    const { body } = await yoga.handleNodeRequestAndResponse(req, {} as never);
    expect(await new Response(body).json()).toEqual({ data: { one: 1 } });
  });

  test('passes on the id of a trusted document', async () => {
    const ids: unknown[] = [];
    const yoga = createYoga({
      schema: createSchema({ typeDefs: 'type Query { one: Int }', resolvers: { Query: { one: () => 1 } } }),
      plugins: [{ onParams: ({ params }) => void ids.push(documentIdIn(params)) }],
      logging: false,
    });
    const body = JSON.stringify({ query: '{ one }', documentId: 'abc' });
    const headers = { 'content-type': 'application/json' };
    await yoga.fetch('http://localhost/graphql', { method: 'POST', headers, body });
    expect(ids).toEqual(['abc']);
  });
});
