import { MAX_BATCH } from '../domain/input.ts';

/** What limits an argument or a field of an input, for its `extensions`. */
type InputLimits = {
  /** How many items its list may have: whoever gets it refuses a longer one, and nothing else looks at its items. */
  readonly maxItems?: number;
  /** Whether it is a text of any length, with a limit of its own. */
  readonly isLong?: boolean;
};

export const NO_LIMIT = Number.POSITIVE_INFINITY;

/** The extensions of an argument or a field with these limits. */
export function limitedTo(limits: InputLimits): { extensions: InputLimits } {
  return { extensions: limits };
}

/** For the list of a batch. */
export const ofBatch = limitedTo({ maxItems: MAX_BATCH });

interface Extended {
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** How many items the list of an argument or a field may have. */
export function maxItemsOf({ extensions: { maxItems } }: Extended): number {
  return typeof maxItems === 'number' ? maxItems : NO_LIMIT;
}

/** Whether an argument or a field is a text of any length. */
export function isLongText({ extensions: { isLong } }: Extended): boolean {
  return isLong === true;
}
