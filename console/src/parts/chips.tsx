import type { ReactElement } from 'react';
import { IconButton } from '../controls/button.tsx';
import type { ChoiceItem } from '../controls/choice-matches.ts';
import { texts } from '../texts.ts';

/** The list without one of its items. */
export const without = (list: readonly string[], item: string): string[] =>
  list.filter((one) => one !== item);

/** Chosen values as chips, each with a button that removes it. */
export function Chips({
  items,
  label,
  onRemove,
}: {
  items: readonly ChoiceItem[];
  label?: string;
  onRemove: (id: string) => void;
}): ReactElement | null {
  if (items.length === 0) return null;
  return (
    <ul className="chips" aria-label={label}>
      {items.map(({ id, name, color }) => (
        <li key={id} className={color === undefined ? undefined : `tag c${color}`}>
          <bdi>{name}</bdi>
          <IconButton icon="close" name={texts.removeOf(name)} onClick={() => onRemove(id)} />
        </li>
      ))}
    </ul>
  );
}
