import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { CURRENT_ROW, focusNow, focusRow, isFocusFree } from '../../app/focus.ts';
import { useShortcuts } from '../../app/shortcuts.ts';
import { attempt, deleteLater } from '../../data/actions.ts';
import { BATCH, type Progress } from '../../data/batches.ts';
import { announceKinds } from '../../data/bus.ts';
import {
  type BulkAction,
  type BulkResult,
  linksChosen,
  linksThatMatch,
  MANY,
  performOnMany,
  type Told,
} from '../../data/many-links.ts';
import { useSession } from '../../data/session.ts';
import type { LinkFilter, LinkToChangeFragment } from '../../generated/documents.ts';
import type { Selection } from './selection.ts';

/** The props of a dialog that asks how to change the selected links. */
export interface BulkDialogProps<Update> {
  /** The number of links. */
  readonly count: number;
  onClose(): void;
  onUpdate(update: Update, told?: Told): void;
}

interface BulkState {
  readonly progress: Progress | null;
  /** The action that waits to be confirmed. */
  readonly asked: BulkAction | null;
  readonly failed: BulkResult['failed'];
  readonly opened: 'space' | 'tags' | 'expiry' | 'utm' | null;
}

export interface Bulk extends BulkState {
  /** True if a deletion of the selected links can be undone for some seconds. */
  readonly isUndoable: boolean;
  /** Remembers the button that was pressed, by a selector: the focus returns there. */
  press(selector: string): void;
  open(opened: BulkState['opened']): void;
  /** Does something at once, or asks first: before changes of links on other pages, and before several are deleted. */
  begin(action: BulkAction): void;
  confirm(action: BulkAction): void;
  cancel(): void;
  run(action: BulkAction, told?: Told): Promise<void>;
  stop(): void;
  /** Goes on after an action, with the selected links or in the list. */
  goOn(clears: boolean, failed?: BulkResult['failed']): void;
  closeFailed(): void;
  /** Reads the selected links as they are now. */
  read(signal: AbortSignal, onFound?: (count: number) => void): Promise<LinkToChangeFragment[]>;
}

const idle: BulkState = { progress: null, asked: null, failed: [], opened: null };

/**
 * The actions on selected links, and their state. An action runs at once, after a question, or after a dialog for its values; up
 * to 100 links are deleted after some seconds, so that Undo can stop it. Then `goOn` moves the focus and shows failures.
 * @param count the number of selected links
 * @param total the number of links in the list
 */
export function useBulk(selection: Selection, filter: LinkFilter, count: number, total: number): Bulk {
  const session = useSession();
  const [state, setState] = useState(idle);
  const put = (patch: Partial<BulkState>) => setState((before) => ({ ...before, ...patch }));
  const stop = useRef(new AbortController());
  const pressed = useRef(CURRENT_ROW);
  const isUndoable = !selection.isAll && count <= BATCH;

  const goOn: Bulk['goOn'] = (clears, failed = []) => {
    flushSync(() => {
      put({ progress: null, opened: null });
      if (clears && failed.length === 0) selection.clear();
    });
    if (isFocusFree() && !focusNow(pressed.current)) focusNow(CURRENT_ROW);
    put({ failed });
  };
  useShortcuts(state.progress === null ? { Escape: () => goOn(true) } : {});

  const read: Bulk['read'] = (signal, onFound = () => undefined) =>
    selection.isAll
      ? linksThatMatch(session, filter, onFound, signal)
      : linksChosen(session, selection.links);
  const run: Bulk['run'] = async (action, told) => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    const onProgress = (progress: Progress) => put({ progress });
    const onFound = (found: number) => onProgress({ done: 0, of: Math.max(found, total) });
    let failed: BulkResult['failed'] = [];
    let isDone = false;
    await attempt(MANY, async () => {
      const isGiven = 'delete' in action && !selection.isAll;
      const links = isGiven ? selection.links : await read(signal, onFound);
      ({ failed } = await performOnMany(session, action, links, { onProgress, signal }, told));
      isDone = true;
    });
    // Changed links stay selected, for more changes; in a selection of all, other links may match now.
    goOn(isDone && (selection.isAll || 'delete' in action), failed);
    announceKinds('LINK');
  };
  const perform = (action: BulkAction) => {
    if ('update' in action || !isUndoable) return void run(action);
    deleteLater(session, selection.links, focusRow);
    goOn(true);
  };
  return {
    ...{ ...state, isUndoable, run, goOn, read },
    press(selector) {
      pressed.current = selector;
    },
    open: (opened) => put({ opened }),
    begin: (action) =>
      selection.isAll || ('delete' in action && count > 1) ? put({ asked: action }) : perform(action),
    confirm(action) {
      put({ asked: null });
      perform(action);
    },
    cancel: () => put({ asked: null }),
    stop: () => stop.current.abort(),
    closeFailed: () => put({ failed: [] }),
  };
}
