import type { z } from 'zod';
import { type FieldError, MAX_FIELD_ERRORS } from '../../rules/errors.ts';
import { fieldErrors } from '../../rules/input.ts';
import type { Refusals } from '../answer.ts';
import type { FormFields, FormValue } from './form.ts';

export interface DecodeContext {
  readonly sent: FormFields;
  /** True if an empty value clears its field; otherwise it counts as absent. */
  readonly emptyClears: boolean;
  /** Reports an error of the field, or of a part `below` it; the message continues a sentence starting with its name. */
  refuse(message: string, ...below: string[]): void;
  /** Sets a value of the input at another path than the field's own. */
  assign(path: string, value: unknown): void;
}

/** A JSON Schema, as in OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A field of v1: its path in the GraphQL input, and how its text becomes the value. */
export interface Field {
  /** The path in the GraphQL input; empty for a field that is checked but not used. */
  readonly path: readonly string[];
  /** The value; undefined is left out of the input. */
  decode(value: FormValue, context: DecodeContext): unknown;
  /** True if an empty value is decoded instead of clearing the field, so that v1's own message refuses it. */
  readonly decodesEmpty?: boolean;
  /** The JSON Schema of what may be sent, given its rule; by default the rule. Null hides the field. */
  describe?(rule: JsonSchema): JsonSchema | null;
  /** Its description, if that of the rule, or of GraphQL, does not fit. */
  readonly about?: string;
  readonly example?: string;
  /** v1's name for a path below the field; by default the input's. */
  nameBelow?(path: readonly string[], value: FormValue | undefined): readonly string[];
}

export type Fields = Readonly<Record<string, Field>>;

/** The text of a value; refuses one with brackets, or that only JSON has, and returns undefined. */
export function scalar(value: FormValue, { refuse }: DecodeContext, ...below: string[]): string | undefined {
  if (typeof value === 'string') return value;
  const allowed = value instanceof Map ? 'a single value' : 'a text, or a whole number below 2^53';
  refuse(`must be ${allowed}`, ...below);
  return undefined;
}

/** A path in the input, written with dots: `filter.search`. */
export function splitPath(path: string): readonly string[] {
  return path.split('.');
}

export function textField(path: string): Field {
  return { path: splitPath(path), decode: scalar };
}

export function recordId(path: string): Field {
  return { ...textField(path), describe: () => ({ type: 'integer', minimum: 1 }) };
}

/** A whole number as programs write it: 5, not 05 or +5. Anything else stays text, which the rule refuses. */
export function integerField(path: string): Field {
  return {
    path: splitPath(path),
    decode(value, context) {
      const digits = scalar(value, context);
      return digits !== undefined && /^(0|-?[1-9]\d*)$/.test(digits) ? Number(digits) : digits;
    },
  };
}

/** The value of a choice's spelling; refuses an unknown one, and returns undefined. */
export function chosen(
  values: ReadonlyMap<string, unknown>,
  value: FormValue,
  context: DecodeContext,
  ...below: string[]
): unknown {
  const spelling = scalar(value, context, ...below);
  if (spelling !== undefined && !values.has(spelling))
    context.refuse(`must be one of ${[...values.keys()].join(', ')}`, ...below);
  return spelling === undefined ? undefined : values.get(spelling);
}

/** The JSON Schema of a choice's spellings: numbers if all of them are. */
export function describeChoice(values: ReadonlyMap<string, unknown>, rule: JsonSchema): JsonSchema {
  const numeric = [...values.keys()].every((spelling) => /^\d+$/.test(spelling));
  const spell = (spelling: string) => (numeric ? Number(spelling) : spelling);
  const standard = [...values].find(([, value]) => value === rule.default)?.[0];
  return {
    type: numeric ? 'integer' : 'string',
    enum: [...values.keys()].map(spell),
    ...(standard !== undefined && { default: spell(standard) }),
  };
}

/** The meanings of a choice's numbers: `0 public, 1 private`. */
export function listMeanings(values: Readonly<Record<number, string>>): string {
  const named = Object.entries(values).map(([number, name]) => `${number} ${name.toLowerCase()}`);
  return named.join(', ');
}

/** A choice with v1's spellings; `path` is null if it is only checked. */
export function choice(path: string | null, values: Readonly<Record<string, unknown>>): Field {
  const allowed = new Map(Object.entries(values));
  return {
    path: path === null ? [] : splitPath(path),
    decodesEmpty: true,
    decode: (value, context) => chosen(allowed, value, context),
    describe: (rule) => describeChoice(allowed, rule),
  };
}

