// Takes a change back: of a link, space or tag. It has no rules of its own. An update is another update, by the functions that do it
// by hand; a creation is a deletion, and a deletion a creation. What it adds are the conditions under which nothing else is lost.
import { findKept, hasLaterChanges, type KeptChange, noteRestored } from '../db/change-values.ts';
import type { Data, Transaction } from '../db/database.ts';
import { putLinksIntoSpace } from '../db/links.ts';
import { findReferences } from '../db/reading/references.ts';
import { addTagToLinks } from '../db/tags.ts';
import { MAX_WRITTEN_LINKS } from '../db/written-limits.ts';
import type { LoggedChange } from '../engine/changes/events.ts';
import { type DomainError, invalidField, notFound } from '../engine/rules/errors.ts';
import type { Actor } from './access/actor.ts';
import { type Changing, changedSince, recordingChanges } from './change/change.ts';
import { findChange } from './change/find-changes.ts';
import { FORGOTTEN } from './change/forget.ts';
import {
  type ChangedValue,
  comparable,
  hasValues,
  type KindWithValues,
  parseValues,
} from './change/values.ts';
import { findRecord } from './change/with-values.ts';
import { MAX_TAGS } from './link/fields.ts';
import { deleteLink, restoreLink } from './link/link.ts';
import { updateLink } from './link/update.ts';
import { keepLists, keepUpdate, type LinkRemains } from './link/values.ts';
import { spendOnDeletions, spendOnUpdates } from './link/written-rows.ts';
import type { LongWork } from './long-work.ts';
import type { NamedRemains } from './name-and-color.ts';
import { readStoredRules } from './rule/parse.ts';
import { encodeRules } from './rule/resolve.ts';
import type { StoredRule } from './rule/stored.ts';
import { refusal } from './rules.ts';
import type { Services } from './services.ts';
import { createSpace, deleteSpace, updateSpace } from './space.ts';
import { createTag, deleteTag, updateTag } from './tag.ts';

/** Data, rights and services of a request that reverts changes. */
export interface Reverting {
  readonly db: Data;
  readonly longWork: LongWork;
  readonly actor: Actor;
  readonly services: Services;
  /** The ids of the changes that the request has recorded so far. */
  readonly changeIds: readonly number[];
  now(): Date;
}

/** Conditions on a change that is taken back. */
export interface RevertOptions {
  /** True if only recent changes of the same caller are taken back. */
  readonly onlyOwn?: boolean;
  /** The ids of changes that the same request has taken back already: the record is as it was before them. */
  readonly undone?: readonly number[];
}

/** Milliseconds for which callers may take back changes as their own. */
const OWN_FOR = 24 * 3_600_000;

/** A change that was taken back. */
export interface Reverted {
  readonly kind: KindWithValues;
  readonly recordId: number;
  /** The change that did it. */
  readonly changeId: number;
}

const notRevertable = (): DomainError => invalidField('id', refusal('NOT_REVERTABLE'));

/** @throws DomainError VALIDATION if another caller has made the change, or it is too old */
function requireOwn({ actor, now }: Reverting, change: LoggedChange): void {
  const { keyId, userId, at } = change;
  const isOwn = keyId === actor.keyId && userId === actor.userId && (keyId ?? userId) !== null;
  if (!isOwn || now().getTime() - at.getTime() > OWN_FOR) throw invalidField('id', refusal('NOT_OWN_CHANGE'));
}

/** A change of a record that can be taken back. */
type Revertable = LoggedChange & { readonly kind: KindWithValues; readonly accountId: number };

function isOfKind(change: LoggedChange): change is Revertable {
  return change.accountId !== null && hasValues(change.kind);
}

/**
 * Takes a change of the account back, as soon as it is committed.
 * @throws DomainError NOT_FOUND, CONFLICT if something was changed since, VALIDATION, and the errors of deletions
 */
export async function revertChange(
  reverting: Reverting,
  id: string,
  { onlyOwn = false, undone = [] }: RevertOptions = {},
): Promise<Reverted> {
  const { db, actor, changeIds } = reverting;
  const change = await findChange(db, actor, id);
  if (change === null) throw notFound('change');
  if (onlyOwn) requireOwn(reverting, change);
  if (!isOfKind(change)) throw notRevertable();
  const { kind, recordId } = change;
  const before = changeIds.length;
  const restoredBy = await revert(reverting, change, undone);
  // A deletion records the links of a space or tag first.
  const changeId = restoredBy ?? (changeIds.length > before ? changeIds.at(-1) : undefined);
  if (changeId === undefined) throw changedSince({ updatedAt: reverting.now() });
  return { kind, recordId, changeId };
}

