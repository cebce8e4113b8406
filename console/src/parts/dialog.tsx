import { type ReactElement, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

/** A modal dialog, open for as long as it is rendered. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
  firm = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  /** Whether nothing closes it but a button among its children. */
  firm?: boolean;
}): ReactElement {
  const ref = useRef<HTMLDialogElement>(null);
  const name = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The browser would choose the button that closes it. Where that is the only way out, it comes after what is to be done first.
    const button =
      ':scope:not([closedby]) .buttons.end .button, :scope[closedby] .buttons.end .button:last-child';
    dialog?.querySelector<HTMLElement>(`form :is(input, textarea, select), ${button}`)?.focus();
    // Only a dialog that is closed gives the focus back.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={wide ? 'wide' : undefined}
      aria-labelledby={name}
      closedby={firm ? 'none' : undefined}
      onClose={onClose}
      onCancel={(event) => firm && event.preventDefault()}
      onClick={(event) => {
        // The dialog itself is clicked only outside its content.
        if (event.target === ref.current && !firm) ref.current?.close();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.stopPropagation();
      }}
    >
      <div className="dialog">
        <header>
          <h2 id={name}>{title}</h2>
          {!firm && (
            <button
              type="button"
              className="bare"
              aria-label={texts.close}
              onClick={() => ref.current?.close()}
            >
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
