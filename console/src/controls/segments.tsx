import type { ReactElement } from 'react';

/** A choice of one of a few, all in sight. */
export function Segments<Key extends string>({
  label,
  items,
  chosen,
  onChoose,
}: {
  label: string;
  items: readonly { readonly key: Key; readonly name: string }[];
  chosen: Key | undefined;
  onChoose: (key: Key) => void;
}): ReactElement {
  return (
    <fieldset className="segments" aria-label={label}>
      {items.map(({ key, name }) => (
        <button key={key} type="button" aria-pressed={key === chosen} onClick={() => onChoose(key)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}
