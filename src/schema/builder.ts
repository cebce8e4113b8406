import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import '../engine/graphql/error-limit.ts';
import '../engine/graphql/loaded-rows.ts';
import type PrismaTypes from '../generated/pothos.ts';
import { getDatamodel } from '../generated/pothos.ts';
import type { Context } from './context.ts';

interface SchemaTypes {
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string | number };
    DateTime: { Input: string; Output: Date | string };
    URL: { Input: never; Output: string };
    Date: { Input: string; Output: string };
  };
}

export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;

export const builder = new SchemaBuilder<SchemaTypes>({
  // The first is the outermost.
  plugins: ['errorLimit', 'loaded', PrismaPlugin],
  defaultFieldNullability: false,
  prisma: {
    // Pothos' type asks for a method that it does not call, and that transactions do not have.
    client: (context) => context.db.prisma as PrismaClient,
    dmmf: getDatamodel(),
    exposeDescriptions: { models: true, fields: true },
  },
});

builder.queryType({ description: 'All queries. They need a key with the scope `read`.' });
builder.mutationType({
  description:
    'All mutations. They need a key with the scope `write`. Expected failures are part of the result.',
});
builder.subscriptionType({
  description:
    'All subscriptions, as server-sent events: a POST with `Accept: text/event-stream`. They need a key with the scope `read`.',
});
