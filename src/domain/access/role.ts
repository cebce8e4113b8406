import { choiceSchema } from '../../engine/rules/input.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';

/** Roles of members and keys, lowest first. Each role includes the ones before it. */
export const roles = {
  VIEWER: 'Reads everything but secrets.',
  EDITOR: 'Also writes links, spaces, tags, pixels, UTM templates and saved views.',
  ADMIN: 'Also manages domains, webhooks, saved operations, keys, and people up to admins.',
  OWNER: 'Also manages owners, and the name of the account.',
} as const;

export type Role = keyof typeof roles;

export const roleInput = (description: string) => choiceSchema(roles).meta({ title: 'Role', description });

export const roleNames = keysOf(roles);
const ranks: readonly string[] = roleNames;

export function isRole(text: string): text is Role {
  return ranks.includes(text);
}

/** True if the role has all permissions of the other one. */
export function isAtLeast(role: Role, other: Role): boolean {
  return ranks.indexOf(role) >= ranks.indexOf(other);
}

export function lowerRole(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one;
}

/** A role in an account that people get with a value of a claim of the OpenID provider. */
export interface RoleRule {
  readonly value: string;
  /** The id or the operator's name of the account. */
  readonly account: string;
  readonly role: Role;
}

export const scopes = ['read', 'write'] as const;
export type Scope = (typeof scopes)[number];

export function parseScopes(stored: string): Scope[] {
  return scopes.filter((scope) => stored.split(' ').includes(scope));
}

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text);
}

interface Rule {
  readonly description: string;
  /** The lowest role that may. */
  readonly role: Role;
  /** The scope with which a key without a role may; null if none does. */
  readonly scope: Scope | null;
}

/** All that may be done, and who may. */
export const permissions = {
  READ: {
    description: 'Read records and statistics.',
    role: 'VIEWER',
    scope: 'read',
  },
  READ_PEOPLE: {
    description: 'Read members, invitations and keys, without secrets.',
    role: 'VIEWER',
    scope: null,
  },
  WRITE: {
    description: 'Write links, spaces, tags, pixels, UTM templates and saved views.',
    role: 'EDITOR',
    scope: 'write',
  },
  DOMAINS: { description: 'Manage domains.', role: 'ADMIN', scope: 'write' },
  WEBHOOKS: { description: 'Manage webhooks.', role: 'ADMIN', scope: 'write' },
  OPERATIONS: { description: 'Save operations.', role: 'ADMIN', scope: 'write' },
  KEYS: { description: 'Make and revoke keys.', role: 'ADMIN', scope: null },
  PEOPLE: { description: 'Invite, change and remove people up to the own role.', role: 'ADMIN', scope: null },
  ACCOUNT: {
    description: 'Change the name of the account, and delete values from its history.',
    role: 'OWNER',
    scope: null,
  },
} as const satisfies Record<string, Rule>;

export type Permission = keyof typeof permissions;

const rules = Object.entries(permissions) as [Permission, Rule][]; // The entries of the table above.

const permitted = (isMet: (rule: Rule) => boolean): ReadonlySet<Permission> =>
  new Set(rules.flatMap(([name, rule]) => (isMet(rule) ? [name] : [])));

export function permissionsOf(role: Role): ReadonlySet<Permission> {
  return permitted((rule) => isAtLeast(role, rule.role));
}

/** The permissions of a key without a role. */
export function permissionsOfScopes(given: readonly Scope[]): ReadonlySet<Permission> {
  return permitted(({ scope }) => scope !== null && given.includes(scope));
}
