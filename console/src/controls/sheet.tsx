import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useRef,
} from 'react';
import { focusNow } from '../app/focus.ts';
import { texts } from '../texts.ts';
import { IconButton } from './button.tsx';

/** Matches what Escape closes before a sheet: an open menu, dialog or list. */
const OPEN =
  ':is(.menu, .popover):popover-open, :is(select:open), dialog[open], .panel [role="combobox"][aria-expanded="true"]:focus';

interface SheetProps {
  readonly title: string;
  readonly undecided: string;
  readonly className?: string;
  onClose(): void;
  readonly children: ReactNode;
  /** The buttons below, which stay in sight. */
  readonly foot?: ReactNode;
}

/**
 * A sheet at the right edge over a view, which stays in use, as do messages with Undo. On a phone it fills the screen.
 * @param undecided the selector of a button that is there while something is typed: Escape leads to it first
 */
export function Sheet({
  title,
  undecided,
  className = '',
  onClose,
  children,
  foot,
}: SheetProps): ReactElement {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => ref.current?.focus({ preventScroll: true }), []);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector(OPEN)) return;
    event.preventDefault();
    event.stopPropagation();
    if (document.activeElement?.matches(undecided) || !focusNow(undecided)) onClose();
  };
  return (
    <section ref={ref} className={`panel ${className}`} aria-label={title} tabIndex={-1} onKeyDown={onKey}>
      <header>
        <h2>{title}</h2>
        <IconButton icon="close" name={texts.close} onClick={onClose} />
      </header>
      <div className="body">{children}</div>
      {foot}
    </section>
  );
}

/** Parts of a sheet that are rendered once the sheet itself is in sight. */
export function Later({ children }: { children: ReactNode }): ReactNode {
  return useDeferredValue(true, false) && children;
}
