import { type Permission as PermissionName, permissions } from '../domain/access/role.ts';
import { findSessions, MAX_SESSIONS } from '../domain/access/session.ts';
import { costs, STATEMENT_COST } from '../engine/graphql/cost/costs.ts';
import type { RateLimitState } from '../engine/rules/caller.ts';
import type { Session as SessionRow } from '../generated/sqlite/client.ts';
import { Account, ApiKey, Permission, Role, User } from './access.ts';
import { builder } from './builder.ts';

const RateLimit = builder.objectRef<RateLimitState>('RateLimit').implement({
  description:
    'How many requests the key or user may make. The headers X-RateLimit-… of every answer have the same values.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'How many requests it may make in a minute.' }),
    remaining: t.exposeInt('remaining', { description: 'How many are left until `resetAt`.' }),
    resetAt: t.expose('resetAt', { type: 'DateTime', description: 'When it may make all of them again.' }),
  }),
});

const Session = builder.objectRef<SessionRow>('Session').implement({
  description: 'A session of the user in a browser.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the session.' }),
    device: t.exposeString('device', { description: 'The User-Agent header of the browser.' }),
    signedInAt: t.expose('signedInAt', { type: 'DateTime', description: 'When the user signed in.' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', description: 'The last use, to about a minute.' }),
    isCurrent: t.boolean({
      description: 'Whether it is the session of this request.',
      resolve: ({ id }, _args, { actor }) => id === actor.session?.id,
    }),
  }),
});

const Viewer = builder.objectRef<object>('Viewer').implement({
  description: 'The caller.',
  fields: (t) => ({
    account: t.prismaField({
      type: Account,
      description: 'The account of the request.',
      resolve: (query, _viewer, _args, { db, actor }) =>
        db.prisma.account.findUniqueOrThrow({ ...query, where: { id: actor.accountId } }),
    }),
    rateLimit: t.field({
      type: RateLimit,
      nullable: true,
      description: 'The rate limit of the key or user; null if the service has none.',
      resolve: (_viewer, _args, { rateLimit }) => rateLimit,
    }),
    key: t.prismaField({
      type: ApiKey,
      nullable: true,
      description: 'The key of the request; null for a session.',
      resolve: (query, _viewer, _args, { db, actor: { keyId } }) =>
        keyId === null ? null : db.prisma.apiKey.findUniqueOrThrow({ ...query, where: { id: keyId } }),
    }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user who is signed in; null for a key.',
      extensions: costs({ work: STATEMENT_COST }),
      resolve: (_viewer, _args, { db, actor: { userId } }) =>
        userId === null ? null : db.prisma.user.findUniqueOrThrow({ where: { id: userId } }),
    }),
    role: t.field({
      type: Role,
      nullable: true,
      description: 'What the caller may do in the account; null for a key with scopes.',
      resolve: (_viewer, _args, { actor }) => actor.role,
    }),
    permissions: t.field({
      type: [Permission],
      description: 'What the caller may do, one by one.',
      extensions: costs({ size: Object.keys(permissions).length }),
      resolve: (_viewer, _args, { actor }): PermissionName[] => [...actor.permissions],
    }),
    sessions: t.field({
      type: [Session],
      description: "The user's own sessions, the last used first; empty for a key.",
      extensions: costs({ size: MAX_SESSIONS, work: STATEMENT_COST }),
      resolve: (_viewer, _args, { db, actor: { userId }, now }) =>
        userId === null ? [] : findSessions(db, userId, now()),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({ type: Viewer, description: 'Who sends the request, and the account.', resolve: () => ({}) }),
);
