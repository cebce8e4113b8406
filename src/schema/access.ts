import { brandWithType } from '@pothos/core';
import { accountName, updateAccount, updateAccountInput } from '../domain/access/account.ts';
import type { Actor } from '../domain/access/actor.ts';
import { createApiKey, createApiKeyInput, revokeApiKey } from '../domain/access/api-key.ts';
import { type BrandColumns, hasBrand, logoPath } from '../domain/access/brand.ts';
import {
  type Invitation as InvitationRow,
  invitationInput,
  inviteMember,
  revokeInvitation,
} from '../domain/access/invitation.ts';
import {
  type Membership,
  peopleConnection,
  peopleWithIds,
  removeMember,
  updateMember,
  updateMemberInput,
} from '../domain/access/member.ts';
import { parseScopes, permissions, type Role as RoleName, roles, scopes } from '../domain/access/role.ts';
import { revokeSession } from '../domain/access/session.ts';
import { costs } from '../engine/graphql/cost/costs.ts';
import type { ApiKey as ApiKeyRow } from '../generated/sqlite/client.ts';
import { builder } from './builder.ts';
import { changeCost } from './cost/field-cost.ts';
import { enumType, inputType } from './domain-types.ts';
import { LinkPrivacy } from './link/privacy.ts';
import { defineConnection } from './list.ts';
import { findNodes, Node } from './node.ts';
import { idArgs } from './record-fields.ts';
import {
  asDeleted,
  DeletedRecord,
  defineResult,
  NotFoundError,
  ValidationError,
  withFailures,
} from './result.ts';

const Brand = builder.objectRef<BrandColumns>('Brand').implement({
  description: 'What pages for visitors show of the account.',
  fields: (t) => ({
    logoUrl: t.field({
      type: 'URL',
      nullable: true,
      description: 'The logo, a PNG on the host of the service. An input takes it as `logo`, too.',
      resolve: ({ brandLogo }, _args, { services }) =>
        brandLogo === null ? null : `${services.baseUrl}${logoPath(brandLogo)}`,
    }),
    colour: t.exposeString('brandColour', {
      nullable: true,
      description: 'The colour of buttons, as `#rrggbb`: dark enough for white text.',
    }),
    name: t.exposeString('brandName', { nullable: true, description: 'The name that visitors see.' }),
    helpUrl: t.field({
      type: 'URL',
      nullable: true,
      description: 'A page that helps visitors.',
      resolve: ({ brandHelpUrl }) => brandHelpUrl,
    }),
  }),
});

export const Account = builder.prismaObject('Account', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the account.' }),
    name: t.string({
      select: { name: true, title: true },
      description: 'The name of the account, which an owner can change.',
      resolve: accountName,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    defaultPrivacy: t.expose('defaultPrivacy' as never, {
      type: LinkPrivacy,
      description:
        'The privacy that the console gives new links: PUBLIC or PRIVATE. `createLink` and v1 do not use it: send it as `privacy`.',
    }),
    brand: t.field({
      type: Brand,
      nullable: true,
      select: { brandLogo: true, brandColour: true, brandName: true, brandHelpUrl: true },
      description: 'What pages for visitors show of the account; null for none.',
      resolve: (account) => (hasBrand(account) ? account : null),
    }),
  }),
});

export const Role = enumType('Role', 'What a member of an account, or a key, may do.', roles);

const Scope = builder.enumType('Scope', {
  description: 'What an API key without a role may do.',
  values: {
    READ: { value: scopes[0], description: 'Queries.' },
    WRITE: { value: scopes[1], description: 'Mutations.' },
  },
});

export const Permission = enumType(
  'Permission',
  'What a caller may do.',
  Object.fromEntries(Object.entries(permissions).map(([name, { description }]) => [name, description])) as {
    [Name in keyof typeof permissions]: string; // The names stay.
  },
);

const mayReadPeople = ({ permissions: own }: Actor) => own.has('READ_PEOPLE');

/** A user, for those who may see them. */
export interface UserView {
  readonly id: number;
  readonly name: string;
  /** Null for a former member. */
  readonly email: string | null;
}

export const User = builder.objectRef<UserView>('User').implement({
  description: 'A person.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the user.' }),
    name: t.string({
      description:
        'The name; `Former member` for one who has left the account, and `Member` for a key with scopes.',
      resolve: ({ name }, _args, { actor }) => (mayReadPeople(actor) ? name : 'Member'),
    }),
    email: t.string({
      nullable: true,
      description: 'The email address; null for a former member, and for a key with scopes.',
      resolve: ({ email }, _args, { actor }) => (mayReadPeople(actor) ? email : null),
    }),
  }),
});

