import type { Data, Transaction } from '../../db/database.ts';
import { insertLinkIn, type NewLink, readLink, type SelectedLink } from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-list.ts';
import type { Destination } from '../../db/reading/same-links.ts';
import { resetSizeOf, resetSome } from '../../db/statistics/delete-statistics.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../engine/db/errors.ts';
import { invalid, notFound } from '../../engine/rules/errors.ts';
import { parseInput, type Unparsed } from '../../engine/rules/input.ts';
import { type Actor, owned } from '../access/actor.ts';
import { deleteOwned } from '../access/ownership.ts';
import { recordingChanges } from '../change/change.ts';
import { moreCame } from '../empty-record.ts';
import type { LongWork } from '../long-work.ts';
import type { Services } from '../services.ts';
import { utmFor } from '../utm-template.ts';
import { generatedAliases } from './alias.ts';
import { findInputErrors, takenAlias } from './check.ts';
import {
  aliasColumns,
  buildColumns,
  createLinkInput,
  newLinkColumns,
  newLinkFields,
  updateLinkInput,
  withPlainKey,
} from './fields.ts';
import { PasswordNotCompared, Reuse } from './reuse.ts';

/** Finds existing links that have all given fields of the input. */
async function findReuse(
  destination: Destination,
  services: Services,
  actor: Actor,
  unparsed: Unparsed<typeof createLinkInput>,
  now: Date,
): Promise<Reuse> {
  const { domainId: _, ...fields } = unparsed;
  const given = parseInput(
    updateLinkInput,
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
  );
  const columns = await buildColumns(
    { ...given, password: undefined, privacyPassword: undefined },
    services,
    actor,
  );
  return new Reuse(services, destination, given, columns, now);
}

/** An existing link that equals the new one; null if there is none. */
async function existing(db: Data, reuse: Reuse | null, select: LinkSelect): Promise<SelectedLink | null> {
  const same = await reuse?.find(db);
  return same ? readLink(db, same, select) : null;
}

/**
 * Inserts the link, or returns an equal one that was created meanwhile.
 * @throws PasswordNotCompared
 */
async function insert(
  db: Data,
  actor: Actor,
  made: NewLink,
  { reuse, now, select }: { reuse: Reuse | null; now: Date; select: LinkSelect },
): Promise<SelectedLink> {
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const same = await reuse?.findLocked(tx);
    // On PostgreSQL, that link may be deleted meanwhile.
    const before = same && (await readLink(tx, same, select));
    if (before) return before;
    const id = await insertLinkIn(tx, made);
    // Sent together.
    const [link] = await Promise.all([
      readLink(tx, { id, accountId: actor.accountId }, select),
      record('CREATED', 'LINK', [id], newLinkFields(made)),
    ]);
    if (link === null) throw new Error('the new link cannot be read');
    return link;
  });
}

/**
 * Creates a link; with `reuse`, returns the account's newest active link with the same domain and given fields, if there is
 * one.
 * @param select which fields are returned in addition to the id
 * @throws DomainError VALIDATION
 */
export async function createLink(...of: Parameters<typeof prepareNewLink>): Promise<SelectedLink> {
  const create = await prepareNewLink(...of);
  return create();
}

/**
 * Does all that precedes the writing of a new link: checks, and hashes of passwords, which take long.
 * @returns a function that does the rest of `createLink`; `isLater` if other links were written meanwhile, as in a batch
 * @throws DomainError VALIDATION
 */
export async function prepareNewLink(
  db: Data,
  actor: Actor,
  services: Services,
  unparsed: Unparsed<typeof createLinkInput>,
  now: Date,
  select: LinkSelect = {},
): Promise<(isLater?: boolean) => Promise<SelectedLink>> {
  const { reuse: reuses, ...input } = parseInput(createLinkInput, unparsed);
  const domainId = input.domainId ?? services.defaultDomainId;
  const { url, pixelIds = [], tagIds = [] } = input;
  const { accountId } = actor;
  const reuse = reuses ? await findReuse({ accountId, domainId, url }, services, actor, unparsed, now) : null;
  const newest = (found: SelectedLink) => async (isLater?: boolean) =>
    (isLater ? await existing(db, reuse, select) : null) ?? found;
  const found = await existing(db, reuse, select);
  if (found) return newest(found);
  const check = async () => {
    const errors = await findInputErrors(db, actor, services, input, domainId, null);
    if (errors.length > 0) throw invalid(errors);
  };
  try {
    await check();
  } catch (error) {
    // Another request may have created the same link with this alias.
    const made = await existing(db, reuse, select);
    if (made) return newest(made);
    throw error;
  }
  const addUtm = await utmFor(db, actor, input, input.spaceId, now);
  const columns = await newLinkColumns(input, domainId, services, actor, { createdAt: now, updatedAt: now });
  const nextAlias = generatedAliases((below) => services.random(below), services.lists);
  return async () => {
    for (let alias = input.alias ?? nextAlias(); ; ) {
      const row = withPlainKey({ ...columns, ...aliasColumns(alias), ...addUtm({ ...columns, alias }) });
      const made = { row, pixelIds: [...new Set(pixelIds)], tagIds };
      try {
        return await insert(db, actor, made, { reuse, now, select });
      } catch (error) {
        if (error instanceof PasswordNotCompared) {
          const same = await existing(db, reuse, select);
          if (same) return same;
          continue;
        }
        // Records may have been deleted since the checks; the constraints decide.
        if (isForeignKeyViolation(error)) await check();
        if (!isUniqueViolation(error)) throw error;
        if (input.alias != null) throw invalid([takenAlias]);
        alias = nextAlias();
      }
    }
  };
}

/**
 * Deletes the link and returns its id.
 * @throws DomainError NOT_FOUND
 */
export async function deleteLink(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  const kind = { kind: 'LINK', what: 'link', rows: (tx: Transaction) => tx.prisma.link } as const;
  // A trigger leaves its statistics to `DeletedStatisticsRemoval`. All writes lock the link before its counter.
  return deleteOwned(db, kind, actor, id, now, ({ tx }, linkId) =>
    tx.lockRow('Link', linkId, { deleting: true }),
  );
}

/**
 * Deletes the statistics of a link; many in slices. Its clicks stay. The change is recorded in the log, if there were any.
 * Visits that a process has not written yet are not among them.
 * @throws DomainError NOT_FOUND; UNAVAILABLE if too many came meanwhile; the errors of `LongWork`
 */
export async function resetStatistics(
  db: Data,
  work: LongWork,
  actor: Actor,
  linkId: string,
  now: Date,
  select: LinkSelect,
): Promise<SelectedLink> {
  const where = owned(actor, linkId);
  if (where === null) throw notFound('link');
  const { rows, isMany } = await resetSizeOf(db, where.id);
  if (isMany)
    await work.inSlices(db, actor.accountId, (separate) =>
      separate.transaction(async (tx) => (await resetSome(tx, where, false))?.more ?? false),
    );
  db.spendRows?.(1, rows);
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const done = await resetSome(tx, where, true);
    if (done === null) throw notFound('link');
    if (done.more) throw moreCame();
    if (done.any) await record('UPDATED', 'LINK', [where.id], ['statistics']);
    const link = await readLink(tx, where, select);
    if (link === null) throw notFound('link');
    return link;
  });
}
