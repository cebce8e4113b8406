// The values that the log keeps of changes of links, spaces and tags: a text of JSON for each field, before and after. Kinds of
// records say how a field becomes a text; here the texts are bounded, stored and read.
import type { KeptValues } from '../../engine/changes/events.ts';
import { changedSince, type RecordKind } from './change.ts';

/** The kinds of records whose changes have values. */
export const kindsWithValues = ['LINK', 'SPACE', 'TAG'] as const satisfies RecordKind[];

export type KindWithValues = (typeof kindsWithValues)[number];

/** True for a kind of record whose changes have values. */
export function hasValues(kind: string): kind is KindWithValues {
  return kindsWithValues.some((one) => one === kind);
}

/** Maximum size of a text that is kept, in bytes. */
export const MAX_KEPT_BYTES = 64 * 1024;
/** Maximum size of a text in a list, in bytes. */
export const MAX_LISTED_BYTES = 2 * 1024;

/** A field with its texts before and after a change; null for none. */
export interface ChangedText {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A field whose value is never kept: it has no texts. */
export interface SecretField {
  readonly name: string;
  readonly isSecret: true;
}

/** A value as the log has it. */
export interface ChangedValue extends ChangedText {
  readonly isSecret: boolean;
  /** True if a text is cut. */
  readonly isCut: boolean;
  /** False if a text was too large to be kept. */
  readonly isKept: boolean;
}

/** A stored value; the mark is that of a secret (s), of a cut text (c), of one that is not kept (x), or of both (xc). */
type Stored = [name: string, before: string | null, after: string | null, mark?: 's' | 'c' | 'x' | 'xc'];

function isLonger(text: string | null, max: number): boolean {
  // A character has at most three bytes for each unit of its text.
  return text !== null && text.length * 3 > max && Buffer.byteLength(text) > max;
}

const isTooLarge = (text: string | null) => isLonger(text, MAX_KEPT_BYTES);

/** The longest beginning of a text within the size of lists. */
function cut(text: string | null): string | null {
  if (text === null || !isLonger(text, MAX_LISTED_BYTES)) return text;
  const bytes = Buffer.from(text);
  let end = MAX_LISTED_BYTES;
  // Not in the middle of a character.
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.toString('utf8', 0, end);
}

function store(value: ChangedText | SecretField): Stored {
  if ('isSecret' in value) return [value.name, null, null, 's'];
  const { name, before, after } = value;
  return isTooLarge(before) || isTooLarge(after)
    ? [name, isTooLarge(before) ? null : before, isTooLarge(after) ? null : after, 'x']
    : [name, before, after];
}

function shorten([name, before, after, mark]: Stored): Stored {
  const shortened = [cut(before), cut(after)] as const;
  const isSame = shortened[0] === before && shortened[1] === after;
  return isSame
    ? ([name, before, after, ...(mark ? [mark] : [])] as Stored)
    : [name, ...shortened, mark === 'x' ? 'xc' : 'c'];
}

interface KeepOptions {
  /** True if the change cannot be taken back, whatever its values are. */
  readonly isFinal?: boolean;
  /** Further facts for the restoration of a deleted record. */
  readonly restoring?: object;
  /** The ids of the links that a deleted space or tag had; null if they are too many. */
  readonly linkIds?: readonly number[] | null;
  /** The hashes of images in the values. */
  readonly images?: readonly string[];
}

/** The values of a change as they are stored, or null for a change without any. */
export function keepValues(
  values: readonly (ChangedText | SecretField)[],
  { isFinal = false, restoring, linkIds, images = [] }: KeepOptions = {},
): KeptValues | null {
  if (values.length === 0) return null;
  const stored = values.map(store);
  const text = JSON.stringify(stored);
  const isLong = text.length * 3 > MAX_LISTED_BYTES;
  const listed = isLong ? JSON.stringify(stored.map(shorten)) : text;
  const hasAll = stored.every(([, , , mark]) => mark !== 'x');
  const hasOthers = stored.some(([, , , mark]) => mark !== 's');
  return {
    values: listed,
    long: listed === text ? null : text,
    isRevertable: !isFinal && hasAll && hasOthers && linkIds !== null,
    restoring: restoring === undefined ? null : JSON.stringify(restoring),
    memberIds: linkIds ? JSON.stringify(linkIds) : null,
    ...(images.length > 0 && { images }),
  };
}

/** The values in their stored form. */
export function parseValues(stored: string): ChangedValue[] {
  return (JSON.parse(stored) as Stored[]).map(([name, before, after, mark]) => ({
    name,
    before,
    after,
    isSecret: mark === 's',
    isCut: mark === 'c' || mark === 'xc',
    isKept: mark !== 'x' && mark !== 'xc',
  }));
}

/** A value that a change gave a field, or took from it: no secret. */
export function comparable(values: readonly ChangedValue[]): ChangedValue[] {
  return values.filter(({ isSecret }) => !isSecret);
}

/**
 * Makes sure that fields still have the values that a change gave them. The row must be locked, or be written only as it was read.
 * @param hasNow whether a field has the value of a text now
 * @throws DomainError CONFLICT
 */
export function requireAfter(
  row: { readonly updatedAt: Date },
  values: readonly ChangedText[],
  hasNow: (name: string, text: string | null) => boolean,
): void {
  if (!values.every(({ name, after }) => hasNow(name, after))) throw changedSince(row);
}

/** The JSON of a value; null for none. */
export function jsonText(value: unknown): string | null {
  return value == null ? null : JSON.stringify(value);
}
