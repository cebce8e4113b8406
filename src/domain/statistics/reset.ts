import type { Data } from '../../db/database.ts';
import { readLink, type SelectedLink } from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-selection.ts';
import { deleteStatistics } from '../../db/statistics/delete-statistics.ts';
import { type Actor, owned } from '../access/actor.ts';
import { recordingChanges } from '../change/change.ts';
import { notFound } from '../errors.ts';

/**
 * Deletes the statistics of a link. Its clicks stay. The change is recorded in the log, if there were any.
 * Visits that a process has not written yet are not among them.
 * @throws DomainError NOT_FOUND
 */
export async function resetStatistics(
  db: Data,
  actor: Actor,
  linkId: string,
  now: Date,
  select: LinkSelect,
): Promise<SelectedLink> {
  const where = owned(actor, linkId);
  if (where === null) throw notFound('link');
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const any = (await deleteStatistics(tx, [where.id], where.accountId)).get(where.id);
    if (any === undefined) throw notFound('link');
    if (any) await record('UPDATED', 'LINK', [where.id], ['statistics']);
    const link = await readLink(tx, where, select);
    if (link === null) throw notFound('link');
    return link;
  });
}
