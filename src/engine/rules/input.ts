import { z } from 'zod';
import { keysOf } from '../tools/keys-of.ts';
import { readOnce, SHORT_TEXT } from '../tools/remembered.ts';
import { type FieldError, invalid, invalidField, MAX_FIELD_ERRORS } from './errors.ts';
import { type Refusal, refusal, refusalIn, refusing } from './refusal.ts';

/** A character in two UTF-16 units. */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** A whole number that both databases can hold as an id or a count. */
export const MAX_INT = 2_147_483_647;

/** Said of each count in the schema. */
export const shownCountLimit = `At most ${MAX_INT}.`;

/** A count within GraphQL's Int. */
export function shownCount(count: number): number {
  return Math.min(count, MAX_INT);
}

/** The number of an id; null for an impossible id. */
export function parseId(id: string): number | null {
  if (!/^[1-9]\d{0,9}$/.test(id)) return null;
  const number = Number(id);
  return number <= MAX_INT ? number : null;
}

/** The number of code points: an emoji counts as one, not two. */
const countCharacters = readOnce((text) => text.length - (text.match(PAIR)?.length ?? 0));

/** The number of code points of a text that is too long to be read once more: it is not kept. */
function countAll(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** True if both databases can store the text. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

// `meta` adds JSON Schema for rules that zod cannot describe: the APIs' descriptions are generated from it.

/**
 * The errors of a schema, for its `error`: null comes from updates, in which it clears other fields.
 * @param allowed what is allowed, for a value of another type
 */
export function unless(allowed: Refusal | string): z.core.$ZodErrorMap {
  const { message } = refusalIn(allowed);
  const [missing, uncleared] = [refusal('REQUIRED'), refusal('NOT_CLEARABLE', { allowed: message })];
  return (issue) => {
    if (issue.input === undefined) return missing.error(issue);
    if (issue.input === null) return uncleared.error(issue);
    return typeof allowed === 'string' ? allowed : allowed.error(issue);
  };
}

/** Characters that editors, chats and web pages add around copied text: spaces and invisible characters. */
const COPIED = '[\\s\\u200B-\\u200F\\u202A-\\u202E\\u2060\\u2066-\\u2069\\uFEFF]';
/** Each run of them is looked at once: only its first character may begin one at the end. */
const AROUND = new RegExp(`^${COPIED}+|(?<!${COPIED})${COPIED}+$`, 'g');

/** The text without the characters at its end that match; a pattern for all of them at once could take quadratic time. */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** An address, a host or a name without what was copied with it. */
export const trimPasted = readOnce((text) => text.replace(AROUND, ''));

const trim = readOnce((text) => text.trim());

/** True for a text of ASCII alone. */
export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/**
 * Case-folds text, also beyond ASCII, for search and sorting: the databases' own case functions differ. Upper case comes
 * before lower case, so that "ß" equals "SS", and lower case before that, so that "ẞ" does, too. The last step converts each letter
 * separately, so that a Greek sigma does not depend on its position in the word.
 */
export function foldCase(text: string): string {
  // A shortcut for ASCII, since most texts are URLs.
  if (isAscii(text)) return text.toLowerCase();
  const upper = text.normalize('NFC').toLowerCase().toUpperCase();
  return Array.from(upper, (character) => character.toLowerCase())
    .join('')
    .normalize('NFC');
}

/** Letters that Unicode does not decompose, and for which people type others. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ŧ: 't', æ: 'ae', œ: 'oe' },
};

/** Folds text further than `foldCase`: without accents and other marks. Each part of a text folds to a part of the folded text. */
export function foldMarks(text: string): string {
  const folded = foldCase(text);
  if (isAscii(folded)) return folded;
  const plain = folded.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return plain.replaceAll(/[øłđħŧæœ]/g, (letter) => PLAIN[letter] ?? letter);
}

/** The plain key for keys, in which percent-encoding is decoded; null if it would add nothing. `lacksPlainKey` has the same condition. */
export function makePlainKey(...keys: readonly (string | null | undefined)[]): string | null {
  const text = keys.filter(Boolean).join(' ');
  if (/^[\0-\x24\x26-\x7f]*$/.test(text)) return null;
  const decoded = text.replaceAll(/(?:%[\da-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped).replaceAll('\0', ' ');
    } catch {
      return escaped;
    }
  });
  return foldMarks(decoded);
}

/** The longest text that is read for a field of at most `max` characters: with what is trimmed, and characters of several units. */
export function longestFor(max: number): number {
  return Math.max(4 * max, SHORT_TEXT);
}

/**
 * Trimmed text of `min` to `max` characters that both databases can store. A far longer one is refused before it is read.
 * @param trimmed how it is trimmed
 */
export function textSchema(min: number, max: number, trimmed: (text: string) => string = trim) {
  const range = min > 0 ? refusal('LENGTH', { min, max }) : refusal('MAX_LENGTH', { max });
  const wrong = (length: number) =>
    min > 0 ? refusal('LENGTH_GIVEN', { min, max, length }) : refusal('MAX_LENGTH_GIVEN', { max, length });
  const longest = longestFor(max);
  return z
    .string({ error: unless(range) })
    .refine(({ length }) => length <= longest, {
      error: refusing(({ input }) => wrong(countAll(String(input)))),
      abort: true,
    })
    .overwrite(trimmed)
    .refine((text) => countCharacters(text) >= min && countCharacters(text) <= max, {
      error: refusing(({ input }) =>
        input === '' ? refusal('BLANK') : wrong(countCharacters(String(input))),
      ),
    })
    .refine(isStorable, refusal('STORABLE'))
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

/** The text on one line, without characters that change the direction of what is around it. */
export function plainLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');
}

