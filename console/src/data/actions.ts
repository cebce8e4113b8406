import { stringifyDocument } from 'urql';
import { DeleteLinkDocument, type LinkRowFragment, UpdateLinkDocument } from '../generated/documents.ts';
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
      action: { name: texts.undo, run: () => void setDisabled(session, link, !disabled) },
    });
  } catch (error) {
    showFault(error);
  }
}

/** How long a deletion can be taken back, in milliseconds: the API cannot restore a link. */
const UNDO_FOR = 15_000;

interface Waiting {
  readonly timer: ReturnType<typeof setTimeout>;
  readonly session: Session;
}

const waiting = new Map<string, Waiting>();
let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function changed(): void {
  hidden = new Set(waiting.keys());
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

async function remove(session: Session, id: string): Promise<void> {
  try {
    await write(session, DeleteLinkDocument, { id });
    announce([{ kind: 'LINK', recordId: id, action: 'DELETED' }]);
  } catch (error) {
    showFault(error);
  } finally {
    waiting.delete(id);
    changed();
  }
}

/** Deletes a link in some seconds, unless that is undone. */
export function deleteLater(session: Session, link: LinkRowFragment): void {
  const { id, alias } = link;
  if (waiting.has(id)) return;
  const timer = setTimeout(() => {
    dismissToast(toast);
    void remove(session, id);
  }, UNDO_FOR);
  waiting.set(id, { timer, session });
  changed();
  const toast = showToast(texts.links.deleted(alias), {
    shownFor: UNDO_FOR,
    action: {
      name: texts.undo,
      run: () => {
        clearTimeout(timer);
        waiting.delete(id);
        changed();
      },
    },
  });
}

/** A page that is closed does at once what it would do in a moment. */
addEventListener('pagehide', () => {
  const query = stringifyDocument(DeleteLinkDocument);
  for (const [id, { timer, session }] of waiting) {
    clearTimeout(timer);
    void fetch('/graphql', {
      method: 'POST',
      keepalive: true,
      headers: { ...headersOf(session.apiKey), 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables: { id } }),
    });
  }
  waiting.clear();
});
