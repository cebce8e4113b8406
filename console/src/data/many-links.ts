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
import { inBatches, inTime, type Progress, unwatched } from './batches.ts';
import { type Deed, lately } from './deeds.ts';
import { toFault } from './faults.ts';
import { readNow } from './read.ts';
import { refusalText } from './refusals.ts';
import { revertAll, revertedText } from './reverting.ts';
import type { Session } from './session.ts';
import { dismissAbout, showToast } from './toasts.ts';
import { writeLogged } from './write.ts';

/** The subject of messages about a change of many links. */
export const MANY = 'many links';

/** The subject of the message about a deed. */
export const aboutDeed = ({ at }: Deed): string => `deed ${at}`;

/** A link, as far as it is changed together with others. */
export interface BulkLink extends Pick<LinkToChangeFragment, 'id' | 'disabled' | 'archived' | 'expiration'> {
  readonly space: { readonly id: string } | null;
  readonly tags: readonly { readonly id: string }[];
}

/** An action on many links. */
export type BulkAction = { readonly delete: true } | { readonly update: BulkUpdate };
export type BulkUpdate =
  | Required<Pick<UpdateLinkInput, 'disabled'>>
  | Required<Pick<UpdateLinkInput, 'archived'>>
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
    const { data, error }: OperationResult<LinksToChangeQuery> = await readNow(
      client,
      LinksToChangeDocument,
      { filter, after },
    );
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
    const { data, error } = await readNow(client, LinksChosenDocument, { nodeIds });
    if (error) throw toFault(error);
    // A link that is gone cannot be changed.
    return (data?.nodes ?? []).map((node) => (node !== null && 'alias' in node ? [node] : []));
  };
  return (await inBatches(chosen, read, unwatched())).flat();
}

type Outcome = { readonly id: string; readonly message: string | null };

function countResults(outcomes: readonly Outcome[]): BulkResult {
  return {
    done: outcomes.filter(({ message }) => message === null).map(({ id }) => id),
    failed: outcomes.flatMap(({ id, message }) => (message === null ? [] : [{ id, message }])),
  };
}

/** Takes back what was done with many links, except where somebody has changed a link since, and says so. */
export async function undoMany(session: Session, deed: Deed, text: string): Promise<void> {
  dismissAbout(aboutDeed(deed));
  await attempt(MANY, async () => {
    const all = await revertAll(session, deed.changeIds);
    lately.remove(deed);
    const { length } = all.refusals;
    if (length > 0) showToast(texts.bulk.failed(length), { wrong: true, about: MANY });
    else showToast(revertedText(texts.undoneOf(text), all));
  });
}

/** Says what was done with many links, and offers to undo it, also later in the list. */
function offerUndo(session: Session, text: string, changeIds: readonly string[], detail = ''): void {
  const told = detail === '' ? text : `${text} ${detail}`;
  if (changeIds.length === 0) return void showToast(told);
  // The list offers to undo what was done before, once this is undone or its message is gone.
  dismissAbout(...lately.get().map(aboutDeed));
  const deed = lately.add(session, { changeIds, text });
  const run = () => void undoMany(session, deed, text);
  showToast(told, { about: aboutDeed(deed), shownFor: UNDO_FOR, action: { name: texts.undo, run } });
}

/** Deletes many links, a hundred in a request. */
export async function deleteMany(
  session: Session,
  ids: readonly string[],
  options: BulkOptions,
): Promise<BulkResult> {
  const changes: string[] = [];
  const remove = async (batch: readonly string[]): Promise<Outcome[]> => {
    const { data, changeIds } = await writeLogged(session, DeleteLinksDocument, { ids: [...batch] });
    changes.push(...changeIds);
    return inTime(data.deleteLinks).map((one, index) => ({
      id: batch[index] ?? '',
      message: one.__typename === 'DeletedRecord' ? null : refusalText(one),
    }));
  };
  const result = countResults(await inBatches(ids, remove, options));
  const t = texts.links;
  if (result.done.length > 0) offerUndo(session, t.deletedMany(result.done.length), changes, t.restorable);
  return result;
}

/** The changes of the links that an update changes at all. */
export function changesBy(update: BulkUpdate, links: readonly BulkLink[]): UpdateLinksInput[] {
  return links.flatMap(({ id, disabled, archived, expiration, space, tags }): UpdateLinksInput[] => {
    const has = (tagId: string) => tags.some((tag) => tag.id === tagId);
    if ('addTagIds' in update) {
      const addTagIds = update.addTagIds.filter((one) => !has(one));
      return addTagIds.length === 0 ? [] : [{ id, input: { addTagIds } }];
    }
    if ('removeTagIds' in update) {
      const removeTagIds = update.removeTagIds.filter(has);
      return removeTagIds.length === 0 ? [] : [{ id, input: { removeTagIds } }];
    }
    const before =
      'disabled' in update
        ? { disabled }
        : 'archived' in update
          ? { archived }
          : 'expiration' in update
            ? { expiration: { at: expiration.at } }
            : { spaceId: space?.id ?? null };
    return JSON.stringify(before) === JSON.stringify(update) ? [] : [{ id, input: update }];
  });
}

/** Changes many links, a hundred in a request, and offers to undo the changes as long as the tab is open. */
export async function changeMany(
  session: Session,
  changes: readonly UpdateLinksInput[],
  options: BulkOptions,
  told: Told,
): Promise<BulkResult> {
  const logged: string[] = [];
  const apply = async (inputs: readonly UpdateLinksInput[]): Promise<Outcome[]> => {
    const { data, changeIds } = await writeLogged(session, UpdateLinksDocument, { inputs: [...inputs] });
    logged.push(...changeIds);
    return inTime(data.updateLinks).map((one, index) => ({
      id: inputs[index]?.id ?? '',
      message: one.__typename === 'Link' ? null : refusalText(one),
    }));
  };
  const result = countResults(await inBatches(changes, apply, options));
  const { length } = result.done;
  // A dialog lists the failures.
  if (length > 0) offerUndo(session, told(length), logged);
  else if (result.failed.length === 0) showToast(texts.bulk.done(0));
  return result;
}

/** The message about an update of many links. */
function toldBy(update: BulkUpdate): Told {
  const t = texts.bulk;
  if ('disabled' in update) return update.disabled ? t.disabled : t.enabled;
  if ('archived' in update) return update.archived ? t.archived : t.unarchived;
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
