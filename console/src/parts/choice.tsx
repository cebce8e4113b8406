import { useCombobox } from 'downshift';
import {
  type ChangeEvent,
  type KeyboardEvent,
  type ReactElement,
  useEffect,
  useEffectEvent,
  useId,
} from 'react';
import { texts } from '../texts.ts';
import { foldName } from '../words/format.ts';
import { ErrorNote } from './field.tsx';
import { Icon } from './icon.tsx';

export interface ChoiceItem {
  readonly id: string;
  readonly name: string;
  /** The colour of a space. */
  readonly color?: number;
  /** What else finds it, and chooses it as its name does. */
  readonly words?: readonly string[] | undefined;
}

/** The item that makes a new one. */
const NEW = '\u0000new';
/** How many items are listed at once. */
const MAX_SHOWN = 50;

/**
 * A choice with search. What is typed is chosen if it is a name; else it stays, and the field says so: only Enter and a click
 * choose from the list.
 */
export function Choice({
  label,
  placeholder,
  items,
  taken = [],
  value,
  typed,
  onValue,
  onSearch,
  creates,
  error,
}: {
  label: string;
  placeholder?: string | undefined;
  items: readonly ChoiceItem[];
  /** What is chosen beside this already. */
  taken?: readonly ChoiceItem[];
  value: ChoiceItem | null;
  /** What is typed and not chosen. */
  typed: string;
  /** Called with what is chosen, and with what is typed besides. */
  onValue: (item: ChoiceItem | null, typed: string) => void;
  onSearch?: (text: string) => void;
  /** Offers to make what was typed, if nothing has that name; what is left so is made when the form is sent. */
  creates?: {
    name(text: string): string;
    create(text: string): void;
    /** What happens to what is left. */
    note(text: string): string;
    /** Why it was not made. */
    refused(text: string): string | undefined;
  };
  error?: string | undefined;
}): ReactElement {
  const sought = foldName(typed);
  const namesOf = ({ name, words = [] }: ChoiceItem) => [name, ...words].map(foldName);
  /** Codes are short: a name that begins so comes before them. */
  const rank = (item: ChoiceItem) => {
    const names = namesOf(item);
    if (names.includes(sought)) return 0;
    const first = names.findIndex((name) => name.startsWith(sought));
    return first === 0 ? 1 : first > 0 ? 2 : 3;
  };
  const found = items
    .filter((item) => namesOf(item).some((name) => name.includes(sought)))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MAX_SHOWN);
  const named =
    items.find(({ name }) => name === typed.trim()) ?? items.find((item) => namesOf(item).includes(sought));
  const isNew = creates !== undefined && sought !== '' && named === undefined;
  const listed = isNew ? [...found, { id: NEW, name: creates.name(typed.trim()) }] : found;
  const hasWords = (fits: (name: string) => boolean) => taken.find((item) => namesOf(item).some(fits));
  const other =
    sought === ''
      ? undefined
      : (hasWords((name) => name === sought) ??
        (listed.length === 0 ? hasWords((name) => name.includes(sought)) : undefined));
  const {
    isOpen,
    getLabelProps,
    getInputProps,
    getMenuProps,
    getItemProps,
    getToggleButtonProps,
    highlightedIndex,
  } = useCombobox<ChoiceItem>({
    items: listed,
    itemToString: (item) => item?.name ?? '',
    itemToKey: (item) => item?.id,
    // Whatever is chosen while something is typed, is a change.
    selectedItem: typed === '' ? value : null,
    inputValue: typed === '' ? (value?.name ?? '') : typed,
    stateReducer: (state, { type, changes }) => {
      const { InputBlur, InputChange, InputKeyDownEscape } = useCombobox.stateChangeTypes;
      if (type === InputChange) return { ...changes, highlightedIndex: changes.inputValue?.trim() ? 0 : -1 };
      return type === InputBlur || type === InputKeyDownEscape
        ? { ...changes, selectedItem: state.selectedItem, inputValue: state.inputValue }
        : changes;
    },
  });
  // Not in onSelectedItemChange, which comes in an effect: what is typed meanwhile would be lost, or what is chosen.
  const choose = (item: ChoiceItem) => {
    if (item.id === NEW) creates?.create(typed.trim());
    else onValue(item, '');
  };
  const isLeft = !isOpen && typed !== '';
  const settle = () => {
    if (typed !== '' && (named !== undefined || sought === '')) onValue(named ?? value, '');
  };
  const settleLater = useEffectEvent(settle);
  // Its name may be known only later, and Escape closes the list, too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the effect event reads
  useEffect(() => {
    if (isLeft) settleLater();
  }, [isLeft, named?.id]);
  // Not in onInputValueChange, which comes later: React would put the old text back, and lose keys typed fast.
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onValue(target.value.trim() === '' ? null : value, target.value);
    onSearch?.(target.value.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey } = event;
    // It chooses, or does nothing: who means to choose must not send the form.
    if (key === 'Enter') event.preventDefault();
    if (key === 'Escape' && isLeft) onValue(value, '');
    const item = isOpen ? listed[highlightedIndex] : undefined;
    if (item && (key === 'Enter' || (key === 'ArrowUp' && altKey))) choose(item);
  };
  const left = isLeft && sought !== '' ? typed.trim() : null;
  const refused = other ? () => texts.form.taken(other.name) : (creates?.refused ?? texts.form.notChosen);
  const unchosen = left === null ? undefined : refused(left);
  const wrong = unchosen ?? error;
  const hint = left !== null && isNew && wrong === undefined ? creates.note(left) : null;
  const note = useId();
  const props = {
    ...{ placeholder, onChange, onKeyDown, onBlur: settle, spellCheck: false },
    ...(wrong !== undefined && { 'aria-invalid': true }),
    ...((wrong ?? hint) && { 'aria-describedby': note }),
  };
  return (
    <div className={wrong === undefined ? 'field choice' : 'field choice wrong'}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: downshift names the control */}
      <label {...getLabelProps()}>{label}</label>
      <div className="box">
        {value?.color !== undefined && typed === '' && <i className={`dot c${value.color}`} />}
        <input {...getInputProps(props)} />
        {(value !== null || typed !== '') && (
          <button
            type="button"
            className="bare"
            // As the button beside it: keys clear the field by its text.
            tabIndex={-1}
            aria-label={texts.clearOf(label)}
            onClick={({ currentTarget }) => {
              onValue(null, '');
              currentTarget.parentElement?.querySelector('input')?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        )}
        <button
          type="button"
          className="bare"
          {...getToggleButtonProps({ 'aria-label': texts.openList(label) })}
        >
          <Icon name="down" />
        </button>
      </div>
      <ul {...getMenuProps({ className: isOpen ? 'options' : 'options closed' })}>
        {isOpen &&
          listed.map((item, index) => (
            <li
              key={item.id}
              {...getItemProps({
                ...{ item, index, onClick: () => choose(item) },
                className: index === highlightedIndex ? 'on' : '',
              })}
            >
              {item.color !== undefined && <i className={`dot c${item.color}`} />}
              <bdi>{item.name}</bdi>
            </li>
          ))}
        {isOpen && (listed.length === 0 || other) && (
          <li className="none">{other ? texts.form.taken(other.name) : texts.nothingFound}</li>
        )}
      </ul>
      <ErrorNote id={note} error={wrong} />
      {hint !== null && (
        <p id={note} className="hint" role="status">
          {hint}
        </p>
      )}
    </div>
  );
}
