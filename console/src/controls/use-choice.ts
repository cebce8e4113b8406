import { type UseComboboxReturnValue, useCombobox } from 'downshift';
import { type ChangeEvent, type KeyboardEvent, useEffect, useEffectEvent } from 'react';
import { texts } from '../texts.ts';
import { foldName } from '../words/format.ts';
import { type ChoiceItem, type ChoiceProps, findMatches, NEW } from './choice-matches.ts';

/** The list that opens below the field, by downshift; `typed` decides what the field shows. */
function useList(listed: readonly ChoiceItem[], { typed, value }: ChoiceProps) {
  return useCombobox<ChoiceItem>({
    items: [...listed],
    itemToString: (item) => item?.name ?? '',
    itemToKey: (item) => item?.id,
    // While something is typed, choosing the same item again is a change, too.
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
}

export interface ChoiceState {
  readonly list: UseComboboxReturnValue<ChoiceItem>;
  readonly listed: readonly ChoiceItem[];
  /** The name of a taken item that the text means, if any. */
  readonly takenName: string | undefined;
  /** The error of a text that is left in the field. */
  readonly unchosen: string | undefined;
  /** The note that the text becomes a new item. */
  readonly hint: string | null;
  readonly handlers: {
    onBlur(): void;
    onChange(event: ChangeEvent<HTMLInputElement>): void;
    onKeyDown(event: KeyboardEvent): void;
  };
  choose(item: ChoiceItem): void;
}

/**
 * The state of a choice: its list, and the handlers of its input. The parent holds the chosen item and the typed text; downshift
 * opens the list and moves in it. A typed name is chosen as the list closes; any other text stays, with an error or a note.
 */
export function useChoice(props: ChoiceProps): ChoiceState {
  const { value, typed, onValue, onSearch, creates, onlyChosen = false } = props;
  const { listed, named: found, other, isNew } = findMatches(props);
  const named = onlyChosen ? undefined : found;
  const list = useList(listed, props);
  const isLeft = !list.isOpen && typed !== '';
  const isBlank = foldName(typed) === '';
  // Not in onSelectedItemChange, which comes in an effect: a text typed meanwhile, or the choice, would be lost.
  const choose = (item: ChoiceItem) => {
    if (item.id === NEW) creates?.create(typed.trim());
    else onValue(item, '');
  };
  const settle = () => {
    if (typed !== '' && (named !== undefined || isBlank)) onValue(named ?? value, '');
  };
  const settleLater = useEffectEvent(settle);
  // The name may be known only later, and Escape closes the list, too.
  const canSettle = isLeft && (named !== undefined || isBlank);
  useEffect(() => {
    if (canSettle) settleLater();
  }, [canSettle]);
  // Not in onInputValueChange, which comes later: React would put the old text back, and lose keys typed fast.
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onValue(target.value.trim() === '' ? null : value, target.value);
    onSearch?.(target.value.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey } = event;
    // Enter chooses or does nothing: it must not send the form.
    if (key === 'Enter') event.preventDefault();
    if (key === 'Escape' && (isLeft || onlyChosen)) onValue(value, '');
    const item = list.isOpen ? listed[list.highlightedIndex] : undefined;
    if (item && (key === 'Enter' || (key === 'ArrowUp' && altKey))) choose(item);
  };
  const left = isLeft && !isBlank ? typed.trim() : null;
  const refused = other ? () => texts.form.taken(other.name) : (creates?.refused ?? texts.form.notChosen);
  const unchosen = left === null ? undefined : refused(left);
  return {
    ...{ list, listed, choose, unchosen, takenName: other?.name },
    hint: left !== null && isNew && unchosen === undefined ? (creates?.note(left) ?? null) : null,
    handlers: { onChange, onKeyDown, onBlur: settle },
  };
}
