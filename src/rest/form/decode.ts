import type { z } from 'zod';
import type { FieldError } from '../../domain/errors.ts';
import { fieldErrors, MAX_FIELD_ERRORS } from '../../domain/input.ts';
import { type Field, type Fields, pathOf } from './field.ts';
import type { FormFields } from './form.ts';

/** Messages by the name that the client sent. */
export type Refusals = Map<string, string[]>;

function assign(input: Record<string, unknown>, [head, ...rest]: readonly string[], value: unknown): void {
  if (head === undefined || value === undefined) return;
  if (rest.length > 0) {
    // Created by an earlier call, with this type.
    const nested = (input[head] ?? {}) as Record<string, unknown>;
    assign(nested, rest, value);
    input[head] = nested;
  } else input[head] = value;
}

/** The message in v1's form. */
function sentence(name: string, message: string): string {
  return `The ${name} field ${message}.`;
}

/** v1's name for the path of an invalid input. */
function nameOf(fields: Fields, sent: FormFields, path: readonly string[]): string {
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

/** The domain's field errors by v1's names, in v1's order of fields. */
export function refusalsOf(fields: Fields, sent: FormFields, errors: readonly FieldError[]): Refusals {
  const refusals: Refusals = new Map();
  for (const { path, messages } of errors) {
    const name = nameOf(fields, sent, path);
    if (refusals.has(name)) continue;
    refusals.set(
      name,
      messages.map((message) => sentence(name, message)),
    );
  }
  return inOrder(fields, refusals);
}

/**
 * Decodes the sent fields into the GraphQL input. An empty value is null with `emptyClears`, else absent. `refusals` has all
 * wrong fields at once: values that v1 does not know, and errors of the domain's `schema`.
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
    if (value === undefined || (value === '' && !emptyClears)) continue;
    if (value === '' && !field.decodesEmpty) {
      assign(input, field.path, null);
      continue;
    }
    const decoded = field.decode(value, {
      sent,
      emptyClears,
      assign: (path, elsewhere) => assign(input, pathOf(path), elsewhere),
      refuse(message, ...below) {
        const path = [name, ...below].join('.');
        if (wrong.size < MAX_FIELD_ERRORS) wrong.set(path, [sentence(path, message)]);
      },
    });
    assign(input, field.path, decoded);
  }
  const parsed = schema.safeParse(input);
  const refused = refusalsOf(fields, sent, parsed.success ? [] : fieldErrors(parsed.error));
  // If both report a field, v1's message is used.
  const rest = [...refused].filter(([name]) => !wrong.has(name));
  return { input, refusals: inOrder(fields, new Map([...wrong, ...rest].slice(0, MAX_FIELD_ERRORS))) };
}

/** Refusals in v1's order of fields, so that the first message does not depend on which check found it. */
function inOrder(fields: Fields, refusals: Refusals): Refusals {
  const names = Object.keys(fields);
  const rank = (name: string): number => names.indexOf(name.split('.')[0] ?? name);
  return new Map([...refusals].sort(([a], [b]) => rank(a) - rank(b)));
}
