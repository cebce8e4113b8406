import { type ReactElement, useSyncExternalStore } from 'react';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly wrong: boolean;
  readonly action?: { readonly name: string; run(): void };
}

/** How long a message stays, in milliseconds. */
const SHOWN_FOR = 6_000;
/** How many messages are shown at once, besides those that offer an action. */
const MOST = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function dismissToast(id: number): void {
  set(toasts.filter((one) => one.id !== id));
}

/** Shows a message for some seconds; those of failures stay until they are closed. */
export function showToast(
  text: string,
  {
    wrong = false,
    action,
    shownFor = SHOWN_FOR,
  }: { wrong?: boolean; action?: Toast['action']; shownFor?: number } = {},
): number {
  lastId++;
  const id = lastId;
  const plain = toasts.filter((one) => one.action === undefined);
  const same = plain.filter((one) => one.text === text);
  const gone = [...same, ...plain.slice(0, Math.max(0, plain.length + 1 - MOST))];
  const stay = toasts.filter((one) => !gone.includes(one));
  set([...stay, { id, text, wrong, ...(action && { action }) }]);
  if (!wrong) setTimeout(() => dismissToast(id), shownFor);
  return id;
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts(): ReactElement {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, wrong, action }) => (
        <div key={id} className={wrong ? 'toast wrong' : 'toast'}>
          <span>{text}</span>
          {action && (
            <button
              type="button"
              className="act"
              onClick={() => {
                dismissToast(id);
                action.run();
              }}
            >
              {action.name}
            </button>
          )}
          <button type="button" className="bare" aria-label={texts.close} onClick={() => dismissToast(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
