import { z } from 'zod';
import { type FieldError, invalid } from './errors.ts';

/** A whole number that both databases can hold as an id or a count. */
export const MAX_INT = 2_147_483_647;

/** The number that an id stands for, or null where no record can have that id. */
export function parseId(id: string): number | null {
  if (!/^[1-9]\d{0,9}$/.test(id)) return null;
  const number = Number(id);
  return number <= MAX_INT ? number : null;
}

/** Characters as people count them: an emoji beyond the basic plane is one. */
function lengthOf(text: string): number {
  return [...text].length;
}

/** Whether both databases can keep the text. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

// What zod cannot see of a rule is told to descriptions of the interface by `meta`, as JSON Schema has it.

/** Text without surrounding white space, of `min` to `max` characters, and of none that a database cannot keep. */
export function textOf(min: number, max: number) {
  const range = min > 0 ? `must have ${min} to ${max} characters` : `may have at most ${max} characters`;
  return z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : range) })
    .trim()
    .refine((text) => lengthOf(text) >= min && lengthOf(text) <= max, {
      error: (issue) =>
        issue.input === '' ? 'is required' : `${range}, not ${lengthOf(String(issue.input))}`,
    })
    .refine(isStorable, 'may not contain null characters or broken surrogate pairs')
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

/** A number that meets `isAllowed`; `allowed` says which do. */
export function numberOf(isAllowed: (value: number) => boolean, allowed: string) {
  return z
    .number({ error: (issue) => (issue.input === undefined ? 'is required' : allowed) })
    .refine(isAllowed, allowed);
}

/** A whole number from `min` to `max`, both included. */
export function integerOf(min: number, max: number) {
  const isAllowed = (value: number): boolean => Number.isInteger(value) && value >= min && value <= max;
  const schema = numberOf(isAllowed, `must be a whole number from ${min} to ${max}`);
  return schema.meta({ type: 'integer', minimum: min, maximum: max });
}

/** One of the names that `values` has. */
export function choiceOf<Name extends string>(values: Readonly<Record<Name, string>>) {
  const names = Object.keys(values) as Name[]; // Object.keys forgets which keys it gives.
  const allowed = `must be one of ${names.join(', ')}`;
  return z.enum(names, { error: (issue) => (issue.input === undefined ? 'is required' : allowed) });
}

/** The id of a record, as its number; `wrong` is told of what no record can have. */
export function idOf(wrong: string) {
  return z
    .string(wrong)
    .meta({ format: 'id' })
    .transform((id, context) => {
      const number = parseId(id);
      if (number !== null) return number;
      context.addIssue({ code: 'custom', message: wrong });
      return z.NEVER;
    });
}

/**
 * A list of at most `max` items. One that is longer is refused before its items are looked at: what is wrong with each of
 * a hundred thousand would be a long answer.
 */
export function listOf<Item extends z.ZodType>(item: Item, max: number) {
  const short = z.array(z.unknown(), 'must be a list').max(max, `may have at most ${max} entries`);
  const { $schema: _, ...items } = z.toJSONSchema(item, { io: 'input', unrepresentable: 'any' });
  return short.meta({ items }).pipe(z.array(item));
}

/** A field that may be left out, or be null, for the given value. */
export function withDefault<Schema extends z.ZodType, Value extends z.output<Schema>>(
  schema: Schema,
  value: Value,
) {
  const given = typeof value === 'object' ? schema.nullish() : schema.nullish().meta({ default: value });
  return given.transform((one): z.output<Schema> => one ?? value);
}

/** What callers may hand to a verb: its fields before they are parsed, with null for any. */
export type Unparsed<Schema extends z.ZodType> = {
  [Field in keyof z.input<Schema>]: z.input<Schema>[Field] | null;
};

/** How many wrong fields are told of at once. */
export const MAX_TOLD = 100;

/** The wrong fields of a failed parse, in the order in which zod found them: all of them, up to a hundred. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const issue of error.issues) {
    const path = issue.path.map(String);
    const key = path.join('.');
    const field = byPath.get(key);
    if (field) field.messages.push(issue.message);
    else if (byPath.size < MAX_TOLD) byPath.set(key, { path, messages: [issue.message] });
  }
  return [...byPath.values()];
}

/** The input as the schema gives it back; a VALIDATION error with every wrong field at once where it does not hold. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (!result.success) throw invalid(fieldErrors(result.error));
  return result.data;
}

export const MAX_BATCH = 100;

/**
 * The items of a batch, where they are not too many. `name` is the argument that they came in.
 * @throws DomainError VALIDATION
 */
export function parseBatch<Item>(name: string, items: readonly Item[]): readonly Item[] {
  if (items.length <= MAX_BATCH) return items;
  throw invalid([{ path: [name], messages: [`may have at most ${MAX_BATCH} entries, not ${items.length}`] }]);
}