/** A name that people read. */
export function nameSchema(max: number) {
  return textSchema(1, max).refine((text) => text === plainLine(text), refusal('CONTROL_CHARACTERS'));
}

/** A number that meets `isAllowed`; `allowed` describes the rule in the error message. */
export function numberSchema(isAllowed: (value: number) => boolean, allowed: Refusal | string) {
  return z.number({ error: unless(allowed) }).refine(isAllowed, allowed);
}

/** A whole number from `min` to `max`, both included. */
export function integerSchema(min: number, max: number) {
  const isAllowed = (value: number): boolean => Number.isInteger(value) && value >= min && value <= max;
  const schema = numberSchema(isAllowed, refusal('INTEGER', { min, max }));
  return schema.meta({ type: 'integer', minimum: min, maximum: max });
}

/** True or false. */
export const flag = z.boolean({ error: unless(refusal('BOOLEAN')) });

/** One of the keys of `values`. */
export function choiceSchema<Name extends string>(values: Readonly<Record<Name, string>>) {
  const names = keysOf(values);
  return z.enum(names, { error: unless(refusal('CHOICE', { choices: names.join(', ') })) });
}

/** The id of a record, as a number; `wrong` refuses an impossible id. */
export function idSchema(wrong: Refusal) {
  return z
    .string(wrong)
    .meta({ format: 'id' })
    .transform((id, context) => {
      const number = parseId(id);
      if (number !== null) return number;
      context.addIssue(wrong.issue);
      return z.NEVER;
    });
}

/**
 * A list of at most `max` items. A longer list is refused before its items are checked, so that the answer does not list an
 * error for each of a hundred thousand items.
 */
export function listSchema<Item extends z.ZodType>(item: Item, max: number) {
  const short = z.array(z.unknown(), refusal('LIST')).max(max, refusal('MAX_ENTRIES', { max }));
  const { $schema: _, ...items } = z.toJSONSchema(item, { io: 'input', unrepresentable: 'any' });
  return short.meta({ items }).pipe(z.array(item));
}

/** A field with a default value for absent and null. */
export function withDefault<Schema extends z.ZodType, Value extends z.output<Schema>>(
  schema: Schema,
  value: Value,
) {
  const given = typeof value === 'object' ? schema.nullish() : schema.nullish().meta({ default: value });
  return given.transform((one): z.output<Schema> => one ?? value);
}

/** The input of a function before it is parsed: any field may be null. */
export type Unparsed<Schema extends z.ZodType> = {
  [Field in keyof z.input<Schema>]: z.input<Schema>[Field] | null;
};

/** The wrong fields of a failed parse, in zod's order, up to a hundred. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const issue of error.issues) {
    const path = issue.path.map(String);
    const key = path.join('.');
    const field = byPath.get(key);
    const { message, ...why } = refusalIn(issue);
    if (field) field.messages.push(message);
    else if (byPath.size < MAX_FIELD_ERRORS) byPath.set(key, { path, messages: [message], ...why });
  }
  return [...byPath.values()];
}

const INVALID = refusal('INVALID');

/** Parses the input. @throws DomainError VALIDATION with all wrong fields */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  // Without an error of its own, a schema would tell zod's words.
  const result = schema.safeParse(input, INVALID);
  if (!result.success) throw invalid(fieldErrors(result.error));
  return result.data;
}

export const MAX_BATCH = 100;

/**
 * Checks the number of items in a batch, and returns them. `name` is the argument with the items.
 * @throws DomainError VALIDATION
 */
export function parseBatch<Item>(name: string, items: readonly Item[]): readonly Item[] {
  if (items.length <= MAX_BATCH) return items;
  throw invalidField(name, refusal('MAX_ENTRIES_GIVEN', { max: MAX_BATCH, entries: items.length }));
}

export const notATimestamp = refusal('TIME');

const isoTimestamp = z.union(
  [z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })],
  notATimestamp,
);

/** An offset from UTC after a time, as ISO 8601 also allows it and many programs write it: `+0530`, `+05`. */
const BASIC_OFFSET = /(?<=T[\d:.]+[+-]\d\d)(\d\d)?$/;

/**
 * A time, and whether it was given without seconds. Its year has four digits in UTC, so that both databases store
 * and sort it correctly.
 */
export const timestamp = z
  .string(notATimestamp)
  .refine(({ length }) => length <= SHORT_TEXT, { ...notATimestamp, abort: true })
  .trim()
  .transform((text) => text.replace(BASIC_OFFSET, (minutes) => `:${minutes || '00'}`))
  .pipe(isoTimestamp)
  .transform((text, context) => {
    const at = new Date(text);
    if (/^[1-9]\d{3}-/.test(at.toISOString())) return { at, toTheMinute: !/T\d\d:\d\d:/.test(text) };
    context.addIssue(refusal('YEAR').issue);
    return z.NEVER;
  });
