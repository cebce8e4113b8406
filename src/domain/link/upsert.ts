import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import type { SelectedLink } from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-list.ts';
import { DomainError, invalidField } from '../../engine/rules/errors.ts';
import { parseInput, type Unparsed } from '../../engine/rules/input.ts';
import type { Actor } from '../access/actor.ts';
import type { Services } from '../services.ts';
import { takenExternalId } from './check.ts';
import {
  clearableFields,
  type createLinkInput,
  externalIdInput,
  fixedInUpsert,
  type updateLinkInput,
} from './fields.ts';
import { createLink } from './link.ts';
import { updateLink } from './update.ts';

// An upsert is a look-up, and then `createLink` or `updateLink`. If another request has made, moved or deleted the link meanwhile,
// the unique index or the condition of the update tells, and it begins again.

/** Number of times that another request may come first. */
const MAX_ATTEMPTS = 10;

const upsertInput = z.object({ externalId: externalIdInput });

/** A new link, or what to set in the link that has the external id. */
export interface Upsert {
  readonly externalId: string;
  readonly input: Unparsed<typeof createLinkInput>;
}

/** The given fields, as a change. Null counts only where it clears the field: elsewhere, it stands for the default of a new link. */
function asChange({ reuse: _, ...input }: Upsert['input']): Unparsed<typeof updateLinkInput> {
  const given = Object.entries(input).filter(
    ([name, value]) => value !== undefined && (value !== null || clearableFields.has(name)),
  );
  return Object.fromEntries(given) as Unparsed<typeof updateLinkInput>; // A subset of its entries.
}

/** Returns true if another request has made the link, or has deleted it or given it another external id. */
function isOvertaken(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false;
  return error.code === 'NOT_FOUND' || error.fields.includes(takenExternalId);
}

/**
 * Changes the given fields of the account's link with this external id, or creates the link.
 * @param select which fields are returned in addition to the id
 * @throws DomainError VALIDATION, also for another alias or domain than the link has
 */
export async function upsertLink(
  db: Data,
  actor: Actor,
  services: Services,
  { externalId: given, input: unparsed }: Upsert,
  now: Date,
  select: LinkSelect,
): Promise<SelectedLink> {
  const { externalId } = parseInput(upsertInput, { externalId: given });
  const { externalId: named, ...input } = unparsed;
  if (named != null && named.trim() !== externalId) throw invalidField('externalId', fixedInUpsert);
  const { accountId } = actor;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const found = await db.prisma.link.findFirst({ where: { accountId, externalId }, select: { id: true } });
    try {
      if (found === null) return await createLink(db, actor, services, { ...input, externalId }, now, select);
      const update = { id: String(found.id), input: asChange(input), upserts: externalId };
      return await updateLink(db, actor, { update, services, now, select });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }
  throw new DomainError('UNAVAILABLE', 'Other requests change this link all the time. Try again later.');
}
