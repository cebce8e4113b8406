import { type ReactElement, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { IconButton } from './button.tsx';

/** The element that had the focus before a dialog was opened, or before the first of several in a row. */
let opener: Element | null = null;

interface DialogProps {
  readonly title: string;
  onClose(): void;
  readonly children: ReactNode;
  readonly wide?: boolean;
  /** The ways to close it, if a click beside it is none: `none` leaves only a button among its children. */
  readonly closedBy?: 'closerequest' | 'none' | undefined;
}

/** A modal dialog, open for as long as it is rendered. */
export function Dialog({ title, onClose, children, wide = false, closedBy }: DialogProps): ReactElement {
  const ref = useRef<HTMLDialogElement>(null);
  const name = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!document.querySelector('dialog[open]')) opener = document.activeElement;
    dialog?.showModal();
    // The browser would focus the button that closes it. In a dialog that no accident closes, a secret is copied first.
    const button = ':scope:not([closedby]) .buttons.end .button, :scope[closedby] .copy';
    dialog?.querySelector<HTMLElement>(`form :is(input:not(.unseen), textarea, select), ${button}`)?.focus();
    return () => {
      // Only a dialog that is closed gives the focus back: to the one before it, which may be gone by now.
      dialog?.close();
      const isLost = document.activeElement === document.body || dialog?.contains(document.activeElement);
      if (isLost && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={wide ? 'wide' : undefined}
      aria-labelledby={name}
      closedby={closedBy}
      onClose={onClose}
      onCancel={(event) => closedBy === 'none' && event.preventDefault()}
      onClick={(event) => {
        // The dialog itself is clicked only outside its content.
        if (event.target === ref.current && !closedBy) ref.current?.close();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.stopPropagation();
      }}
    >
      <div className="dialog">
        <header>
          <h2 id={name}>{title}</h2>
          {closedBy !== 'none' && (
            <IconButton icon="close" name={texts.close} onClick={() => ref.current?.close()} />
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