/** Returns the change that restored the record, if that is not the last one. */
async function revert(
  reverting: Reverting,
  change: Revertable,
  undone: readonly number[],
): Promise<number | undefined> {
  if (change.action === 'CREATED') {
    await revertCreation(reverting, change, undone);
    return undefined;
  }
  const kept = await findKept(reverting.db, change.id);
  if (kept === null || !kept.isRevertable) throw notRevertable();
  if (change.action === 'UPDATED') {
    await revertUpdate(reverting, change, kept);
    return undefined;
  }
  if (change.kind !== 'LINK') return restoreNamed(reverting, change, kept);
  await restoreDeletedLink(reverting, change, kept);
  return undefined;
}

/** Deletes a record that was not changed since its creation, apart from what this request has taken back. */
async function revertCreation(
  { db, longWork, actor, changeIds, now }: Reverting,
  change: Revertable,
  undone: readonly number[],
): Promise<void> {
  const { kind, recordId } = change;
  const id = String(recordId);
  const requireUntouched = async (tx: Transaction) => {
    // The record is as it was when only values in the log were deleted.
    const ofRequest = undone.length > 0 ? [...undone, ...changeIds] : [];
    if (!(await hasLaterChanges(tx, change, FORGOTTEN, ofRequest))) return;
    const row = await findRecord(tx, change);
    throw row ? changedSince(row) : notFound(kind.toLowerCase());
  };
  if (kind === 'LINK') {
    await spendOnDeletions(db, actor, [id]);
    await deleteLink(db, actor, id, now(), { before: requireUntouched });
  } else if (kind === 'SPACE') await deleteSpace(db, longWork, actor, id, now(), requireUntouched);
  else await deleteTag(db, longWork, actor, id, now(), requireUntouched);
}

/** The names of fields in inputs, where they differ. */
const inputNames: Readonly<Record<string, string>> = {
  domain: 'domainId',
  space: 'spaceId',
  pixels: 'pixelIds',
  tags: 'tagIds',
};

/** Stored rules as an input has them. */
function withTextIds(rules: readonly StoredRule[]) {
  return rules.map(({ id, to, ...rule }) => ({
    ...rule,
    id: String(id),
    to: to.map((target) => ({ ...target, id: String(target.id) })),
  }));
}

/** The values before a change as an input. */
function inputBefore(values: readonly ChangedValue[]): Readonly<Record<string, unknown>> {
  const given = ({ name, before }: ChangedValue) => {
    if (before === null) return null;
    return name === 'rules' ? withTextIds(readStoredRules(before).rules) : JSON.parse(before);
  };
  return Object.fromEntries(
    comparable(values).map((value) => [inputNames[value.name] ?? value.name, given(value)]),
  );
}

/** Sets the changed fields back, but for passwords. */
async function revertUpdate(
  { db, actor, services, now }: Reverting,
  { kind, recordId }: Revertable,
  kept: KeptChange,
): Promise<void> {
  const values = parseValues(kept.values);
  const input = inputBefore(values);
  const [id, reverts] = [String(recordId), comparable(values)];
  if (kind === 'SPACE') await updateSpace(db, actor, id, input, now(), null, reverts);
  else if (kind === 'TAG') await updateTag(db, actor, id, input, now(), null, reverts);
  else {
    await spendOnUpdates(db, actor, [{ id, input }]);
    await updateLink(db, actor, { update: { id, input, reverts }, services, now: now(), select: {} });
  }
}

/** Creates a deleted link again, with the pixels, tags and space that still exist. */
async function restoreDeletedLink(
  { db, actor, services, now }: Reverting,
  { recordId }: Revertable,
  { values, restoring }: KeptChange,
): Promise<void> {
  const parsed = parseValues(values);
  const before = inputBefore(parsed);
  const ids = (given: unknown) => [given ?? []].flat().map(Number);
  const given = { spaceIds: ids(before.spaceId), pixelIds: ids(before.pixelIds), tagIds: ids(before.tagIds) };
  const none = {
    domainIds: [],
    utmTemplateIds: [],
    hosts: [],
    aliases: [],
    places: [],
    aliasKeys: [],
    externalIds: [],
  };
  const found = await findReferences(db, { accountId: actor.accountId, ...given, ...none });
  const input = {
    ...before,
    spaceId: given.spaceIds.filter((id) => found.spaceIds.has(id)).map(String)[0],
    pixelIds: given.pixelIds.filter((id) => found.pixelIds.has(id)).map(String),
    tagIds: given.tagIds.filter((id) => found.tagIds.has(id)).map(String),
  };
  const remains: LinkRemains = JSON.parse(restoring ?? '');
  const noRules = () => encodeRules({ next: remains.nextRuleId ?? 1, rules: [] });
  const rules = parsed.find(({ name }) => name === 'rules')?.before ?? noRules();
  // The fields are those of an input, which is parsed as any other.
  const restored = { id: recordId, ...remains, rules };
  await restoreLink(db, actor, services, { input: input as never, restored }, now());
}