/** A flag, 0 or 1; true and false are accepted, too. */
export function flag(path: string): Field {
  const numbers = choice(path, { 0: false, 1: true });
  const words = new Map([
    ['false', '0'],
    ['true', '1'],
  ]);
  return {
    ...numbers,
    decode: (value, context) => numbers.decode(words.get(String(value).toLowerCase()) ?? value, context),
  };
}

function assign(input: Record<string, unknown>, [head, ...rest]: readonly string[], value: unknown): void {
  if (head === undefined || value === undefined) return;
  if (rest.length > 0) {
    // Created by an earlier call, with this type.
    const nested = (input[head] ?? {}) as Record<string, unknown>;
    assign(nested, rest, value);
    input[head] = nested;
  } else input[head] = value;
}

/** The message as a sentence about the field. */
export function sentence(name: string, message: string): string {
  return `The ${name} field ${message}.`;
}

/** v1's name for the path of an invalid input. */
function findSentName(fields: Fields, sent: FormFields, path: readonly string[]): string {
  const isAbove = ([, field]: [string, Field]) =>
    field.path.length > 0 && field.path.every((segment, index) => path[index] === segment);
  const known = Object.entries(fields).filter(isAbove);
  // Of two names for one path, the one that was sent; if both were sent, the one that counts.
  const [name, field] =
    known.findLast(([one]) => sent.get(one)) ??
    known.findLast(([one]) => sent.has(one)) ??
    known.at(-1) ??
    [];
  if (name === undefined || field === undefined) return path.join('.');
  const below = path.slice(field.path.length);
  return [name, ...(field.nameBelow?.(below, sent.get(name)) ?? below)].join('.');
}

/** The errors of fields by v1's names, in v1's order of fields. */
export function listRefusals(fields: Fields, sent: FormFields, errors: readonly FieldError[]): Refusals {
  const refusals: Refusals = new Map();
  for (const { path, messages } of errors) {
    const name = findSentName(fields, sent, path);
    if (refusals.has(name)) continue;
    refusals.set(
      name,
      messages.map((message) => sentence(name, message)),
    );
  }
  return inOrder(fields, refusals);
}

/** The GraphQL input of sent fields, and the errors of some of them. */
interface Decoded {
  readonly input: Record<string, unknown>;
  readonly refusals: Refusals;
}

/**
 * Decodes the sent fields into the GraphQL input. An empty value is null with `emptyClears`, else absent. Only values that v1
 * does not know are refused here.
 */
export function decodeForm(fields: Fields, sent: FormFields, emptyClears: boolean): Decoded {
  const input: Record<string, unknown> = {};
  const wrong: Refusals = new Map();
  for (const [name, field] of Object.entries(fields)) {
    const value = sent.get(name);
    if (value === undefined || (value === '' && !emptyClears)) continue;
    if (value === '' && !field.decodesEmpty) {
      assign(input, field.path, null);
      continue;
    }
    const decoded = field.decode(value, {
      sent,
      emptyClears,
      assign: (path, elsewhere) => assign(input, splitPath(path), elsewhere),
      refuse(message, ...below) {
        const path = [name, ...below].join('.');
        if (wrong.size < MAX_FIELD_ERRORS) wrong.set(path, [sentence(path, message)]);
      },
    });
    assign(input, field.path, decoded);
  }
  return { input, refusals: wrong };
}

/** Returns all wrong fields at once: those that v1 refuses, and those of which the input has errors by the schema. */
export function findRefusals(
  fields: Fields,
  sent: FormFields,
  schema: z.ZodType,
  { input, refusals: wrong }: Decoded,
): Refusals {
  const parsed = schema.safeParse(input);
  const refused = listRefusals(fields, sent, parsed.success ? [] : fieldErrors(parsed.error));
  // If both report a field, v1's message is used.
  const rest = [...refused].filter(([name]) => !wrong.has(name));
  return inOrder(fields, new Map([...wrong, ...rest].slice(0, MAX_FIELD_ERRORS)));
}

/** Decodes the sent fields, and checks the input by the schema. */
export function decodeFields(
  fields: Fields,
  sent: FormFields,
  schema: z.ZodType,
  emptyClears: boolean,
): Decoded {
  const decoded = decodeForm(fields, sent, emptyClears);
  return { input: decoded.input, refusals: findRefusals(fields, sent, schema, decoded) };
}

/** Refusals in v1's order of fields, so that the first message does not depend on which check found it. */
function inOrder(fields: Fields, refusals: Refusals): Refusals {
  const names = Object.keys(fields);
  const rank = (name: string): number => names.indexOf(name.split('.')[0] ?? name);
  return new Map([...refusals].sort(([a], [b]) => rank(a) - rank(b)));
}
