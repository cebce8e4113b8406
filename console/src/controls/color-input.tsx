import type { ComponentProps, ReactElement } from 'react';

/** A colour, which is typed or picked. */
export function ColorInput({
  pickLabel,
  value,
  typed,
  onText,
  ...input
}: Omit<ComponentProps<'input'>, 'value' | 'type' | 'onChange'> & {
  /** The name of the picker beside the typed text. */
  pickLabel: string;
  /** The present colour, such as `#3a4fd8`. */
  value: string;
  typed: string;
  onText: (text: string) => void;
}): ReactElement {
  return (
    <div className="color">
      <input
        type="color"
        aria-label={pickLabel}
        value={value}
        onChange={({ target }) => onText(target.value)}
      />
      <input
        autoComplete="off"
        spellCheck={false}
        maxLength={9}
        {...input}
        type="text"
        value={typed}
        onChange={({ target }) => onText(target.value)}
      />
    </div>
  );
}
