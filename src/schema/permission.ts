import { OperationTypeNode } from 'graphql';
import type { Permission } from '../domain/access/role.ts';

/** Permissions that root fields need; any other query or subscription needs READ. */
const queries: Readonly<Record<string, Permission>> = {
  members: 'READ_PEOPLE',
  invitations: 'READ_PEOPLE',
  apiKeys: 'READ_PEOPLE',
};
const mutations: Readonly<Record<string, Permission>> = {
  createLink: 'WRITE',
  createLinks: 'WRITE',
  upsertLink: 'WRITE',
  duplicateLink: 'WRITE',
  updateLink: 'WRITE',
  updateLinks: 'WRITE',
  deleteLink: 'WRITE',
  deleteLinks: 'WRITE',
  importLinks: 'WRITE',
  resetStatistics: 'WRITE',
  createSpace: 'WRITE',
  updateSpace: 'WRITE',
  deleteSpace: 'WRITE',
  createTag: 'WRITE',
  updateTag: 'WRITE',
  deleteTag: 'WRITE',
  mergeTags: 'WRITE',
  revertChange: 'WRITE',
  revertChanges: 'WRITE',
  createPixel: 'WRITE',
  updatePixel: 'WRITE',
  deletePixel: 'WRITE',
  createUtmTemplate: 'WRITE',
  updateUtmTemplate: 'WRITE',
  deleteUtmTemplate: 'WRITE',
  createSavedView: 'WRITE',
  updateSavedView: 'WRITE',
  deleteSavedView: 'WRITE',
  createSavedOperation: 'OPERATIONS',
  updateSavedOperation: 'OPERATIONS',
  deleteSavedOperation: 'OPERATIONS',
  createDomain: 'DOMAINS',
  updateDomain: 'DOMAINS',
  verifyDomain: 'DOMAINS',
  deleteDomain: 'DOMAINS',
  createWebhook: 'WEBHOOKS',
  updateWebhook: 'WEBHOOKS',
  deleteWebhook: 'WEBHOOKS',
  rotateWebhookSecret: 'WEBHOOKS',
  redeliver: 'WEBHOOKS',
  testWebhook: 'WEBHOOKS',
  inviteMember: 'PEOPLE',
  updateMember: 'PEOPLE',
  revokeInvitation: 'PEOPLE',
  createApiKey: 'KEYS',
  revokeApiKey: 'KEYS',
  updateAccount: 'ACCOUNT',
  forgetChanges: 'ACCOUNT',
  // Everybody may leave, and end sessions of their own; the domain refuses the rest.
  removeMember: 'READ_PEOPLE',
  revokeSession: 'READ_PEOPLE',
};

/**
 * Returns the permission that a root field needs.
 * @throws Error if a mutation has no permission
 */
export function permissionFor(operation: OperationTypeNode, field: string): Permission {
  if (operation !== OperationTypeNode.MUTATION) return queries[field] ?? 'READ';
  const permission = mutations[field];
  if (permission === undefined) throw new Error(`the mutation ${field} has no permission`);
  return permission;
}
