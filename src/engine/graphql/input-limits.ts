import { MAX_BATCH } from '../rules/input.ts';

/** Limits of an argument or of an input's field, in its `extensions`. */
type InputLimits = {
  /** Maximum number of items of its list. The receiver refuses a longer one, and nothing else looks at its items. */
  readonly maxItems?: number;
  /** True for a text of any length, which has a limit of its own. */
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

/** Returns the maximum number of items of an argument's or field's list. */
export function getMaxItems({ extensions: { maxItems } }: Extended): number {
  return typeof maxItems === 'number' ? maxItems : NO_LIMIT;
}

/** True if an argument or a field is a text of any length. */
export function isLongText({ extensions: { isLong } }: Extended): boolean {
  return isLong === true;
}
