import type { z } from 'zod';
import { fieldErrors } from '../domain/input.ts';
import type { FormFields, FormValue } from './form.ts';

/** Why a value is refused; reads on from the field's name. */
export class WrongForm extends Error {}

/** How v1 spells one field: where its value belongs in the input, and how its text becomes that value. */
export interface Field {
  /** Where in the GraphQL input the value goes; a field that v1 knows but nothing needs goes nowhere. */
  readonly path: readonly string[];
  /** @throws WrongForm */
  decode(value: FormValue): unknown;
}

export type Fields = Readonly<Record<string, Field>>;

/** Messages by the name that the client sent. */
export type Refusals = Map<string, string[]>;

function scalar(value: FormValue): string {
  if (typeof value !== 'string') throw new WrongForm('must be a single value');
  return value;
}

/** Text as it is. The path is written with dots: `filter.search`. */
export function text(path: string): Field {
  return { path: path.split('.'), decode: scalar };
}

/** A whole number in decimal digits. Anything else stays text, for the domain to say what is allowed. */
export function integer(path: string): Field {
  return {
    path: path.split('.'),
    decode(value) {
      const digits = scalar(value);
      return /^[+-]?\d+$/.test(digits) ? Number(digits) : digits;
    },
  };
}

/** One of the spellings that v1 has for a choice; `path` is null where it is checked and has no effect. */
export function choice(path: string | null, values: Readonly<Record<string, unknown>>): Field {
  const allowed = new Map(Object.entries(values));
  return {
    path: path?.split('.') ?? [],
    decode(value) {
      const spelling = scalar(value);
      if (!allowed.has(spelling)) throw new WrongForm(`must be one of ${[...allowed.keys()].join(', ')}`);
      return allowed.get(spelling);
    },
  };
}

function assign(input: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    input[head] = value;
    return;
  }
  const nested = (input[head] ?? {}) as Record<string, unknown>; // Made by an earlier call, of this same kind.
  input[head] = nested;
  assign(nested, rest, value);
}

/** The message as v1 gives it. */
export function sentence(name: string, message: string): string {
  return `The ${name} field ${message}.`;
}

/** The name under which v1 knows the place of an input that the domain found wrong. */
export function nameOf(fields: Fields, path: readonly string[]): string {
  const known = Object.entries(fields).find(
    ([, field]) => field.path.length > 0 && field.path.every((segment, index) => path[index] === segment),
  );
  if (!known) return path.join('.');
  const [name, field] = known;
  return [name, ...path.slice(field.path.length)].join('.');
}

/**
 * The input that the sent fields stand for. An empty value is null where `emptyClears`, else absent. `refusals` has every
 * field of wrong form at once: what v1's spelling cannot mean, and what the domain's `schema` finds wrong.
 */
export function decodeFields(
  fields: Fields,
  sent: FormFields,
  schema: z.ZodType,
  emptyClears: boolean,
): { input: Record<string, unknown>; refusals: Refusals } {
  const input: Record<string, unknown> = {};
  const wrong: Refusals = new Map();
  for (const [name, field] of Object.entries(fields)) {
    const value = sent.get(name);
    if (value === undefined) continue;
    if (value === '') {
      if (emptyClears) assign(input, field.path, null);
      continue;
    }
    try {
      assign(input, field.path, field.decode(value));
    } catch (error) {
      if (!(error instanceof WrongForm)) throw error;
      wrong.set(name, [sentence(name, error.message)]);
    }
  }
  const parsed = schema.safeParse(input);
  for (const { path, messages } of parsed.success ? [] : fieldErrors(parsed.error)) {
    const name = nameOf(fields, path);
    if (!wrong.has(name))
      wrong.set(
        name,
        messages.map((message) => sentence(name, message)),
      );
  }
  return { input, refusals: inOrder(fields, wrong) };
}

/** Refusals in the order in which v1 lists its fields, so that the first message does not depend on who found it. */
function inOrder(fields: Fields, refusals: Refusals): Refusals {
  const names = Object.keys(fields);
  const rank = (name: string): number => names.indexOf(name.split('.')[0] ?? name);
  return new Map([...refusals].sort(([a], [b]) => rank(a) - rank(b)));
}
