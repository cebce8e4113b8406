import { stringifyDocument } from 'urql';
import { focusSoon, rowId } from '../app/focus.ts';
import { DeleteLinksDocument, type LinkRowFragment, UpdateLinkDocument } from '../generated/documents.ts';
import { faultText } from '../parts/notice.tsx';
import { dismissToast, showToast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';
import { announce } from './bus.ts';
import { headersOf } from './client.ts';
import { Fault } from './faults.ts';
import { refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { write } from './write.ts';

/** Shows why something failed. */
export function showFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error;
  if (error.kind !== 'key') showToast(faultText(error), { wrong: true });
}

/** Undoes something, and moves to the row of its link. */
function undoAt(id: string, undo: () => void): void {
  undo();
  focusSoon(`#${rowId(id)}`, () => document.activeElement?.closest('input, textarea, select') === null);
}

/** Enables or disables a link. */
export async function setDisabled(session: Session, link: LinkRowFragment, disabled: boolean): Promise<void> {
  try {
    const { updateLink: result } = await write(session, UpdateLinkDocument, {
      id: link.id,
      input: { disabled },
    });
    if (result.__typename !== 'Link') return void showToast(refusalText(result), { wrong: true });
    announce([{ kind: 'LINK', recordId: link.id, action: 'UPDATED' }]);
    showToast(disabled ? texts.links.nowDisabled(link.alias) : texts.links.nowEnabled(link.alias), {
      action: {
        name: texts.undo,
        run: () => undoAt(link.id, () => void setDisabled(session, link, !disabled)),
      },
    });
  } catch (error) {
    showFault(error);
  }
}

/** How long a deletion, or a change of many links, can be undone, in milliseconds: the API cannot restore a link. */
export const UNDO_FOR = 15_000;

interface Deletion {
  readonly ids: readonly string[];
  readonly timer: ReturnType<typeof setTimeout>;
  readonly session: Session;
}

const waiting = new Set<Deletion>();
let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function changed(): void {
  hidden = new Set([...waiting].flatMap(({ ids }) => ids));
  for (const listener of listeners) listener();
}

/** The links that are about to be deleted: for `useSyncExternalStore`. */
export const aboutToGo = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): ReadonlySet<string> => hidden,
};

async function remove(deletion: Deletion): Promise<void> {
  const { session, ids } = deletion;
  try {
    await write(session, DeleteLinksDocument, { ids: [...ids] });
    announce(ids.map((id) => ({ kind: 'LINK', recordId: id, action: 'DELETED' })));
  } catch (error) {
    showFault(error);
  } finally {
    waiting.delete(deletion);
    changed();
  }
}

/** Deletes links, at most 100, in some seconds, unless that is undone. */
export function deleteLater(session: Session, links: readonly { id: string; alias: string }[]): void {
  const [first, ...others] = links.filter(({ id }) => !hidden.has(id));
  if (first === undefined) return;
  const timer = setTimeout(() => {
    dismissToast(toast);
    void remove(deletion);
  }, UNDO_FOR);
  const deletion: Deletion = { ids: [first, ...others].map(({ id }) => id), timer, session };
  waiting.add(deletion);
  changed();
  const t = texts.links;
  const toast = showToast(others.length === 0 ? t.deleted(first.alias) : t.deletedMany(others.length + 1), {
    shownFor: UNDO_FOR,
    action: {
      name: texts.undo,
      run: () =>
        undoAt(first.id, () => {
          clearTimeout(timer);
          waiting.delete(deletion);
          changed();
        }),
    },
  });
}

/** A page that is closed does at once what it would do in a moment. */
addEventListener('pagehide', () => {
  const query = stringifyDocument(DeleteLinksDocument);
  for (const { ids, timer, session } of waiting) {
    clearTimeout(timer);
    void fetch('/graphql', {
      method: 'POST',
      keepalive: true,
      headers: { ...headersOf(session.apiKey), 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables: { ids } }),
    });
  }
  waiting.clear();
});
