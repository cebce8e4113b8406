import { flushSync } from 'react-dom';
import {
  DeleteLinksDocument,
  DuplicateLinkDocument,
  type LinkRowFragment,
  UpdateLinkDocument,
} from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { inBatches, inTime, unwatched } from './batches.ts';
import { announce } from './bus.ts';
import { lately } from './deeds.ts';
import { Fault, mayBeOutage } from './faults.ts';
import { finishLeft, sendOnLeave } from './leaving.ts';
import { failureText, refusalText } from './refusals.ts';
import { revertAll, revertedText } from './reverting.ts';
import type { Session } from './session.ts';
import { makeStore } from './store.ts';
import { aboutRecord, dismissAbout, showToast } from './toasts.ts';
import { writeLogged } from './write.ts';

/** Shows the reason of a failure. */
export function showFault(error: unknown, about = ''): void {
  if (!(error instanceof Fault)) throw error;
  if (error.kind === 'session') return;
  showToast(failureText(error), { wrong: true, about, isOutage: mayBeOutage(error) });
}

/** Runs an action and shows its failure. Earlier messages about the subject are removed. */
export async function attempt(about: string, act: () => Promise<unknown>): Promise<void> {
  dismissAbout(about);
  try {
    await act();
  } catch (error) {
    showFault(error, about);
  }
}

/** Takes changes back, and says so, and which of them were refused. */
export async function undo(
  session: Session,
  changeIds: readonly string[],
  { about = '' }: { readonly about?: string } = {},
): Promise<void> {
  await attempt(about, async () => {
    const all = await revertAll(session, changeIds);
    const isDone = all.changeIds.length > 0;
    const told = isDone
      ? revertedText(texts.undone, all)
      : all.refusals.length > 0
        ? ''
        : texts.link.undoTooLate;
    showToast([told, ...new Set(all.refusals)].filter((text) => text !== '').join(' '), {
      wrong: !isDone,
      about,
    });
  });
}

/** Called with the id of a link whose change or deletion was undone. */
type OnUndone = (id: string) => void;

/** Enables or disables a link, and offers to undo that. */
export function setDisabled(
  session: Session,
  link: LinkRowFragment,
  disabled: boolean,
  onUndone: OnUndone,
): Promise<void> {
  const { nowDisabled, nowEnabled } = texts.links;
  return setMark(session, link, { disabled }, (disabled ? nowDisabled : nowEnabled)(link.alias), onUndone);
}

/** Archives a link or takes it out of the archive, and offers to undo that. */
export function setArchived(
  session: Session,
  link: LinkRowFragment,
  archived: boolean,
  onUndone: OnUndone,
): Promise<void> {
  const { nowArchived, nowUnarchived } = texts.links;
  return setMark(session, link, { archived }, (archived ? nowArchived : nowUnarchived)(link.alias), onUndone);
}

/** Makes a link with the fields of another, but not archived, and calls `onMade` with its id. */
export async function duplicateLink(
  session: Session,
  { id }: Pick<LinkRowFragment, 'id'>,
  onMade: (id: string) => void,
): Promise<void> {
  const about = aboutRecord('LINK', id);
  await attempt(about, async () => {
    const input = { archived: false };
    const { data } = await writeLogged(session, DuplicateLinkDocument, { id, input });
    const { duplicateLink: result } = data;
    if (result.__typename !== 'Link') return showToast(refusalText(result), { wrong: true, about });
    announce([{ kind: 'LINK', recordId: result.id, action: 'CREATED' }]);
    // Leaving a page removes its messages.
    flushSync(() => onMade(result.id));
    return showToast(texts.links.duplicated(result.alias), { about });
  });
}

/** Sets a mark of a link, and offers to undo that. */
async function setMark(
  session: Session,
  link: LinkRowFragment,
  input: { readonly disabled: boolean } | { readonly archived: boolean },
  told: string,
  onUndone: OnUndone,
): Promise<void> {
  const about = aboutRecord('LINK', link.id);
  await attempt(about, async () => {
    const { data, changeIds } = await writeLogged(session, UpdateLinkDocument, {
      id: link.id,
      input,
    });
    const { updateLink: result } = data;
    if (result.__typename !== 'Link') return showToast(refusalText(result), { wrong: true, about });
    announce([{ kind: 'LINK', recordId: link.id, action: 'UPDATED' }]);
    const run = () => {
      void undo(session, changeIds, { about });
      onUndone(link.id);
    };
    const isUndoable = changeIds.length > 0;
    return showToast(told, {
      about,
      ...(isUndoable && { action: { name: texts.undo, run } }),
    });
  });
}

/** The time for which a message offers Undo, in milliseconds; until then a deletion waits, since it takes the statistics with it. */
export const UNDO_FOR = 15_000;

interface Deletion {
  readonly ids: readonly string[];
  readonly timer: ReturnType<typeof setTimeout>;
  readonly session: Session;
  readonly told: string;
}

const waiting = new Set<Deletion>();

/** The links that are about to be deleted. */
export const aboutToGo = makeStore<ReadonlySet<string>>(new Set());

function changed(): void {
  aboutToGo.set(new Set([...waiting].flatMap(({ ids }) => ids)));
}

const aboutDeletion = (ids: readonly string[]): string => `deletion ${ids.join()}`;

async function remove(deletion: Deletion): Promise<void> {
  const { session, ids, told } = deletion;
  const changeIds: string[] = [];
  const gone: string[] = [];
  // The service refuses what it has no time for in one request.
  const send = async (batch: readonly string[]) => {
    const { data, changeIds: made } = await writeLogged(session, DeleteLinksDocument, { ids: [...batch] });
    const answers = inTime(data.deleteLinks);
    changeIds.push(...made);
    gone.push(...batch.slice(0, answers.length));
    return answers;
  };
  await attempt(aboutDeletion(ids), () => inBatches(ids, send, unwatched()));
  if (changeIds.length > 0) lately.add(session, { changeIds, text: told });
  announce(gone.map((id) => ({ kind: 'LINK', recordId: id, action: 'DELETED' })));
  waiting.delete(deletion);
  changed();
}

/** Deletes links, at most 100, in some seconds, unless that is undone. */
export function deleteLater(
  session: Session,
  links: readonly { id: string; alias: string }[],
  onUndone: OnUndone,
): void {
  const [first, ...others] = links.filter(({ id }) => !aboutToGo.get().has(id));
  if (first === undefined) return;
  const t = texts.links;
  const told = others.length === 0 ? t.deleted(first.alias) : t.deletedMany(others.length + 1);
  const timer = setTimeout(() => void remove(deletion), UNDO_FOR);
  const deletion: Deletion = { ids: [first, ...others].map(({ id }) => id), timer, session, told };
  waiting.add(deletion);
  changed();
  dismissAbout(...deletion.ids.map((id) => aboutRecord('LINK', id)));
  showToast(told, {
    about: aboutDeletion(deletion.ids),
    shownFor: UNDO_FOR,
    action: {
      name: texts.undo,
      run: () => {
        clearTimeout(timer);
        waiting.delete(deletion);
        changed();
        showToast(texts.undone);
        onUndone(first.id);
      },
    },
  });
}

/** A page that is closed sends its pending deletions at once; after a reload, they are undone by restoring. */
addEventListener('pagehide', () => {
  for (const { timer } of waiting) clearTimeout(timer);
  sendOnLeave([...waiting]);
  waiting.clear();
});
void finishLeft();
