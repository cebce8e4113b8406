import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { shortcuts } from '../app/shortcuts.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { foldName } from '../words/format.ts';
import { Item, type MenuItem } from './menu-item.tsx';

/** A button that opens a list of actions. */
export function Menu({
  label,
  icon = 'more',
  items,
  look = 'button quiet',
  children,
}: {
  label: string;
  icon?: IconName;
  items: readonly MenuItem[];
  /** The class of a button with contents of its own. */
  look?: string;
  children?: ReactNode;
}): ReactElement {
  const listId = useId();
  // A list of 50 rows has 50 menus: their items are rendered when they are shown.
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  /** The item that a key moves to, in the ways of menus, or by the first letter of its name. */
  const itemFor = (key: string): HTMLElement | undefined => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[role]') ?? [])];
    const at = all.findIndex((one) => one.matches(':focus'));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key];
    if (to !== undefined) return all.at(to % all.length);
    return [...all.slice(at + 1), ...all].find(({ innerText }) => foldName(innerText).startsWith(key));
  };
  const onListKey = (event: KeyboardEvent<HTMLDivElement>) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    // Shortcuts of the elements around it wait while it is open.
    if (key !== 'Escape') event.stopPropagation();
    // From the button on.
    if (key === 'Tab') list.current?.hidePopover();
    if (key === 'Enter' || key === ' ' || ctrlKey || metaKey || altKey) return;
    const meant = shortcuts.areOn() && items.find(({ shortcut }) => shortcut === key);
    const item = itemFor(key);
    if (meant) choose(meant);
    else item?.focus();
    if (meant || item) event.preventDefault();
  };
  const choose = ({ run }: MenuItem) => {
    list.current?.hidePopover();
    run?.();
  };
  return (
    <>
      <button
        type="button"
        className={children ? look : 'bare'}
        aria-label={children ? undefined : label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={listId}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          event.stopPropagation();
          // At once: the next key may come before the list tells that it is open.
          if (!list.current?.matches(':popover-open')) flushSync(() => event.currentTarget.click());
          itemFor(event.key === 'ArrowUp' ? 'End' : 'Home')?.focus();
        }}
      >
        {children ?? <Icon name={icon} />}
      </button>
      <div
        ref={list}
        id={listId}
        popover="auto"
        className="menu"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onBeforeToggle={({ newState }) => newState === 'open' && setOpen(true)}
        onToggle={({ newState, currentTarget }) => {
          if (newState !== 'open') setOpen(false);
          else if (!currentTarget.contains(document.activeElement)) itemFor('Home')?.focus();
        }}
        onKeyDown={onListKey}
      >
        {isOpen &&
          items.map((item) => <Item key={item.id ?? item.name} item={item} onChoose={() => choose(item)} />)}
      </div>
    </>
  );
}
