import { foldName } from '../words/format.ts';

export interface ChoiceItem {
  readonly id: string;
  readonly name: string;
  /** The colour of a space. */
  readonly color?: number;
  /** Other words that find the item, and choose it as its name does. */
  readonly words?: readonly string[] | undefined;
}

export interface ChoiceProps {
  readonly items: readonly ChoiceItem[];
  /** Items that are chosen beside this one, and so are not in the list. */
  readonly taken?: readonly ChoiceItem[];
  readonly value: ChoiceItem | null;
  /** Text that is typed and not chosen. */
  readonly typed: string;
  /** Called with the chosen item and the text besides. */
  readonly onValue: (item: ChoiceItem | null, typed: string) => void;
  /** True if only Enter and a click choose: by default, a typed name is chosen as the field is left. */
  readonly onlyChosen?: boolean;
  readonly onSearch?: (text: string) => void;
  /** Offers to make an item of a text that is no name; a text that is left is made when the form is sent. */
  readonly creates?: {
    name(text: string): string;
    create(text: string): void;
    /** The note below a text that is left. */
    note(text: string): string;
    /** The reason why it was not made. */
    refused(text: string): string | undefined;
  };
}

/** The id of the item that makes a new one. */
export const NEW = '\u0000new';
/** The most items that are listed at once. */
const MAX_SHOWN = 50;

const foldedNames = ({ name, words = [] }: ChoiceItem): string[] => [name, ...words].map(foldName);

/** Ranks an item among those that are found: names that begin with the text come before its other words, such as codes. */
function rankFor(sought: string, item: ChoiceItem): number {
  const names = foldedNames(item);
  if (names.includes(sought)) return 0;
  const first = names.findIndex((name) => name.startsWith(sought));
  return first === 0 ? 1 : first > 0 ? 2 : 3;
}

export interface Matches {
  readonly listed: readonly ChoiceItem[];
  /** The item that has the text as its name. */
  readonly named: ChoiceItem | undefined;
  /** A taken item that the text means. */
  readonly other: ChoiceItem | undefined;
  /** True if a new item can be made of the text. */
  readonly isNew: boolean;
}

/** Finds the items that a text means. */
export function findMatches({ items, taken = [], typed, creates }: ChoiceProps): Matches {
  const sought = foldName(typed);
  const found = items
    .filter((item) => foldedNames(item).some((name) => name.includes(sought)))
    .sort((a, b) => rankFor(sought, a) - rankFor(sought, b))
    .slice(0, MAX_SHOWN);
  const named =
    items.find(({ name }) => name === typed.trim()) ??
    items.find((item) => foldedNames(item).includes(sought));
  const isNew = creates !== undefined && sought !== '' && named === undefined;
  const listed = isNew ? [...found, { id: NEW, name: creates.name(typed.trim()) }] : found;
  const hasName = (fits: (name: string) => boolean) => taken.find((item) => foldedNames(item).some(fits));
  const other =
    sought === ''
      ? undefined
      : (hasName((name) => name === sought) ??
        (listed.length === 0 ? hasName((name) => name.includes(sought)) : undefined));
  return { listed, named, other, isNew };
}
