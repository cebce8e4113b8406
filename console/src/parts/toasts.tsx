import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { away } from '../data/away.ts';
import { type Happening, onHappenings } from '../data/bus.ts';
import { storeOf } from '../data/store.ts';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly wrong: boolean;
  readonly about: string;
  /** Whether it says that the service does not answer. */
  readonly isOutage?: boolean;
  readonly action?: { readonly name: string; run(): void };
}

/** How long a message stays, in milliseconds. */
const SHOWN_FOR = 6_000;

/** The last one is shown. Below it wait those that are not done with: errors, and what can still be undone. */
const toasts = storeOf<readonly Toast[]>([]);
let lastId = 0;

function keep(stays: (toast: Toast) => boolean, ...more: readonly Toast[]): void {
  toasts.set([...toasts.get().filter(stays), ...more]);
}

const isOpen = ({ wrong, action }: Toast): boolean => wrong || action !== undefined;

export const dismissToast = (id: number): void => keep((one) => one.id !== id);

/** Removes what was said about something: it is mended, done again, or gone. */
export const dismissAbout = (...abouts: readonly string[]): void =>
  keep(({ about }) => about === '' || !abouts.includes(about));

/** Undoes what the last message tells that can be undone, whatever stands before it; false if there is none. */
export function undoToast(): boolean {
  const last = toasts.get().findLast(({ action }) => action !== undefined);
  if (last) act(last);
  return last !== undefined;
}

function act({ id, action }: Toast): void {
  dismissToast(id);
  action?.run();
}

/** Removes what was said of an outage, which is over. Returns whether there was something. */
export function dismissOutage(): boolean {
  const wasTold = toasts.get().some(({ isOutage }) => isOutage);
  if (wasTold) keep(({ isOutage }) => !isOutage);
  return wasTold;
}

export const dismissAll = (): void => keep(() => false);

/** What messages about a record are about. */
export const aboutRecord = (kind: Happening['kind'], id: string): string => `${kind} ${id}`;

onHappenings((happenings) =>
  dismissAbout(
    ...happenings.flatMap(({ kind, recordId, action }) =>
      action === 'DELETED' && recordId !== null ? aboutRecord(kind, recordId) : [],
    ),
  ),
);

/**
 * Shows a message for some seconds; one of a failure until it is closed, mended, or its page is left.
 * @param about what it is about: an earlier message about the same is gone
 */
export function showToast(
  text: string,
  {
    wrong = false,
    about = '',
    isOutage = false,
    action,
    shownFor = SHOWN_FOR,
  }: {
    wrong?: boolean;
    about?: string;
    isOutage?: boolean;
    action?: Toast['action'];
    shownFor?: number;
  } = {},
): number {
  lastId++;
  const id = lastId;
  const isOther = (one: Toast) => one.text !== text && (about === '' || one.about !== about);
  keep((one) => isOpen(one) && isOther(one), { id, text, wrong, about, isOutage, ...(action && { action }) });
  if (!wrong) setTimeout(() => dismissToast(id), shownFor);
  return id;
}

/** Stands where messages do while there is none: it is one of them at most, and covers no part of a view. */
const isAway: Toast = { id: Infinity, text: texts.away, wrong: true, about: '' };

export function Toasts(): ReactElement {
  const last = useSyncExternalStore(toasts.subscribe, toasts.get).at(-1);
  const shown = useSyncExternalStore(away.subscribe, away.get) ? (last ?? isAway) : last;
  const [location] = useLocation();
  // What can be undone is about more than the page where it was done.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another page
  useEffect(() => keep(({ action }) => action !== undefined), [location]);
  return (
    // A message that is shown again, after a later one, was heard already.
    <div className="toasts" role="status" aria-live={shown && shown.id < lastId ? 'off' : 'polite'}>
      {shown && (
        <div key={shown.id} className={shown.wrong ? 'toast wrong' : 'toast'}>
          <span>{shown.text}</span>
          {shown.action && (
            <button type="button" className="act" onClick={() => act(shown)}>
              {shown.action.name}
            </button>
          )}
          {shown !== isAway && (
            <button
              type="button"
              className="bare"
              aria-label={texts.close}
              onClick={() => dismissToast(shown.id)}
            >
              <Icon name="close" />
            </button>
          )}
        </div>
      )}
    </div>
  );
}
