import { type RateLimitState, scopes } from '../domain/access/actor.ts';
import { parseScopes } from '../domain/access/api-key.ts';
import { builder } from './builder.ts';
import { costs } from './cost/field-cost.ts';

export const Account = builder.prismaObject('Account', {
  select: { id: true },
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

const ApiKey = builder.prismaObject('ApiKey', {
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the key.' }),
    prefix: t.exposeString('prefix'),
    scopes: t.field({
      type: [Scope],
      select: { scopes: true },
      description: 'What the key may do.',
      extensions: costs({ size: scopes.length }),
      resolve: (key) => parseScopes(key.scopes),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
  }),
});

const RateLimit = builder.objectRef<RateLimitState>('RateLimit').implement({
  description:
    'How many requests the key may make. The headers X-RateLimit-… of every answer have the same values.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'How many requests it may make in a minute.' }),
    remaining: t.exposeInt('remaining', { description: 'How many are left until `resetAt`.' }),
    resetAt: t.expose('resetAt', { type: 'DateTime', description: 'When it may make all of them again.' }),
  }),
});

const Viewer = builder.objectRef<object>('Viewer').implement({
  description: 'The caller.',
  fields: (t) => ({
    account: t.prismaField({
      type: Account,
      description: 'The account of the key.',
      resolve: (query, _viewer, _args, { db, actor }) =>
        db.prisma.account.findUniqueOrThrow({ ...query, where: { id: actor.accountId } }),
    }),
    rateLimit: t.field({
      type: RateLimit,
      nullable: true,
      description: 'The rate limit of the key; null if the service has none.',
      resolve: (_viewer, _args, { rateLimit }) => rateLimit,
    }),
    key: t.prismaField({
      type: ApiKey,
      description: 'The key of the request.',
      resolve: (query, _viewer, _args, { db, actor }) =>
        db.prisma.apiKey.findUniqueOrThrow({ ...query, where: { id: actor.keyId } }),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({ type: Viewer, description: 'The account and the key of the request.', resolve: () => ({}) }),
);
