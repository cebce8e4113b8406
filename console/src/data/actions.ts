import { stringifyDocument } from 'urql';
import { DeleteLinksDocument, type LinkRowFragment, UpdateLinkDocument } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { announce } from './bus.ts';
import { accountHeaders } from './client.ts';
import { Fault, mayBeOutage } from './faults.ts';
import { failureText, refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { makeStore } from './store.ts';
import { aboutRecord, dismissAbout, showToast } from './toasts.ts';
import { write } from './write.ts';

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

/** Called with the id of a link whose change or deletion was undone. */
type OnUndone = (id: string) => void;

/** Enables or disables a link, and offers to undo that; without `onUndone` it is the undoing. */
export async function setDisabled(
  session: Session,
  link: LinkRowFragment,
  disabled: boolean,
  onUndone?: OnUndone,
): Promise<void> {
  const about = aboutRecord('LINK', link.id);
  await attempt(about, async () => {
    const { updateLink: result } = await write(session, UpdateLinkDocument, {
      id: link.id,
      input: { disabled },
    });
    if (result.__typename !== 'Link') return showToast(refusalText(result), { wrong: true, about });
    announce([{ kind: 'LINK', recordId: link.id, action: 'UPDATED' }]);
    if (!onUndone) return showToast(texts.undone, { about });
    return showToast(disabled ? texts.links.nowDisabled(link.alias) : texts.links.nowEnabled(link.alias), {
      about,
      action: {
        name: texts.undo,
        run: () => {
          void setDisabled(session, link, !disabled);
          onUndone(link.id);
        },
      },
    });
  });
}

/** The time in which a deletion, a save or a change of many links can be undone, in milliseconds: the API restores no link. */
export const UNDO_FOR = 15_000;

interface Deletion {
  readonly ids: readonly string[];
  readonly timer: ReturnType<typeof setTimeout>;
  readonly session: Session;
}

const waiting = new Set<Deletion>();

/** The links that are about to be deleted. */
export const aboutToGo = makeStore<ReadonlySet<string>>(new Set());

function changed(): void {
  aboutToGo.set(new Set([...waiting].flatMap(({ ids }) => ids)));
}

const aboutDeletion = (ids: readonly string[]): string => `deletion ${ids.join()}`;

async function remove(deletion: Deletion): Promise<void> {
  const { session, ids } = deletion;
  await attempt(aboutDeletion(ids), async () => {
    await write(session, DeleteLinksDocument, { ids: [...ids] });
    announce(ids.map((id) => ({ kind: 'LINK', recordId: id, action: 'DELETED' })));
  });
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
  const timer = setTimeout(() => void remove(deletion), UNDO_FOR);
  const deletion: Deletion = { ids: [first, ...others].map(({ id }) => id), timer, session };
  waiting.add(deletion);
  changed();
  const t = texts.links;
  dismissAbout(...deletion.ids.map((id) => aboutRecord('LINK', id)));
  const told = others.length === 0 ? t.deleted(first.alias) : t.deletedMany(others.length + 1);
  showToast(`${told} ${t.undoFor(UNDO_FOR / 1_000)}`, {
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

/** A page that is closed sends its pending deletions at once. */
addEventListener('pagehide', () => {
  const query = stringifyDocument(DeleteLinksDocument);
  for (const { ids, timer, session } of waiting) {
    clearTimeout(timer);
    void fetch('/graphql', {
      method: 'POST',
      keepalive: true,
      headers: { ...accountHeaders(session.accountId), 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables: { ids } }),
    });
  }
  waiting.clear();
});