/** A slice of the restoration of a space or tag. */
interface Slice {
  /** The change that restored the record. */
  readonly restoredBy: number;
  /** True if there are more links. */
  readonly more: boolean;
}

/**
 * Creates a deleted space or tag again, and gives it back to the links that had it: a few in the same transaction, many in slices. A
 * repeated request goes on. Returns the change that restored the record.
 */
async function restoreNamed(
  reverting: Reverting,
  change: Revertable,
  { memberIds }: KeptChange,
): Promise<number> {
  const { db, longWork, actor } = reverting;
  const links = parseIds(memberIds).length;
  if (links <= MAX_WRITTEN_LINKS) {
    db.spendRows?.(links + 1, 3 * links);
    return (await restoreSlice(reverting, db, change, true)).restoredBy;
  }
  let restoredBy = 0;
  let isFirst = true;
  await longWork.inSlices(db, actor.accountId, async (separate) => {
    const slice = await restoreSlice(reverting, separate, change, isFirst);
    ({ restoredBy } = slice);
    isFirst = false;
    return slice.more;
  });
  return restoredBy;
}

const parseIds = (memberIds: string | null): number[] => JSON.parse(memberIds ?? '[]');

/** @param isFirst true if the record may not be there yet */
function restoreSlice(
  { actor, now }: Reverting,
  db: Data,
  change: Revertable,
  isFirst: boolean,
): Promise<Slice> {
  const at = now();
  return recordingChanges(db, actor, at, async (changing) => {
    const { tx } = changing;
    // Others wait here who restore the same record.
    const kept = await findKept(tx, change.id, true);
    if (kept === null) throw notRevertable();
    const ids = parseIds(kept.memberIds);
    const row = await findRecord(tx, change);
    const isBegun = kept.restoredBy !== null && (kept.restoredTo ?? 0) < (ids.at(-1) ?? 0);
    if (row !== null && !isBegun) throw changedSince(row);
    if (row === null && !isFirst) throw notFound(change.kind.toLowerCase());
    const restoredBy = row === null ? await createAgain(tx, actor, change, kept, at) : (kept.restoredBy ?? 0);
    const after = row === null ? 0 : (kept.restoredTo ?? 0);
    const left = ids.filter((id) => id > after);
    const slice = left.slice(0, MAX_WRITTEN_LINKS);
    if (slice.length > 0) await giveBack(changing, actor, change, slice, at);
    await noteRestored(tx, change.id, restoredBy, slice.at(-1) ?? after);
    return { restoredBy, more: left.length > slice.length };
  });
}

/** Creates the space or tag, and returns the id of that change. @throws DomainError VALIDATION, NOT_FOUND */
async function createAgain(
  tx: Transaction,
  actor: Actor,
  { kind, recordId }: Revertable,
  { values, restoring }: KeptChange,
  now: Date,
): Promise<number> {
  const where = { id: recordId };
  const taken =
    kind === 'SPACE'
      ? await tx.prisma.space.findUnique({ where })
      : await tx.prisma.tag.findUnique({ where });
  // Another account's, which got the id in a copy.
  if (taken !== null) throw notFound(kind.toLowerCase());
  const remains: NamedRemains = JSON.parse(restoring ?? '');
  const restored = { id: recordId, createdAt: new Date(remains.createdAt) };
  // A deletion keeps the name and the color, which are parsed as any other input.
  const input = inputBefore(parseValues(values)) as { name: string; color: number };
  const create = kind === 'SPACE' ? createSpace : createTag;
  const before = tx.changeIds.length;
  await create(tx, actor, input, now, restored);
  return tx.changeIds[before] ?? 0;
}

/** Gives links back what they have not now: their space, or a tag. Links that were deleted stay so. */
async function giveBack(
  { tx, record }: Changing,
  actor: Actor,
  { kind, recordId }: Revertable,
  ids: readonly number[],
  now: Date,
): Promise<void> {
  if (kind === 'SPACE') {
    await tx.lockRow('Space', recordId);
    const put = await putLinksIntoSpace(tx, actor, recordId, ids, now);
    const values = keepUpdate(['space'], { spaceId: null }, { spaceId: recordId });
    await record('UPDATED', 'LINK', put, ['space'], { values });
    return;
  }
  await tx.lockRow('Tag', recordId);
  const before = await addTagToLinks(tx, actor, recordId, ids, now, MAX_TAGS);
  const values = keepLists('tags', before, () => true, { added: [recordId] });
  await record('UPDATED', 'LINK', [...values.keys()], ['tags'], { values });
}
