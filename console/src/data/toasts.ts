import { type Happening, onHappenings } from './bus.ts';
import { makeStore } from './store.ts';

/** A message about what happened, shown for some seconds or until it is closed. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly wrong: boolean;
  /** The subject, such as a record: a later message about it replaces this one. */
  readonly about: string;
  /** True if it says that the service does not answer. */
  readonly isOutage?: boolean;
  readonly action?: { readonly name: string; run(): void };
}

/** The time a message stays, in milliseconds. */
const SHOWN_FOR = 6_000;

/** All open messages. The last one is shown; errors, and messages with an action, wait below it. */
export const toasts = makeStore<readonly Toast[]>([]);
let lastId = 0;

function keep(stays: (toast: Toast) => boolean, ...more: readonly Toast[]): void {
  toasts.set([...toasts.get().filter(stays), ...more]);
}

const isOpen = ({ wrong, action }: Toast): boolean => wrong || action !== undefined;

/** True if a later message was shown after this one: it was announced before. */
export const wasAnnounced = ({ id }: Toast): boolean => id < lastId;

export const dismissToast = (id: number): void => keep((one) => one.id !== id);

/** Removes messages about subjects that are mended, done again, or gone. */
export const dismissAbout = (...abouts: readonly string[]): void =>
  keep(({ about }) => about === '' || !abouts.includes(about));

/** Closes a message and runs its action. */
export function actOn({ id, action }: Toast): void {
  dismissToast(id);
  action?.run();
}

/** Runs the action of the last message that has one; returns false if there is none. */
export function undoToast(): boolean {
  const last = toasts.get().findLast(({ action }) => action !== undefined);
  if (last) actOn(last);
  return last !== undefined;
}

/** Removes messages about an outage that is over. Returns true if there were any. */
export function dismissOutage(): boolean {
  const wasTold = toasts.get().some(({ isOutage }) => isOutage);
  if (wasTold) keep(({ isOutage }) => !isOutage);
  return wasTold;
}

/** Removes messages without an action: they are about the page that is being left. */
export const dismissPassive = (): void => keep(({ action }) => action !== undefined);

export const dismissAll = (): void => keep(() => false);

/** The subject of messages about a record. */
export const aboutRecord = (kind: Happening['kind'], id: string): string => `${kind} ${id}`;

onHappenings((happenings) =>
  dismissAbout(
    ...happenings.flatMap(({ kind, recordId, action }) =>
      action === 'DELETED' && recordId !== null ? aboutRecord(kind, recordId) : [],
    ),
  ),
);

interface ToastOptions extends Partial<Pick<Toast, 'wrong' | 'about' | 'isOutage' | 'action'>> {
  readonly shownFor?: number;
}

/**
 * Shows a message for some seconds; an error until it is closed, mended, or its page is left.
 * @param about the subject: an earlier message about it is removed
 */
export function showToast(
  text: string,
  { wrong = false, about = '', isOutage = false, action, shownFor = SHOWN_FOR }: ToastOptions = {},
): number {
  lastId++;
  const id = lastId;
  const isOther = (one: Toast) => one.text !== text && (about === '' || one.about !== about);
  keep((one) => isOpen(one) && isOther(one), { id, text, wrong, about, isOutage, ...(action && { action }) });
  if (!wrong) setTimeout(() => dismissToast(id), shownFor);
  return id;
}