export const ApiKey = builder.prismaObject('ApiKey', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the key.' }),
    name: t.string({
      select: { name: true },
      description: 'The name of the key; empty for one that the operator made.',
      // As not null as that of users, so that one query can ask for both as authors.
      resolve: ({ name }) => name ?? '',
    }),
    prefix: t.exposeString('prefix'),
    role: t.field({
      type: Role,
      nullable: true,
      select: { role: true },
      description: 'The role of the key, at most that of its maker; null for a key with scopes.',
      // The table has only roles.
      resolve: ({ role }) => role as RoleName | null,
    }),
    scopes: t.field({
      type: [Scope],
      select: { scopes: true },
      description: 'What the key may do; empty for a key with a role.',
      extensions: costs({ size: scopes.length }),
      resolve: (key) => parseScopes(key.scopes),
    }),
    maker: t.field({
      type: User,
      nullable: true,
      select: { maker: { select: { user: { select: { id: true, name: true, email: true } } } } },
      description: 'The member who made the key; null if it was the operator, and for a key with scopes.',
      extensions: costs({ work: 2 }),
      resolve: ({ maker }, _args, { actor }) => (mayReadPeople(actor) ? maker?.user : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
  }),
});

export const ChangeAuthor = builder.unionType('ChangeAuthor', {
  description: 'Who made a change.',
  types: [User, ApiKey],
});

type Author = typeof ChangeAuthor.$inferType;

function asUser(user: UserView): Author {
  brandWithType(user, User);
  return user;
}

function asKey(key: { id: number }): Author {
  brandWithType(key, ApiKey);
  return key as Author; // The brand says so.
}

/** The name of a user who is no longer a member. */
const FORMER = 'Former member';

/** The columns of a user who did something in an account. */
export const authorColumns = {
  ...{ id: true, name: true, email: true },
  memberships: { select: { accountId: true } },
} as const;

/** The columns of a key that did something. */
export const authorKeyColumns = { id: true, name: true, prefix: true } as const;

/** Returns the author of an action in an account: the key, if a key did it, or else the user. */
export function findAuthor(
  accountId: number | null,
  key: { id: number } | null,
  user: (UserView & { memberships: readonly { accountId: number }[] }) | null,
): Author | null {
  if (key !== null) return asKey(key);
  if (user === null) return null;
  const isMember = user.memberships.some((one) => one.accountId === accountId);
  return asUser(isMember ? user : { id: user.id, name: FORMER, email: null });
}

const Member = builder.prismaObject('Membership', {
  name: 'Member',
  select: { id: true },
  interfaces: [Node],
  description: 'A member of the account.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the membership.' }),
    user: t.field({
      type: User,
      select: { user: { select: { id: true, name: true, email: true } } },
      description: 'The person.',
      extensions: costs({ work: 1 }),
      resolve: ({ user }) => user,
    }),
    role: t.field({
      type: Role,
      select: { role: true },
      description: 'What the member may do.',
      resolve: ({ role }) => role as RoleName, // The table has only roles.
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

/** An invitation; after it was made, with the token of its link. */
type InvitationView = InvitationRow & { readonly token?: string };

const Invitation = builder.objectRef<InvitationView>('Invitation').implement({
  description: 'An invitation to the account.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the invitation.' }),
    email: t.exposeString('email', { description: 'The address that the invitation is for.' }),
    role: t.field({
      type: Role,
      description: 'The role that the person gets.',
      resolve: ({ role }) => role as RoleName, // The table has only roles.
    }),
    url: t.field({
      type: 'URL',
      nullable: true,
      description: 'The link for the person, in the answer of `inviteMember` only; else null.',
      resolve: ({ token }, _args, { services }) =>
        token === undefined ? null : services.pageUrl('accept', token),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the person was invited.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the invitation ends.' }),
  }),
});

findNodes(Account, ({ db, actor }, ids) =>
  db.prisma.account.findMany({ where: { id: { in: ids.filter((id) => id === actor.accountId) } } }),
);
for (const [type, table] of [
  [Member, 'membership'],
  [Invitation, 'invitation'],
  [ApiKey, 'apiKey'],
] as const)
  findNodes(type, async ({ db, actor }, ids) =>
    mayReadPeople(actor) ? peopleWithIds(db, actor, table, ids) : [],
  );

builder.queryFields((t) => {
  const of = 'of the account, oldest first, paginated by cursor.';
  return {
    members: t.field({
      ...defineConnection('Member', 'members', Member),
      description: `The members ${of}`,
      resolve: (_root, args, { lists, actor, now }) =>
        peopleConnection<Membership>(lists, actor, 'Membership', args, now()),
    }),
    invitations: t.field({
      ...defineConnection('Invitation', 'invitations', Invitation),
      description: `The open invitations, which are neither accepted nor expired, ${of}`,
      resolve: (_root, args, { lists, actor, now }) =>
        peopleConnection<InvitationView>(lists, actor, 'Invitation', args, now()),
    }),
    apiKeys: t.field({
      ...defineConnection('ApiKey', 'keys', ApiKey),
      description: `The keys that are not revoked, also expired ones, ${of}`,
      resolve: (_root, args, { lists, actor, now }) =>
        peopleConnection<ApiKeyRow>(lists, actor, 'ApiKey', args, now()),
    }),
  };
});

const CreatedApiKey = builder.objectRef<{ key: string; apiKey: ApiKeyRow }>('CreatedApiKey').implement({
  description: 'A new key.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key itself, which is shown only here.' }),
    apiKey: t.field({ type: ApiKey, description: 'The record of the key.', resolve: ({ apiKey }) => apiKey }),
  }),
});

