import type { ReactElement } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';

export interface MenuItem {
  /** Distinguishes items with equal names. */
  readonly id?: string;
  readonly name: string;
  readonly icon?: IconName;
  /** The key that does the same. */
  readonly shortcut?: string;
  readonly href?: string;
  readonly danger?: boolean;
  /** True for the chosen one of several. */
  readonly checked?: boolean;
  /** True for the first one of a group. */
  readonly begins?: boolean;
  run?(): void;
}

/** A link or an action of a menu. */
export function Item({ item, onChoose }: { item: MenuItem; onChoose: () => void }): ReactElement {
  const { name, icon, shortcut, href, danger, checked, begins } = item;
  const common = {
    role: checked === undefined ? 'menuitem' : 'menuitemradio',
    'aria-label': name,
    'aria-checked': checked,
    'aria-keyshortcuts': shortcut,
    tabIndex: -1,
    className: [danger && 'danger', begins && 'begins'].filter(Boolean).join(' '),
  };
  const content = (
    <>
      {icon && <Icon name={icon} />}
      <span>{name}</span>
      {shortcut && <kbd>{shortcut}</kbd>}
    </>
  );
  return href === undefined ? (
    <button {...common} type="button" onClick={onChoose}>
      {content}
    </button>
  ) : (
    <a {...common} href={href} target="_blank" rel="noreferrer">
      {content}
    </a>
  );
}
