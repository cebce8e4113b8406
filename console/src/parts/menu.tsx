import { type ReactElement, type ReactNode, useId, useRef, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  /** What tells it apart, if its name does not. */
  readonly id?: string;
  readonly name: string;
  readonly icon?: IconName;
  /** The key that does the same. */
  readonly shortcut?: string;
  readonly href?: string;
  readonly danger?: boolean;
  run?(): void;
}

/** A button that opens a list of actions. */
export function Menu({
  label,
  icon = 'more',
  items,
  children,
}: {
  label: string;
  icon?: IconName;
  items: readonly MenuItem[];
  children?: ReactNode;
}): ReactElement {
  const listId = useId();
  // A list of 50 rows has 50 menus: what is in them is rendered when it is shown.
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const byKey = useRef(false);
  const list = useRef<HTMLDivElement>(null);
  const place = () => {
    if (!button.current || !list.current) return;
    const { bottom, top, right } = button.current.getBoundingClientRect();
    const { offsetHeight, offsetWidth, style } = list.current;
    const fitsBelow = bottom + offsetHeight + 8 < innerHeight;
    style.top = `${fitsBelow ? bottom + 4 : Math.max(8, top - offsetHeight - 4)}px`;
    style.left = `${Math.max(8, right - offsetWidth)}px`;
  };
  /** Moves the focus as in other menus; false if the key means something else. */
  const move = (key: string): boolean => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('button, a') ?? [])];
    const at = all.findIndex((one) => one === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at === -1 ? -1 : at - 1, Home: 0, End: -1 }[key];
    if (to === undefined) return false;
    all.at(to % all.length)?.focus();
    return true;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={children ? 'button quiet' : 'bare'}
        aria-label={children ? undefined : label}
        title={children ? undefined : label}
        popoverTarget={listId}
        onClick={({ detail }) => {
          // Opened by a key.
          byKey.current = detail === 0;
        }}
        onKeyDown={(event) => {
          if (isOpen && move(event.key)) event.preventDefault();
        }}
      >
        {children ?? <Icon name={icon} />}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys move among the buttons in it */}
      <div
        ref={list}
        id={listId}
        popover="auto"
        className="menu"
        onBeforeToggle={({ newState }) => newState === 'open' && setOpen(true)}
        onToggle={({ newState }) => {
          if (newState !== 'open') return setOpen(false);
          place();
          if (byKey.current) move('Home');
        }}
        onKeyDown={(event) => {
          // What is around it has keys, too: they wait while it is open.
          if (event.key !== 'Escape') event.stopPropagation();
          if (move(event.key)) event.preventDefault();
        }}
      >
        {isOpen &&
          items.map(({ id, name, icon, shortcut, href, danger, run }) => {
            const content = (
              <>
                {icon && <Icon name={icon} />}
                <span>{name}</span>
                {shortcut && <kbd>{shortcut}</kbd>}
              </>
            );
            return href === undefined ? (
              <button
                key={id ?? name}
                type="button"
                className={danger ? 'danger' : undefined}
                onClick={() => {
                  list.current?.hidePopover();
                  run?.();
                }}
              >
                {content}
              </button>
            ) : (
              <a key={name} href={href} target="_blank" rel="noreferrer">
                {content}
              </a>
            );
          })}
      </div>
    </>
  );
}
