import { type ReactElement, type ReactNode, useId, useRef, useState } from 'react';

const begin = (panel: HTMLElement, selector: string) => panel.querySelector<HTMLElement>(selector);

/** A button that opens a panel beside it, which is rendered while it is open. It closes by Escape and by a press elsewhere. */
export function Popover({
  label,
  button,
  look = 'bare',
  isNamed = false,
  onNear,
  children,
}: {
  label: string;
  /** The content of the button. */
  button: ReactNode;
  /** The class of the button. */
  look?: string;
  /** True if the content of the button is its name. */
  isNamed?: boolean;
  /** Loads what the panel needs, as soon as somebody is near the button. */
  onNear?: () => void;
  children: (close: () => void) => ReactNode;
}): ReactElement {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={look}
        aria-label={isNamed ? undefined : label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        popoverTarget={id}
        onPointerEnter={onNear}
        onFocus={onNear}
      >
        {button}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className="popover"
        role="dialog"
        aria-label={label}
        onBeforeToggle={({ newState }) => newState === 'open' && setOpen(true)}
        onToggle={({ newState, currentTarget }) => {
          if (newState !== 'open') setOpen(false);
          // What is rendered before it is shown cannot have the focus yet.
          else if (!currentTarget.contains(document.activeElement))
            (begin(currentTarget, '[data-begin]') ?? begin(currentTarget, 'button, select'))?.focus();
        }}
        // Shortcuts of the elements around it wait while it is open.
        onKeyDown={(event) => event.key !== 'Escape' && event.stopPropagation()}
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}
