import { DomainError } from '../../engine/rules/errors.ts';
import { refusal } from '../rules.ts';
import type { Actor } from './actor.ts';
import { isAtLeast, isRole } from './role.ts';

/** Milliseconds for which a sign-in allows operations whose results outlast the session. */
const RECENT = 15 * 60 * 1000;

/** The parts of a request that decide whether it needs a recent sign-in. */
interface Touched {
  /** The roles that are given or taken. */
  readonly roles?: readonly string[];
  /** True if the URL of a webhook is set. */
  readonly setsUrl?: boolean;
  /** True if an identity of the OpenID provider is linked to the user. */
  readonly links?: boolean;
}

type Need = (touched: Touched) => boolean;

const always: Need = () => true;
const never: Need = () => false;
/** For roles that can make keys, which outlast the session. */
const highRoles: Need = ({ roles = [] }) => roles.some((role) => isRole(role) && isAtLeast(role, 'ADMIN'));
const ofUrls: Need = ({ setsUrl = false }) => setsUrl;
const ofLinking: Need = ({ links = false }) => links;

/**
 * The mutations and the paths below `/auth`, and when a session needs a sign-in of the last 15 minutes for them: when they give access
 * that outlasts the session. A key has its role instead.
 */
const needs = {
  createLink: never,
  createLinks: never,
  upsertLink: never,
  duplicateLink: never,
  updateLink: never,
  updateLinks: never,
  deleteLink: never,
  deleteLinks: never,
  importLinks: never,
  resetStatistics: never,
  createSpace: never,
  updateSpace: never,
  deleteSpace: never,
  createTag: never,
  updateTag: never,
  deleteTag: never,
  mergeTags: never,
  revertChange: never,
  revertChanges: never,
  forgetChanges: never,
  createPixel: never,
  updatePixel: never,
  deletePixel: never,
  createSavedOperation: never,
  updateSavedOperation: never,
  deleteSavedOperation: never,
  createSavedView: never,
  updateSavedView: never,
  deleteSavedView: never,
  createUtmTemplate: never,
  updateUtmTemplate: never,
  deleteUtmTemplate: never,
  createDomain: never,
  updateDomain: never,
  verifyDomain: never,
  deleteDomain: never,
  createWebhook: always,
  updateWebhook: ofUrls,
  deleteWebhook: never,
  rotateWebhookSecret: always,
  redeliver: never,
  testWebhook: never,
  inviteMember: highRoles,
  revokeInvitation: highRoles,
  updateMember: highRoles,
  removeMember: highRoles,
  createApiKey: always,
  revokeApiKey: always,
  updateAccount: never,
  revokeSession: never,
  'GET /auth/methods': never,
  'GET /auth/about': never,
  'GET /auth/session': never,
  'GET /auth/profile': never,
  'GET /auth/lasting-access': never,
  'GET /auth/oidc': ofLinking,
  'GET /auth/oidc/callback': ofLinking,
  'POST /auth/oidc': ofLinking,
  'POST /auth/token': never,
  'POST /auth/welcome': never,
  'POST /auth/sign-in': never,
  'POST /auth/accept': never,
  'POST /auth/reset': never,
  'POST /auth/forgot': never,
  'POST /auth/sign-out': never,
  'POST /auth/download': never,
  'POST /auth/profile': never,
  'POST /auth/password': always,
  'POST /auth/email': always,
  'POST /auth/email/undo': never,
  'POST /auth/confirm': always,
  'POST /auth/session/remove': never,
  'POST /auth/lasting-access/end': always,
  'POST /auth/passkey/sign-in-options': never,
  'POST /auth/passkey/sign-in': never,
  'POST /auth/passkey/registration-options': always,
  'POST /auth/passkey/register': always,
  'POST /auth/passkey/remove': always,
  'POST /auth/identity/remove': always,
} as const satisfies Record<string, Need>;

/** A mutation, or the method and path of a request below `/auth`. */
export type Operation = keyof typeof needs;

export const operations: readonly string[] = Object.keys(needs);

function isOperation(name: string): name is Operation {
  return Object.hasOwn(needs, name);
}

/** The operation with a name. @throws Error for one that the table above lacks */
export function operationNamed(name: string): Operation {
  if (!isOperation(name)) throw new Error(`src/domain/access/recent-sign-in.ts has no entry for ${name}`);
  return name;
}

/** Returns which requests of an operation need a recent sign-in. */
export function whoSignsInAgain(operation: Operation): 'ALL' | 'SOME' | 'NONE' {
  const need: Need = needs[operation];
  if (need === never) return 'NONE';
  return need === always ? 'ALL' : 'SOME';
}

/** @throws DomainError FORBIDDEN if the caller is a user who signed in too long ago for the operation */
export function requireRecentSignIn(
  caller: Pick<Actor, 'clock'> & {
    readonly session: Pick<NonNullable<Actor['session']>, 'signedInAt'> | null;
  },
  operation: Operation,
  now: Date,
  touched: Touched = {},
): void {
  const { session } = caller;
  const time = caller.clock?.() ?? now;
  if (session === null || time.getTime() - session.signedInAt.getTime() <= RECENT) return;
  const need: Need = needs[operation];
  if (need(touched)) throw new DomainError('FORBIDDEN', refusal('SIGN_IN_AGAIN'));
}