const InviteInput = inputType('InviteMemberInput', 'A person to invite.', invitationInput);
const KeyInput = inputType('CreateApiKeyInput', 'A new key.', createApiKeyInput);
const AccountInput = inputType('UpdateAccountInput', 'Changes to the account.', updateAccountInput);
const MemberInput = inputType('UpdateMemberInput', 'Changes to a member.', updateMemberInput);

builder.mutationFields((t) => ({
  inviteMember: t.field({
    type: defineResult('InviteMember', 'The invitation', Invitation, [ValidationError]),
    description:
      'Invites a person, for 7 days, in place of an earlier invitation. The response does not reveal whether the address has a user.',
    extensions: changeCost,
    args: { input: t.arg({ type: InviteInput, required: true, description: 'Whom to invite.' }) },
    resolve: withFailures((_root, { input }, { db, actor, services, now, acceptLanguage, keyed }) =>
      inviteMember(db, actor, services, input, now(), acceptLanguage).then(({ invitation, token }) => {
        keyed?.hide(services.pageUrl('accept', token));
        return { ...invitation, token };
      }),
    ),
  }),
  updateMember: t.field({
    type: defineResult('UpdateMember', 'The changed member', Member, [ValidationError, NotFoundError]),
    description:
      'Gives a member another role. The sessions of somebody who gets a lower one end, unless they are in another account, too.',
    extensions: changeCost,
    args: {
      ...idArgs('member'),
      input: t.arg({ type: MemberInput, required: true, description: 'What to change.' }),
    },
    resolve: withFailures((_root, { id, input }, { db, actor, now }) =>
      updateMember(db, actor, id, input, now()),
    ),
  }),
  removeMember: t.field({
    type: defineResult('RemoveMember', 'The removed member', DeletedRecord, [ValidationError, NotFoundError]),
    description: 'Ends a membership, with its keys and invitations. Everybody may end their own.',
    extensions: changeCost,
    args: {
      ...idArgs('member'),
      disableWebhooks: t.arg.boolean({
        defaultValue: false,
        description:
          'Whether webhooks are disabled that this person or a key of theirs made, or whose URL or secret they set last.',
      }),
    },
    resolve: withFailures((_root, { id, disableWebhooks }, { db, actor, now }) =>
      asDeleted('Member', removeMember(db, actor, id, now(), disableWebhooks ?? false)),
    ),
  }),
  revokeInvitation: t.field({
    type: defineResult('RevokeInvitation', 'The revoked invitation', DeletedRecord, [NotFoundError]),
    description: 'Revokes an invitation.',
    extensions: changeCost,
    args: idArgs('invitation'),
    resolve: withFailures((_root, { id }, { db, actor, now }) =>
      asDeleted('Invitation', revokeInvitation(db, actor, id, now())),
    ),
  }),
  createApiKey: t.field({
    type: defineResult('CreateApiKey', 'The new key', CreatedApiKey, [ValidationError]),
    description:
      'Makes a key for a program. It ends with the membership of its maker, and with the key that made it.',
    extensions: changeCost,
    args: { input: t.arg({ type: KeyInput, required: true, description: 'The new key.' }) },
    resolve: withFailures((_root, { input }, { db, actor, now, keyed }) =>
      createApiKey(db, actor, input, now()).then((made) => {
        keyed?.hide(made.key);
        return made;
      }),
    ),
  }),
  revokeApiKey: t.field({
    type: defineResult('RevokeApiKey', 'The revoked key', DeletedRecord, [NotFoundError]),
    description: 'Revokes a key, and all that it made: every process refuses them within a second.',
    extensions: changeCost,
    args: {
      ...idArgs('key'),
      disableWebhooks: t.arg.boolean({
        defaultValue: false,
        description:
          'Whether webhooks are disabled that the revoked keys made, or whose URL or secret they set last.',
      }),
    },
    resolve: withFailures((_root, { id, disableWebhooks }, { db, actor, now }) =>
      asDeleted('ApiKey', revokeApiKey(db, actor, id, now(), disableWebhooks ?? false)),
    ),
  }),
  revokeSession: t.field({
    type: defineResult('RevokeSession', 'The ended session', DeletedRecord, [NotFoundError]),
    description: "Ends one of the user's own sessions: every process refuses it within a second.",
    extensions: changeCost,
    args: idArgs('session'),
    resolve: withFailures((_root, { id }, { db, actor }) =>
      asDeleted('Session', revokeSession(db, actor, id)),
    ),
  }),
  updateAccount: t.field({
    type: defineResult('UpdateAccount', 'The changed account', Account, [ValidationError]),
    description: 'Changes the account.',
    extensions: changeCost,
    args: { input: t.arg({ type: AccountInput, required: true, description: 'What to change.' }) },
    resolve: withFailures((_root, { input }, { db, actor, services, now }) =>
      updateAccount(db, actor, services, input, now()),
    ),
  }),
}));
