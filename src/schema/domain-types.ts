import type { InputRef } from '@pothos/core';
import { z } from 'zod';
import { limitedTo, NO_LIMIT } from '../engine/graphql/input-limits.ts';
import { builder } from './builder.ts';

type AnyRef = InputRef<NonNullable<unknown>>;

/** The GraphQL type of a value. */
type Type = 'ID' | 'String' | 'DateTime' | 'Boolean' | 'Int' | AnyRef;

/** A schema's value without its wrappers, and their descriptions; the outermost counts. */
interface Described {
  readonly value: z.core.$ZodType;
  readonly description: string | undefined;
  readonly defaultValue: unknown;
  readonly format: unknown;
  /** The items of a list, whose length is checked before its items. */
  readonly items: z.core.$ZodType | undefined;
}

const isKind = <Kind extends z.core.$ZodType>(
  schema: z.core.$ZodType,
  kind: new (...args: never[]) => Kind,
): schema is Kind => schema instanceof kind;

/** Unwraps optional, nullable and transformed values. */
function describe(schema: z.core.$ZodType): Described {
  const { description, default: defaultValue, format } = z.globalRegistry.get(schema) ?? {};
  const unwrap = (inner: z.core.$ZodType, items?: z.core.$ZodType): Described => {
    const found = describe(inner);
    return {
      value: found.value,
      description: description ?? found.description,
      defaultValue: defaultValue ?? found.defaultValue,
      format: format ?? found.format,
      items: items ?? found.items,
    };
  };
  if (isKind(schema, z.core.$ZodOptional) || isKind(schema, z.core.$ZodNullable))
    return unwrap(schema._zod.def.innerType);
  if (!isKind(schema, z.core.$ZodPipe)) {
    const items = isKind(schema, z.core.$ZodArray) ? schema._zod.def.element : undefined;
    return { value: schema, description, defaultValue, format, items };
  }
  const { in: before, out } = schema._zod.def;
  return unwrap(before, isKind(out, z.core.$ZodArray) ? out._zod.def.element : undefined);
}

/** Options for fields that show a value as it was entered: the domain's description. */
export function listDescriptions<Name extends string>({
  shape,
}: {
  shape: Readonly<Record<Name, z.core.$ZodType>>;
}) {
  return (name: Name) => ({ description: describe(shape[name]).description ?? '' });
}

/** The types of the domain's choices and objects, by their titles. */
const types = new Map<string, AnyRef>();

/**
 * An enum with the domain's values and their descriptions. Inputs use it for the domain's choice with the same title.
 * @param guides parts of guides, such as `clients#retries`, to which descriptions of values link
 */
export function enumType<Name extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Name, string>>,
  guides: Readonly<Partial<Record<string, string>>> = {},
) {
  const describeValue = (value: string, text: string) =>
    guides[value] === undefined ? text : `${text} [Guide](/docs/guides/${guides[value]})`;
  const values = Object.fromEntries(
    Object.entries<string>(descriptions).map(([value, text]) => [
      value,
      { description: describeValue(value, text) },
    ]),
  ) as Record<Name, { description: string }>; // Object.fromEntries loses the type of the keys.
  const type = builder.enumType(name, { description, values });
  types.set(name, type);
  return type;
}

/** The type of the schema's title in the domain. */
function named(schema: z.core.$ZodType): Type {
  const { title = '', description } = z.globalRegistry.get(schema) ?? {};
  const known = types.get(title);
  if (known) return known;
  if (!isKind(schema, z.core.$ZodObject)) throw new Error(`there is no enum for ${title || 'a choice'}`);
  const made = inputType(`${title}Input`, description ?? '', schema);
  types.set(title, made);
  return made;
}

function toTypeName({ value, format }: Described): Type {
  if (isKind(value, z.core.$ZodEnum) || isKind(value, z.core.$ZodObject)) return named(value);
  if (isKind(value, z.core.$ZodBoolean)) return 'Boolean';
  if (isKind(value, z.core.$ZodNumber)) return 'Int';
  if (!isKind(value, z.core.$ZodString)) throw new Error(`there is no type for ${value._zod.def.type}`);
  return format === 'id' ? 'ID' : format === 'date-time' ? 'DateTime' : 'String';
}

/** Returns the maximum number of items of a list. */
function findMaxItems(list: z.core.$ZodType): number {
  const { maxItems } = z.toJSONSchema(list, { io: 'input', unrepresentable: 'any' });
  return maxItems ?? NO_LIMIT;
}

const accepts = (schema: z.core.$ZodType, value: unknown): boolean => z.safeParse(schema, value).success;

/**
 * The input type of a domain schema: its fields, whether they are required, and their descriptions.
 * @param updates whether it is the input of an update, so that null clears a field that can be cleared
 */
export function inputType<Schema extends z.core.$ZodObject>(
  name: string,
  description: string,
  schema: Schema,
  { updates = false } = {},
): InputRef<z.input<Schema>> {
  const entries = Object.entries(schema._zod.def.shape).map(([field, rule]) => {
    const described = describe(rule);
    const { defaultValue, items } = described;
    const type: Type | [Type] = items ? [toTypeName(describe(items))] : toTypeName(described);
    const about = described.description ?? '';
    const byDefault = `${about.replace(/\.$/, '')}; ${defaultValue} by default.`;
    const cleared = accepts(rule, null) ? `${about} Null clears ${items ? 'them' : 'it'}.` : about;
    const words = updates ? cleared : defaultValue === undefined ? about : byDefault;
    const limited = items
      ? limitedTo({ maxItems: findMaxItems(described.value) })
      : described.format === 'data-url'
        ? limitedTo({ isLong: true })
        : {};
    return [field, { type, required: !accepts(rule, undefined), description: words, ...limited }] as const;
  });
  const { isOneOf = false } = z.globalRegistry.get(schema) ?? {};
  const type = builder.inputRef<Record<string, unknown>>(name).implement({
    description,
    isOneOf: isOneOf === true,
    fields: (t) => Object.fromEntries(entries.map(([field, options]) => [field, t.field(options)])),
  });
  // GraphQL accepts what the schema accepts; TypeScript cannot follow that.
  return type as unknown as InputRef<z.input<Schema>>;
}
