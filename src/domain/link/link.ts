// Creates, deletes and resets links; `update.ts` changes them. A link is created in steps: the input is read, then checked, its
// passwords are hashed, and only then a transaction writes the link. What others write between the steps is found by the
// constraints, and by `Reuse`, which looks again in the transaction.
import type { Data, Transaction } from '../../db/database.ts';
import {
  insertLinkIn,
  type NewLink,
  readLink,
  type SelectedLink,
  setImportedClicks,
} from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-list.ts';
import { findNear } from '../../db/reading/references.ts';
import { measureReset, resetSome } from '../../db/statistics/delete-statistics.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../engine/db/errors.ts';
import { DomainError, invalid, notFound } from '../../engine/rules/errors.ts';
import { parseInput, type Unparsed } from '../../engine/rules/input.ts';
import { type Actor, owned } from '../access/actor.ts';
import { deleteOwned, type Where } from '../access/ownership.ts';
import { changedSince, parseIfUpdatedAt, recordingChanges, requireUnchanged } from '../change/change.ts';
import { moreCame } from '../empty-record.ts';
import type { LongWork } from '../long-work.ts';
import type { Services } from '../services.ts';
import { generatedAliases, newPlace } from './alias.ts';
import { findInputErrors, takenAlias } from './check.ts';
import { buildColumns, createLinkInput, givenFields, type NewLinkInput, newLinkFields } from './fields.ts';
import { type Copied, prepareRow, type Restored } from './new-row.ts';
import { PasswordNotCompared, Reuse } from './reuse.ts';
import { keepDeletedLinks } from './values.ts';
import { spendOnNew } from './written-rows.ts';

/** The arguments of `createLink`. */
type Given = readonly [
  db: Data,
  actor: Actor,
  services: Services,
  unparsed: Unparsed<typeof createLinkInput>,
  now: Date,
  select?: LinkSelect,
];

/** A new link whose input is read, with what the further steps need. */
interface Creation {
  readonly db: Data;
  readonly actor: Actor;
  readonly services: Services;
  readonly input: NewLinkInput;
  readonly domainId: number;
  /** Finds links that equal it; null without `reuse`. */
  readonly reuse: Reuse | null;
  readonly now: Date;
  /** Which fields are returned in addition to the id. */
  readonly select: LinkSelect;
  /** For a deleted link, its id and what else it had. */
  readonly restored?: Restored;
  /** For a copy, what it has of the other link as it is stored. */
  readonly copied?: Copied;
}

/** Writes a checked link. @param isLater true if other links were written since it was checked, as in a batch */
type Write = (isLater?: boolean) => Promise<SelectedLink>;

/**
 * Creates a link; with `reuse`, returns the account's newest active link with the same domain and given fields, if there is
 * one.
 * @param given at last which fields are returned in addition to the id
 * @throws DomainError VALIDATION
 */
export async function createLink(...given: Given): Promise<SelectedLink> {
  const creation = await readNewLink(...given);
  spendOnNew(creation.db, [creation.input]);
  const write = await checkNewLink(creation);
  return write();
}

/**
 * Does all that precedes the writing of a new link: checks, and hashes of passwords, which take long.
 * @returns a function that does the rest of `createLink`
 * @throws DomainError VALIDATION
 */
export async function prepareNewLink(...given: Given): Promise<Write> {
  return checkNewLink(await readNewLink(...given));
}

/** Parses the input, and prepares the search for equal links. @throws DomainError VALIDATION */
async function readNewLink(...[db, actor, services, unparsed, now, select = {}]: Given): Promise<Creation> {
  const { reuse: reuses, ...input } = parseInput(createLinkInput, unparsed);
  const domainId = input.domainId ?? services.defaultDomainId;
  const creation = { db, actor, services, input, domainId, now, select };
  if (!reuses) return { ...creation, reuse: null };
  const { domainId: _, ...given } = givenFields(input, unparsed);
  const columns = await buildColumns(
    { ...given, password: undefined, privacyPassword: undefined },
    { db, services, actor, now },
  );
  const destination = { accountId: actor.accountId, domainId, url: input.url };
  return { ...creation, reuse: new Reuse(services, destination, given, columns, now) };
}

