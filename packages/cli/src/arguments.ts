import { createReadStream } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import type { Context } from './context.ts';
import { CliError, usageError } from './errors.ts';
import { readInput } from './files.ts';

/** The longest input that is read from standard input or a small file, in bytes. */
const LONGEST_INPUT = 1_000_000;

/** Returns a parser of whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < least || number > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return number;
  };
}

/** Adds a value to those of an option that may be repeated. */
export function repeated(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Returns an option with the values of an enum of the schema, written in lower case with dashes. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  const written = values.map((value) => value.toLowerCase().replaceAll('_', '-'));
  return new Option(flags, description).choices(written);
}

/** Returns the value of the schema's enum for what was written. */
export function enumValue<Value extends string>(values: readonly Value[], written: string): Value {
  const found = values.find((value) => value.toLowerCase().replaceAll('_', '-') === written);
  if (found === undefined) throw usageError(`${written} is not one of ${values.join(', ')}.`);
  return found;
}

/** Reads a text file; `-` is standard input. @throws CliError if it cannot be read, or is not UTF-8 */
export async function readText({ io }: Context, file: string, limit = LONGEST_INPUT): Promise<string> {
  if (file === '-') return readInput(io, limit);
  try {
    // In parts, since the size of a device or a pipe is not known before.
    return await readInput({ input: createReadStream(file) }, limit, file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (!(error instanceof Error && 'code' in error))
      throw usageError(`${file} is longer than ${limit} bytes.`);
    throw usageError(`${file} cannot be read: ${String(error.code)}.`);
  }
}

/** Parses the text of an object in JSON. @throws CliError if it is something else */
export function parseObject(text: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`${name} is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError(`${name} must be a JSON object.`);
  return { ...value };
}
