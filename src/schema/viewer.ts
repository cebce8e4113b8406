import { scopes } from '../domain/access/actor.ts';
import { parseScopes } from '../domain/access/api-key.ts';
import { builder } from './builder.ts';
import { costs } from './server/cost.ts';

export const Account = builder.prismaObject('Account', {
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the account.' }),
    name: t.exposeString('name'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const Scope = builder.enumType('Scope', {
  description: 'What an API key may do.',
  values: {
    READ: { value: scopes[0], description: 'Queries.' },
    WRITE: { value: scopes[1], description: 'Mutations.' },
  },
});

export const ApiKey = builder.prismaObject('ApiKey', {
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the key.' }),
    prefix: t.exposeString('prefix'),
    scopes: t.field({
      type: [Scope],
      description: 'What the key may do.',
      extensions: costs({ size: scopes.length }),
      resolve: (key) => parseScopes(key.scopes),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
  }),
});

const Viewer = builder.objectRef<object>('Viewer').implement({
  description: 'The caller.',
  fields: (t) => ({
    account: t.prismaField({
      type: Account,
      description: 'The account of the key.',
      resolve: (query, _viewer, _args, { db, actor }) =>
        db.account.findUniqueOrThrow({ ...query, where: { id: actor.accountId } }),
    }),
    key: t.prismaField({
      type: ApiKey,
      description: 'The key of the request.',
      resolve: (query, _viewer, _args, { db, actor }) =>
        db.apiKey.findUniqueOrThrow({ ...query, where: { id: actor.keyId } }),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({ type: Viewer, description: 'The account and the key of the request.', resolve: () => ({}) }),
);
