import { useCombobox } from 'downshift';
import { type ChangeEvent, type ReactElement, useState } from 'react';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

export interface ChoiceItem {
  readonly id: string;
  readonly name: string;
  /** The colour of a space. */
  readonly color?: number;
}

/** The item that makes a new one. */
const NEW = '\u0000new';
/** How many items are listed at once. */
const MAX_SHOWN = 50;

const fold = (text: string): string => text.toLocaleLowerCase();

/** A choice with search. */
export function Choice({
  label,
  placeholder,
  items,
  value,
  onValue,
  onSearch,
  creates,
  error,
  hint,
  isHidden = false,
}: {
  label: string;
  placeholder?: string | undefined;
  items: readonly ChoiceItem[];
  value: ChoiceItem | null;
  onValue: (item: ChoiceItem | null) => void;
  onSearch?: (text: string) => void;
  /** Offers to make what was typed, if nothing has that name. */
  creates?: { name: (text: string) => string; create: (text: string) => void };
  error?: string | undefined;
  hint?: string | undefined;
  /** Whether only screen readers get the label. */
  isHidden?: boolean;
}): ReactElement {
  const [text, setText] = useState('');
  const [isTyped, setTyped] = useState(false);
  const sought = isTyped ? fold(text.trim()) : '';
  const isFirst = ({ name }: ChoiceItem) => fold(name).startsWith(sought);
  const found = items
    .filter(({ name }) => fold(name).includes(sought))
    .sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
    .slice(0, MAX_SHOWN);
  const isNew = creates !== undefined && sought !== '' && !items.some(({ name }) => fold(name) === sought);
  const listed = isNew ? [...found, { id: NEW, name: creates.name(text.trim()) }] : found;
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
    selectedItem: value,
    inputValue: isTyped ? text : (value?.name ?? ''),
    defaultHighlightedIndex: 0,
    onIsOpenChange({ isOpen: opens }) {
      if (!opens) setTyped(false);
    },
    onSelectedItemChange({ selectedItem }) {
      if (selectedItem?.id === NEW) creates?.create(text.trim());
      else onValue(selectedItem);
      setTyped(false);
    },
  });
  // Not in onInputValueChange, which comes later: React would put the old text back, and lose keys typed fast.
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setText(target.value);
    setTyped(true);
    onSearch?.(target.value.trim());
  };
  const props = { placeholder, onChange, spellCheck: false, 'aria-invalid': error !== undefined };
  return (
    <div className={error === undefined ? 'field choice' : 'field choice wrong'}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: downshift names the control */}
      <label {...getLabelProps({ className: isHidden ? 'unseen' : undefined })}>{label}</label>
      <div className="box">
        {value?.color !== undefined && !isTyped && <i className={`dot c${value.color}`} />}
        <input {...getInputProps(props)} />
        {value !== null && (
          <button
            type="button"
            className="bare"
            aria-label={texts.clearOf(label)}
            onClick={() => onValue(null)}
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
              {...getItemProps({ item, index, className: index === highlightedIndex ? 'on' : '' })}
            >
              {item.color !== undefined && <i className={`dot c${item.color}`} />}
              {item.name}
            </li>
          ))}
        {isOpen && listed.length === 0 && <li className="none">{texts.nothingFound}</li>}
      </ul>
      {(error ?? hint) !== undefined && (
        <p className={error === undefined ? 'hint' : 'error'}>{error ?? hint}</p>
      )}
    </div>
  );
}
