import type { Db, Tx } from '../../db/connection/db.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/connection/errors.ts';
import {
  type LinkSettings,
  readPixelIds,
  readStoredLink,
  updateLinkAsRead,
  updateLinkIn,
} from '../../db/links.ts';
import type { WholeLink } from '../../db/reading/link-rows.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { type Actor, owned } from '../access/actor.ts';
import { differing, fieldsOf, newChange, recordingChanges } from '../change/change.ts';
import { type FieldError, invalid, notFound } from '../errors.ts';
import { parseInput, type Unparsed } from '../input.ts';
import type { Site } from '../site.ts';
import { parseIfUpdatedAt, requireUnchanged, timeOfChange } from '../unchanged.ts';
import { refusalsOf } from './check.ts';
import { columnsOf, fieldNames } from './columns.ts';
import { fixedDomain, type LinkInput, missingPrivacyPassword, updateLinkInput } from './input.ts';
import { shownLink } from './list.ts';

/** A text that is equal for equal sets of ids. */
function listed(ids: readonly number[]): string {
  return [...new Set(ids)].sort((a, b) => a - b).join();
}

/** Errors of the password for statistics, after the input is applied to the link. */
function privacyRefusals(input: LinkInput, link: Link): FieldError[] {
  const { privacy = link.privacy, privacyPassword = link.privacyPassword } = input;
  if (privacy !== 'PASSWORD' || privacyPassword !== null) return [];
  return [{ path: ['privacyPassword'], messages: [missingPrivacyPassword] }];
}

/** The new pixels of the link, each once; undefined if they do not change, or none are given. */
async function otherPixels(
  db: Db | Tx,
  linkId: number,
  pixelIds: readonly number[] | undefined,
): Promise<readonly number[] | undefined> {
  if (pixelIds === undefined) return undefined;
  return listed(await readPixelIds(db, linkId)) === listed(pixelIds) ? undefined : [...new Set(pixelIds)];
}

/** A time without seconds keeps a stored time within that minute, with its seconds. */
function withSecondsOf(stored: Date | null, at: { at: Date; toTheMinute: boolean } | null | undefined) {
  const minuteOf = (moment: Date) => Math.floor(moment.getTime() / 60_000);
  if (at == null) return at;
  return at.toTheMinute && stored !== null && minuteOf(stored) === minuteOf(at.at) ? stored : at.at;
}

/** Hashes and compares the passwords of a change ahead, for a site that remembers the results. */
export async function prepareLinkUpdate(
  db: Db,
  actor: Actor,
  site: Site,
  id: string,
  unparsed: Unparsed<typeof updateLinkInput>,
): Promise<void> {
  const { data } = updateLinkInput.safeParse(unparsed);
  const where = owned(actor, id);
  if (where === null || data === undefined || (data.password ?? data.privacyPassword ?? null) === null)
    return;
  await columnsOf(data, site, actor, (await readStoredLink(db, where)) ?? undefined);
}

/** How often a change is tried again because of concurrent ones. */
const MAX_RETRIES = 5;

/**
 * Changes the given fields; null clears a field that can be cleared. A list replaces the
 * stored one.
 * @param ifUpdatedAt the expected time of its last change, in ISO 8601; any time by default
 * @throws DomainError VALIDATION, NOT_FOUND, CONFLICT
 */
export async function updateLink(
  db: Db,
  actor: Actor,
  site: Site,
  id: string,
  unparsed: Unparsed<typeof updateLinkInput>,
  now: Date,
  ifUpdatedAt?: string | null,
  retries = MAX_RETRIES,
): Promise<WholeLink> {
  const seen = parseIfUpdatedAt(ifUpdatedAt);
  const input = parseInput(updateLinkInput, unparsed);
  const where = owned(actor, id);
  const link = where && (await readStoredLink(db, where));
  if (where === null || link === null) throw notFound('link');
  const refusals = await refusalsOf(db, actor, site, input, link.domainId, link);
  if (input.domainId !== undefined && input.domainId !== link.domainId)
    refusals.push({ path: ['domainId'], messages: [fixedDomain] });
  refusals.push(...privacyRefusals(input, link));
  if (refusals.length > 0) throw invalid(refusals);
  // Hashes passwords, which takes long: once, and not in a transaction.
  const data = await columnsOf(input, site, actor, link);
  /** What the input changes in a stored link; null for nothing. */
  const settingsFor = async (within: Db | Tx, stored: Link): Promise<LinkSettings | null> => {
    requireUnchanged(stored, seen);
    const late = privacyRefusals(input, stored);
    if (late.length > 0) throw invalid(late);
    const columns = differing(stored, {
      ...data,
      expiresAt: withSecondsOf(stored.expiresAt, input.expiration?.at),
    });
    const pixelIds = await otherPixels(within, stored.id, input.pixelIds);
    if (Object.keys(columns).length === 0 && pixelIds === undefined) return null;
    return { columns: { ...columns, updatedAt: timeOfChange(stored, now) }, pixelIds };
  };
  const fieldsIn = ({ columns, pixelIds }: LinkSettings) =>
    fieldsOf({ ...columns, ...(pixelIds && { pixels: pixelIds }) }, fieldNames);
  try {
    const settings = await settingsFor(db, link);
    if (settings === null) return shownLink(db, link.id);
    const change = newChange(actor, now, 'UPDATED', 'LINK', fieldsIn(settings));
    const written = await updateLinkAsRead(db, link, settings, change);
    if (written !== null) return written;
    // Somebody else has changed the link meanwhile. Now nobody can.
    return await recordingChanges(db, actor, now, async ({ tx, record }) => {
      const stored = await readStoredLink(tx, where, { locked: true });
      if (stored === null) throw notFound('link');
      const settings = await settingsFor(tx, stored);
      const changed = settings && (await updateLinkIn(tx, stored.id, settings));
      if (settings === null || changed === null) return shownLink(tx, stored.id);
      await record('UPDATED', 'LINK', [stored.id], fieldsIn(settings));
      return changed;
    });
  } catch (error) {
    // Records have changed since the checks: check again.
    if (retries > 0 && (isForeignKeyViolation(error) || isUniqueViolation(error)))
      return updateLink(db, actor, site, id, unparsed, now, ifUpdatedAt, retries - 1);
    throw error;
  }
}
