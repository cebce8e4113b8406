import type { OperationResult } from 'urql';
import {
  DeleteLinksDocument,
  type LinkFilter,
  LinksChosenDocument,
  LinksToChangeDocument,
  type LinksToChangeQuery,
  type LinkToChangeFragment,
  type UpdateLinkInput,
  UpdateLinksDocument,
  type UpdateLinksInput,
} from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { atNearMoment, timeZone } from '../words/format.ts';
import { attempt, UNDO_FOR } from './actions.ts';
import { inBatches, inTime, type Progress } from './batches.ts';
import { announceKinds } from './bus.ts';
import { type Deed, lately } from './deeds.ts';
import { toFault } from './faults.ts';
import { refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { dismissToast, showToast } from './toasts.ts';
import { write } from './write.ts';

/** The subject of messages about a change of many links. */
export const MANY = 'many links';

/** A link, as far as it is changed together with others. */
export interface BulkLink extends Pick<LinkToChangeFragment, 'id' | 'nodeId' | 'disabled' | 'expiration'> {
  readonly space: { readonly id: string } | null;
  readonly tags: readonly { readonly id: string }[];
}

/** An action on many links. */
export type BulkAction = { readonly delete: true } | { readonly update: BulkUpdate };
export type BulkUpdate =
  | Required<Pick<UpdateLinkInput, 'disabled'>>
  | Required<Pick<UpdateLinkInput, 'spaceId'>>
  | { readonly expiration: { readonly at: string | null } }
  | { readonly addTagIds: readonly string[] }
  | { readonly removeTagIds: readonly string[] };

/** Tells how many links were changed. */
export type Told = (done: number) => string;

export interface BulkResult {
  readonly done: readonly string[];
  readonly failed: readonly { readonly id: string; readonly message: string }[];
}

export interface BulkOptions {
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** All links that match, in batches. */
export async function linksThatMatch(
  { client }: Session,
  filter: LinkFilter,
  onFound: (count: number) => void,
  signal: AbortSignal,
): Promise<LinkToChangeFragment[]> {
  const links: LinkToChangeFragment[] = [];
  let after: string | null = null;
  do {
    const { data, error }: OperationResult<LinksToChangeQuery> = await client
      .query(LinksToChangeDocument, { filter, after }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) throw toFault(error);
    links.push(...(data?.links.nodes ?? []));
    after = data?.links.pageInfo.hasNextPage ? data.links.pageInfo.endCursor : null;
    onFound(links.length);
  } while (after !== null && !signal.aborted);
  return links;
}

/** These links as they are now. */
export async function linksChosen(
  { client }: Session,
  chosen: readonly { readonly nodeId: string }[],
): Promise<LinkToChangeFragment[]> {
  const read = async (batch: typeof chosen) => {
    const nodeIds = batch.map(({ nodeId }) => nodeId);
    const { data, error } = await client
      .query(LinksChosenDocument, { nodeIds }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) throw toFault(error);
    // A link that is gone cannot be changed.
    return (data?.nodes ?? []).map((node) => (node !== null && 'alias' in node ? [node] : []));
  };
  const unwatched = { onProgress: () => undefined, signal: new AbortController().signal };
  return (await inBatches(chosen, read, unwatched)).flat();
}

type Outcome = { readonly id: string; readonly message: string | null };

function countResults(outcomes: readonly Outcome[]): BulkResult {
  return {
    done: outcomes.filter(({ message }) => message === null).map(({ id }) => id),
    failed: outcomes.flatMap(({ id, message }) => (message === null ? [] : [{ id, message }])),
  };
}

/** Deletes many links, a hundred in a request. */
export async function deleteMany(
  session: Session,
  ids: readonly string[],
  options: BulkOptions,
): Promise<BulkResult> {
  const remove = async (batch: readonly string[]): Promise<Outcome[]> =>
    (await write(session, DeleteLinksDocument, { ids: [...batch] })).deleteLinks.map((one, index) => ({
      id: batch[index] ?? '',
      message: one.__typename === 'DeletedRecord' ? null : refusalText(one),
    }));
  const result = countResults(await inBatches(ids, remove, options));
  if (result.done.length > 0) showToast(texts.links.deletedMany(result.done.length));
  return result;
}

/** A change of a link, and what undoes it. */
export interface UndoableChange {
  readonly nodeId: string;
  readonly change: UpdateLinksInput;
  readonly undo: UpdateLinksInput;
}

/** The changes of the links that an update changes at all. */
export function changesBy(update: BulkUpdate, links: readonly BulkLink[]): UndoableChange[] {
  return links.flatMap(({ id, nodeId, disabled, expiration, space, tags }): UndoableChange[] => {
    const has = (tagId: string) => tags.some((tag) => tag.id === tagId);
    if ('addTagIds' in update) {
      const added = update.addTagIds.filter((one) => !has(one));
      const change = { id, input: { addTagIds: added } };
      return added.length === 0 ? [] : [{ nodeId, change, undo: { id, input: { removeTagIds: added } } }];
    }
    if ('removeTagIds' in update) {
      const removed = update.removeTagIds.filter(has);
      const change = { id, input: { removeTagIds: removed } };
      return removed.length === 0 ? [] : [{ nodeId, change, undo: { id, input: { addTagIds: removed } } }];
    }
    const before =
      'disabled' in update
        ? { disabled }
        : 'expiration' in update
          ? { expiration: { at: expiration.at } }
          : { spaceId: space?.id ?? null };
    const isSame = JSON.stringify(before) === JSON.stringify(update);
    return isSame ? [] : [{ nodeId, change: { id, input: update }, undo: { id, input: before } }];
  });
}

async function applyAll(
  session: Session,
  changes: readonly UndoableChange[],
  options: BulkOptions,
): Promise<BulkResult> {
  const apply = async (batch: readonly UndoableChange[]): Promise<Outcome[]> => {
    const inputs = batch.map(({ change }) => change);
    const { updateLinks } = await write(session, UpdateLinksDocument, { inputs });
    return inTime(updateLinks).map((one, index) => ({
      id: inputs[index]?.id ?? '',
      message: one.__typename === 'Link' ? null : refusalText(one),
    }));
  };
  return countResults(await inBatches(changes, apply, options));
}

const parseTime = (at: string | null | undefined) => (at == null ? null : Date.parse(at));

/** True if a link is still as a change has made it. Tags go and come back beside others. */
function isAsMade(
  link: LinkToChangeFragment,
  { disabled, spaceId, expiration, url }: UpdateLinkInput,
): boolean {
  return (
    (disabled == null || link.disabled === disabled) &&
    (spaceId === undefined || (link.space?.id ?? null) === spaceId) &&
    (expiration == null || parseTime(link.expiration.at) === parseTime(expiration.at)) &&
    (url == null || new URL(link.url).href === new URL(url).href)
  );
}

/** Undoes the changes, except where somebody has changed the fields of a link since. */
async function undoAll(
  session: Session,
  changes: readonly UndoableChange[],
  told: string,
  onUndone: () => void,
): Promise<void> {
  const unwatched = { onProgress: () => undefined, signal: new AbortController().signal };
  await attempt(MANY, async () => {
    const links = new Map((await linksChosen(session, changes)).map((link) => [link.id, link]));
    const reversed = changes.flatMap(({ nodeId, change, undo }) => {
      const link = links.get(change.id);
      return link && isAsMade(link, change.input) ? [{ nodeId, change: undo, undo: change }] : [];
    });
    const { failed } = await applyAll(session, reversed, unwatched);
    onUndone();
    const kept = links.size - reversed.length;
    if (failed.length > 0) showToast(texts.bulk.failed(failed.length), { wrong: true, about: MANY });
    else showToast([texts.undoneOf(told), ...(kept > 0 ? [texts.bulk.changedSince(kept)] : [])].join(' '));
  });
  announceKinds('LINK');
}

/** Changes many links, a hundred in a request, and offers to undo the changes as long as the tab is open. */
export async function changeMany(
  session: Session,
  changes: readonly UndoableChange[],
  options: BulkOptions,
  told: Told,
): Promise<BulkResult> {
  const result = await applyAll(session, changes, options);
  const done = new Set(result.done);
  const undone = changes.filter(({ change }) => done.has(change.id));
  // A dialog lists the failures.
  if (done.size > 0) {
    const text = told(done.size);
    const undo = () => {
      dismissToast(toast);
      void undoAll(session, undone, text, () => lately.remove(deed));
    };
    const deed: Deed = { accountId: session.accountId, at: new Date().toISOString(), text, undo };
    const toast = showToast(text, { shownFor: UNDO_FOR, action: { name: texts.undo, run: undo } });
    lately.add(deed);
  } else if (result.failed.length === 0) showToast(texts.bulk.done(0));
  return result;
}

/** The message about an update of many links. */
function toldBy(update: BulkUpdate): Told {
  const t = texts.bulk;
  if ('disabled' in update) return update.disabled ? t.disabled : t.enabled;
  if (!('expiration' in update)) return t.done;
  const { at } = update.expiration;
  if (at === null) return t.endless;
  return (done) => (Date.parse(at) <= Date.now() ? t.ended(done) : t.ends(done, atNearMoment(at), timeZone));
}

/** Deletes or updates many links. */
export async function performOnMany(
  session: Session,
  action: BulkAction,
  links: readonly BulkLink[],
  options: BulkOptions,
  told?: Told,
): Promise<BulkResult> {
  if ('update' in action)
    return changeMany(session, changesBy(action.update, links), options, told ?? toldBy(action.update));
  const ids = links.map(({ id }) => id);
  return deleteMany(session, ids, options);
}
