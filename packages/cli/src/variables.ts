import { usageError } from './errors.ts';

/** A variable as it is written: `first=5`, `filter.search=launch`. */
interface Written {
  readonly name: string;
  readonly text: string;
}

function parseVariable(written: string): Written {
  const at = written.indexOf('=');
  if (at < 1) throw usageError(`--var ${written} is not NAME=VALUE.`);
  return { name: written.slice(0, at), text: written.slice(at + 1) };
}

/** Reads options that the command does not know as variables: `--first 5`, `--first=5`. */
function parseOptions(words: readonly string[]): Written[] {
  const found: Written[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!/^--[^-]/.test(word)) throw usageError(`${word} is not expected. Write variables as --NAME VALUE.`);
    const equals = word.indexOf('=');
    if (equals > 0) found.push({ name: word.slice(2, equals), text: word.slice(equals + 1) });
    else {
      const text = words[++at];
      if (text === undefined) throw usageError(`${word} has no value.`);
      found.push({ name: word.slice(2), text });
    }
  }
  return found;
}

/** Returns the object or the list of a text in JSON; undefined for any other text. */
function parseComposite(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The pairs of a form for a value in JSON. */
function* flatten(name: string, value: unknown): Generator<readonly [string, string]> {
  if (Array.isArray(value)) {
    if (value.length === 0) yield [`${name}[]`, ''];
    for (const [at, item] of value.entries()) yield* flatten(`${name}[${at}]`, item);
    return;
  }
  if (typeof value !== 'object' || value === null) {
    if (value === null) throw usageError(`${name} cannot be null here. Use --variables FILE.`);
    yield [name, String(value)];
    return;
  }
  for (const [field, one] of Object.entries(value)) yield* flatten(`${name}[${field}]`, one);
}

/** `filter.tags.any` as forms have it: `filter[tags][any]`. */
function formName(name: string): string {
  const [first = '', ...fields] = name.split('.');
  return first + fields.map((field) => `[${field}]`).join('');
}

/** The types of an operation's variables, by name, in GraphQL's notation. */
export type VariableTypes = ReadonlyMap<string, string>;

/** The value of a text, which may be JSON unless its type has texts. */
function readValue(text: string, type: string | undefined): unknown {
  return /^(String|ID)!?$/.test(type ?? '') ? text : (parseComposite(text) ?? text);
}

/** The type of the items of a list; for any other type, the type. */
const itemOf = (type: string | undefined) => type?.replace(/^\[(.*)\]!?$/, '$1');

/**
 * Returns the form with variables, of which the service knows the types. A name that is written several times is a list. A value
 * in JSON is an object or a list, unless the variable is a text.
 * @param readTypes reads the types, if a value could be JSON
 * @throws CliError
 */
export async function formOf(
  given: readonly string[],
  options: readonly string[],
  readTypes: () => Promise<VariableTypes>,
): Promise<URLSearchParams> {
  const written = [...given.map(parseVariable), ...parseOptions(options)];
  const byName = new Map<string, string[]>();
  for (const { name, text } of written) byName.set(name, [...(byName.get(name) ?? []), text]);
  const isOpen = written.some(({ text }) => parseComposite(text) !== undefined);
  const types: VariableTypes = isOpen ? await readTypes() : new Map();
  const pairs = [...byName].flatMap(([name, texts]) => {
    const type = types.get(name);
    const [first = '', ...others] = texts;
    const value =
      others.length === 0 ? readValue(first, type) : texts.map((text) => readValue(text, itemOf(type)));
    return [...flatten(formName(name), value)];
  });
  return new URLSearchParams(pairs.map(([name, text]) => [name, text]));
}
