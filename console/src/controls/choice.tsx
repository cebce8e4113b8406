import { type ReactElement, useId, useLayoutEffect, useRef } from 'react';
import { ErrorNote } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { texts } from '../texts.ts';
import { IconButton } from './button.tsx';
import type { ChoiceItem, ChoiceProps } from './choice-matches.ts';
import { type ChoiceState, useChoice } from './use-choice.ts';

const Dot = ({ color }: { color: number | undefined }): ReactElement | null =>
  color === undefined ? null : <i className={`dot c${color}`} />;

/**
 * A choice with search. A typed name is chosen. Any other text stays, and the field shows an error: only Enter and a click choose
 * from the list.
 */
export function Choice({
  label,
  placeholder,
  hasNone = false,
  error,
  ...props
}: ChoiceProps & {
  label: string;
  placeholder?: string | undefined;
  /** True if the placeholder is the value of an empty field. */
  hasNone?: boolean;
  error?: string | undefined;
}): ReactElement {
  const { value, typed, onValue } = props;
  const choice = useChoice(props);
  const { list, handlers } = choice;
  const wrong = choice.unchosen ?? error;
  const hint = wrong === undefined ? choice.hint : null;
  const note = useId();
  const input = {
    ...{ ...handlers, placeholder, spellCheck: false },
    ...(hasNone && { className: 'value' }),
    ...(wrong !== undefined && { 'aria-invalid': true }),
    ...((wrong ?? hint) && { 'aria-describedby': note }),
  };
  return (
    <div className={wrong === undefined ? 'field choice' : 'field choice wrong'}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: downshift names the control */}
      <label {...list.getLabelProps()}>{label}</label>
      <div className="box">
        {typed === '' && <Dot color={value?.color} />}
        <input {...list.getInputProps(input)} />
        {(value !== null || typed !== '') && (
          <IconButton
            icon="close"
            name={texts.clearOf(label)}
            // Like the button beside it: keys clear the field by its text.
            tabIndex={-1}
            onClick={({ currentTarget }) => {
              onValue(null, '');
              currentTarget.parentElement?.querySelector('input')?.focus();
            }}
          />
        )}
        <button
          type="button"
          className="bare"
          {...list.getToggleButtonProps({ 'aria-label': texts.openList(label) })}
        >
          <Icon name="down" />
        </button>
      </div>
      <Options choice={choice} />
      <ErrorNote id={note} error={wrong} />
      {hint !== null && (
        <p id={note} className="hint" role="status">
          {hint}
        </p>
      )}
    </div>
  );
}

/** The items in the list of a choice. */
function Options({ choice }: { choice: ChoiceState }): ReactElement {
  const { list, listed, takenName, choose } = choice;
  const { isOpen, highlightedIndex, getItemProps } = list;
  const ref = useRef<HTMLUListElement>(null);
  // Above all else, so that no dialog cuts it off.
  useLayoutEffect(() => {
    const box = ref.current?.previousElementSibling;
    if (isOpen && box instanceof HTMLElement) ref.current?.showPopover({ source: box });
    else ref.current?.hidePopover();
  }, [isOpen]);
  const optionProps = (item: ChoiceItem, index: number) =>
    getItemProps({
      ...{ item, index, onClick: () => choose(item) },
      className: index === highlightedIndex ? 'line on' : 'line',
    });
  return (
    <ul {...list.getMenuProps({ ref, className: 'options' })} popover="manual">
      {isOpen &&
        listed.map((item, index) => (
          <li key={item.id} {...optionProps(item, index)}>
            <Dot color={item.color} />
            <bdi>{item.name}</bdi>
          </li>
        ))}
      {isOpen && (listed.length === 0 || takenName !== undefined) && (
        <li className="none">{takenName === undefined ? texts.nothingFound : texts.form.taken(takenName)}</li>
      )}
    </ul>
  );
}
