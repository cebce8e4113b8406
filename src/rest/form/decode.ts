import type { z } from 'zod';
import type { FieldError } from '../../domain/errors.ts';
import { fieldErrors, MAX_TOLD } from '../../domain/input.ts';
import { type Field, type Fields, pathOf } from './field.ts';
import type { FormFields } from './form.ts';

/** Messages by the name that the client sent. */
export type Refusals = Map<string, string[]>;

function assign(input: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined || value === undefined) return;
  if (rest.length === 0) {
    input[head] = value;
    return;
  }
  const nested = (input[head] ?? {}) as Record<string, unknown>; // Made by an earlier call, of this same kind.
  input[head] = nested;
  assign(nested, rest, value);
}

/** The message as v1 gives it. */
function sentence(name: string, message: string): string {
  return `The ${name} field ${message}.`;
}

/** The name under which v1 knows the place of an input that the domain found wrong. */
function nameOf(fields: Fields, sent: FormFields, path: readonly string[]): string {
  const isAbove = ([, field]: [string, Field]) =>
    field.path.length > 0 && field.path.every((segment, index) => path[index] === segment);
  const known = Object.entries(fields).filter(isAbove);
  // Of two names for one place, the one that was sent, and of two that were sent, the one that counts.
  const [name, field] =
    known.findLast(([one]) => sent.get(one)) ??
    known.findLast(([one]) => sent.has(one)) ??
    known.at(-1) ??
    [];
  if (name === undefined || field === undefined) return path.join('.');
  const below = path.slice(field.path.length);
  return [name, ...(field.nameBelow?.(below, sent.get(name)) ?? below)].join('.');
}

/** What the domain found wrong, in v1's words, in the order in which v1 lists its fields. */
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
        const place = [name, ...below].join('.');
        if (wrong.size < MAX_TOLD) wrong.set(place, [sentence(place, message)]);
      },
    });
    assign(input, field.path, decoded);
  }
  const parsed = schema.safeParse(input);
  const refused = refusalsOf(fields, sent, parsed.success ? [] : fieldErrors(parsed.error));
  // Where both have something to say of a place, v1's spelling has the word.
  const rest = [...refused].filter(([name]) => !wrong.has(name));
  return { input, refusals: inOrder(fields, new Map([...wrong, ...rest].slice(0, MAX_TOLD))) };
}

/** Refusals in the order in which v1 lists its fields, so that the first message does not depend on who found it. */
function inOrder(fields: Fields, refusals: Refusals): Refusals {
  const names = Object.keys(fields);
  const rank = (name: string): number => names.indexOf(name.split('.')[0] ?? name);
  return new Map([...refusals].sort(([a], [b]) => rank(a) - rank(b)));
}