/** Looks for an equal link, checks the new one, and hashes its passwords. @throws DomainError VALIDATION */
async function checkNewLink(creation: Creation): Promise<Write> {
  const returning =
    (equal: SelectedLink): Write =>
    async (isLater) =>
      (isLater ? await findEqual(creation) : null) ?? equal;
  const equal = await findEqual(creation);
  if (equal) return returning(equal);
  try {
    await requireValid(creation);
  } catch (error) {
    // Another request may have created the same link with this alias.
    const made = await findEqual(creation);
    if (made) return returning(made);
    throw error;
  }
  const rowWith = await prepareRow(creation);
  return () => writeNewLink(creation, rowWith);
}

/** Returns an existing link that equals the new one; null if there is none. */
async function findEqual({ db, reuse, select }: Creation): Promise<SelectedLink | null> {
  const same = reuse && (await reuse.find(db));
  return same && readLink(db, same, select);
}

/** @throws DomainError VALIDATION with all fields that the database refuses */
async function requireValid(creation: Creation): Promise<void> {
  const { db, actor, services, input: given, domainId, copied, restored, now } = creation;
  // A link may have tests of its rules that fail, and its copy has them, too.
  const input = copied?.hasSameTests ? { ...given, ruleTests: undefined } : given;
  const errors = await findInputErrors(db, actor, services, {
    ...{ input, domainId, link: null, now },
    isRestored: restored !== undefined,
  });
  if (errors.length > 0) throw invalid(errors);
}

/** Writes the link; with an alias that others have taken meanwhile, again with the next one, unless it was given. */
async function writeNewLink(
  creation: Creation,
  rowWith: (alias: string) => NewLink['row'],
): Promise<SelectedLink> {
  const { services, input } = creation;
  const nextAlias = generatedAliases((below) => services.random(below), services.lists);
  const pixelIds = [...new Set(input.pixelIds)];
  for (let alias = input.alias ?? nextAlias(); ; ) {
    try {
      return await insert(creation, { row: rowWith(alias), pixelIds, tagIds: input.tagIds ?? [] });
    } catch (error) {
      if (error instanceof PasswordNotCompared) {
        const same = await findEqual(creation);
        if (same) return same;
        continue;
      }
      // Records may have been deleted since the checks; the constraints decide.
      if (isForeignKeyViolation(error)) await requireValid(creation);
      if (!isUniqueViolation(error) && !(await isNearOthers(creation, alias))) throw error;
      // Either may be taken by now.
      if (input.externalId != null) await requireValid(creation);
      else if (input.alias != null) throw invalid([takenAlias]);
      alias = input.alias ?? nextAlias();
    }
  }
}

/** True if a generated alias is above another account's. */
async function isNearOthers({ db, actor, input, domainId }: Creation, alias: string): Promise<boolean> {
  if (input.alias != null) return false;
  return (await findNear(db, actor.accountId, [newPlace(domainId, alias)])).size > 0;
}

function clicksOf({ clicks, lastClickedAt }: Restored) {
  return { clicks, lastClickedAt: lastClickedAt === null ? null : new Date(lastClickedAt) };
}

/**
 * Inserts the link, or returns an equal one that was created meanwhile.
 * @throws PasswordNotCompared
 */
function insert({ db, actor, reuse, now, select, restored }: Creation, made: NewLink): Promise<SelectedLink> {
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const same = reuse && (await reuse.findLocked(tx));
    // On PostgreSQL, that link may be deleted meanwhile.
    const before = same && (await readLink(tx, same, select));
    if (before) return before;
    const id = await insertLinkIn(tx, made);
    if (restored) await setImportedClicks(tx, [{ linkId: id, ...clicksOf(restored) }]);
    // Sent together.
    const [link] = await Promise.all([
      readLink(tx, { id, accountId: actor.accountId }, select),
      record('CREATED', 'LINK', [id], newLinkFields(made)),
    ]);
    if (link === null) throw new Error('the new link cannot be read');
    return link;
  });
}

