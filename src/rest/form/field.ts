import type { FormFields, FormValue } from './form.ts';

/** One reading of a form. */
export interface Reading {
  /** All that was sent. */
  readonly sent: FormFields;
  /** Whether an empty value clears what it names; else it counts as absent. */
  readonly emptyClears: boolean;
  /** Says what is wrong with the field, or with what lies `below` it; reads on from the field's name. */
  refuse(message: string, ...below: string[]): void;
  /** Puts a value into the input elsewhere than at the field's own path. */
  assign(path: string, value: unknown): void;
}

/** A JSON Schema, as OpenAPI 3.1 has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** How v1 spells one field: where its value belongs in the input, and how its text becomes that value. */
export interface Field {
  /** Where in the GraphQL input the value goes; a field that v1 knows but nothing needs goes nowhere. */
  readonly path: readonly string[];
  /** The value; undefined is not put into the input. */
  decode(value: FormValue, reading: Reading): unknown;
  /** Whether an empty value is decoded where it would clear: of what cannot be cleared, in v1's own words. */
  readonly decodesEmpty?: boolean;
  /** What may be sent, from what the domain says of its value; as the domain says, where this is missing. Null hides the field. */
  describe?(domain: JsonSchema): JsonSchema | null;
  /** What it is for, where the words of the domain, or GraphQL's for its place, are not it. */
  readonly about?: string;
  /** A value to try it with. */
  readonly example?: string;
  /** How v1 names a place below the field's path; as the input does, where this is missing. */
  nameBelow?(place: readonly string[], value: FormValue | undefined): readonly string[];
}

export type Fields = Readonly<Record<string, Field>>;

/** The text of a value that has no brackets; undefined, and refused, where it has. */
export function scalar(value: FormValue, { refuse }: Reading, ...below: string[]): string | undefined {
  if (typeof value === 'string') return value;
  refuse('must be a single value', ...below);
  return undefined;
}

/** A place in the input, written with dots: `filter.search`. */
export function pathOf(path: string): readonly string[] {
  return path.split('.');
}

/** Text as it is. */
export function text(path: string): Field {
  return { path: pathOf(path), decode: scalar };
}

/** The id of a record. */
export function recordId(path: string): Field {
  return { ...text(path), describe: () => ({ type: 'integer', minimum: 1 }) };
}

/** A whole number in decimal digits. Anything else stays text, for the domain to say what is allowed. */
export function integer(path: string): Field {
  return {
    path: pathOf(path),
    decode(value, reading) {
      const digits = scalar(value, reading);
      return digits !== undefined && /^[+-]?\d+$/.test(digits) ? Number(digits) : digits;
    },
  };
}

/** What one of v1's spellings of a choice stands for; undefined, and refused, where it is none. */
export function chosen(
  values: ReadonlyMap<string, unknown>,
  value: FormValue,
  reading: Reading,
  ...below: string[]
): unknown {
  const spelling = scalar(value, reading, ...below);
  if (spelling !== undefined && !values.has(spelling))
    reading.refuse(`must be one of ${[...values.keys()].join(', ')}`, ...below);
  return spelling === undefined ? undefined : values.get(spelling);
}

/** The spellings of a choice: numbers where all of them are. */
export function describeChoice(values: ReadonlyMap<string, unknown>, domain: JsonSchema): JsonSchema {
  const numeric = [...values.keys()].every((spelling) => /^\d+$/.test(spelling));
  const spell = (spelling: string) => (numeric ? Number(spelling) : spelling);
  const standard = [...values].find(([, value]) => value === domain.default)?.[0];
  return {
    type: numeric ? 'integer' : 'string',
    enum: [...values.keys()].map(spell),
    ...(standard !== undefined && { default: spell(standard) }),
  };
}

/** What the numbers of a choice stand for, in words: `0 public, 1 private`. */
export function meaningsOf(values: Readonly<Record<number, string>>): string {
  const named = Object.entries(values).map(([number, name]) => `${number} ${name.toLowerCase()}`);
  return named.join(', ');
}

/** One of the spellings that v1 has for a choice; `path` is null where it is checked and has no effect. */
export function choice(path: string | null, values: Readonly<Record<string, unknown>>): Field {
  const allowed = new Map(Object.entries(values));
  return {
    path: path === null ? [] : pathOf(path),
    decodesEmpty: true,
    decode: (value, reading) => chosen(allowed, value, reading),
    describe: (domain) => describeChoice(allowed, domain),
  };
}

/** A flag, 0 or 1; the words that other clients send for it are understood too. */
export function flag(path: string): Field {
  const numbers = choice(path, { 0: false, 1: true });
  const words = new Map<unknown, string>([
    ['false', '0'],
    ['true', '1'],
  ]);
  return {
    ...numbers,
    decode(value, reading) {
      const word = typeof value === 'string' ? value.toLowerCase() : value;
      return numbers.decode(words.get(word) ?? value, reading);
    },
  };
}