/** Stands for a password of which only the hash is known, while the input is checked. */
const UNKNOWN_PASSWORD = 'unknown';

/**
 * Creates a deleted link again, by the rules of `createLink`: with its id, hashes and clicks, and without statistics.
 * @throws DomainError VALIDATION, CONFLICT if the link exists, NOT_FOUND if another account's link has the id
 */
export async function restoreLink(
  db: Data,
  actor: Actor,
  services: Services,
  { input, restored }: { readonly input: Given[3]; readonly restored: Restored },
  now: Date,
): Promise<void> {
  const { id, privacyPassword } = restored;
  const requireAbsent = async () => {
    const link = await db.prisma.link.findUnique({ where: { id } });
    if (link !== null) throw link.accountId === actor.accountId ? changedSince(link) : notFound('link');
  };
  await requireAbsent();
  try {
    const given = { ...input, ...(privacyPassword !== null && { privacyPassword: UNKNOWN_PASSWORD }) };
    const creation = await readNewLink(db, actor, services, given, now);
    spendOnNew(db, [creation.input]);
    const withoutPasswords = { ...creation.input, privacyPassword: undefined };
    const write = await checkNewLink({ ...creation, input: withoutPasswords, restored });
    await write();
  } catch (error) {
    // Another request may have restored it meanwhile, and its alias is taken by itself.
    if (isUniqueViolation(error) || error instanceof DomainError) await requireAbsent();
    throw error;
  }
}

/**
 * Creates a link with what another one has as it is stored, by the rules of `createLink`.
 * @param input its fields; a password in it counts instead of the copied hash
 * @throws DomainError VALIDATION
 */
export async function createCopy(
  db: Data,
  actor: Actor,
  services: Services,
  { input, copied }: { readonly input: Given[3]; readonly copied: Copied },
  now: Date,
  select: LinkSelect,
): Promise<SelectedLink> {
  const isHashed = copied.privacyPassword != null;
  const given = { ...input, ...(isHashed && { privacyPassword: UNKNOWN_PASSWORD }) };
  const creation = await readNewLink(db, actor, services, given, now, select);
  spendOnNew(db, [creation.input]);
  const own = isHashed ? { ...creation.input, privacyPassword: undefined } : creation.input;
  const write = await checkNewLink({ ...creation, input: own, copied });
  return write();
}

interface DeleteOptions {
  /** The expected time of its last change, in ISO 8601; any time by default. */
  readonly ifUpdatedAt?: string | null | undefined;
  /** Further work in the same transaction, while the link is locked. */
  before?(tx: Transaction): Promise<void>;
}

/**
 * Deletes the link and returns its id.
 * @throws DomainError VALIDATION, NOT_FOUND, CONFLICT
 */
export async function deleteLink(
  db: Data,
  actor: Actor,
  id: string,
  now: Date,
  { ifUpdatedAt, before }: DeleteOptions = {},
): Promise<number> {
  const kind = {
    kind: 'LINK',
    what: 'link',
    rows: (tx: Transaction) => tx.prisma.link,
    deletedValues: async (tx: Transaction, where: Where) =>
      (await keepDeletedLinks(tx, [where.id])).get(where.id) ?? null,
  } as const;
  const seen = parseIfUpdatedAt(ifUpdatedAt);
  // A trigger leaves its statistics to `DeletedStatisticsRemoval`. All writes lock the link before its counter.
  return deleteOwned(db, kind, actor, id, now, async ({ tx }, linkId) => {
    await tx.lockRow('Link', linkId, { deleting: true });
    await before?.(tx);
    if (seen === null) return;
    const where = { id: linkId, accountId: actor.accountId };
    const link = await tx.prisma.link.findUnique({ where, select: { updatedAt: true } });
    if (link !== null) requireUnchanged(link, seen);
  });
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
  const { rows, isMany } = await measureReset(db, where.id);
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
