import { MAX_BATCH } from '../../rules/input.ts';
import { splitPieces } from '../../tools/pieces.ts';
import {
  chosen,
  type DecodeContext,
  describeChoice,
  type Field,
  type JsonSchema,
  scalar,
  splitPath,
} from './field.ts';
import { type FormFields, type FormValue, MAX_DIGITS, parsePosition } from './form.ts';

const COMMA = /,/g;

/** Ids in any of v1's spellings: `name[]=1&name[]=2`, `name=1`, `name=1,2`. */
export function idList(path: string): Field {
  const split = (value: string) => splitPieces(value, COMMA, MAX_BATCH).map((id) => id.trim());
  return {
    path: splitPath(path),
    decode(value, context) {
      const values = value instanceof Map ? [...value.values()] : [value];
      return values.flatMap((one) => split(scalar(one, context) ?? ''));
    },
    describe: ({ maxItems }) => ({ type: 'array', maxItems, items: { type: 'integer', minimum: 1 } }),
    // Errors are reported for the whole list.
    nameBelow: () => [],
  };
}

const isBlank = (value: FormValue | undefined): boolean =>
  value === undefined ||
  value === '' ||
  (value instanceof Map && [...value.values()].every((inner) => isBlank(inner)));

/** The entries of a list with the client's positions, in their order. Blank ones, such as an unused row of a form, are left out. */
function listEntries(value: FormValue | undefined): [string, FormFields][] {
  if (!(value instanceof Map)) return [];
  return [...value]
    .flatMap(([name, entry]) => {
      const position = parsePosition(name);
      return position !== null && entry instanceof Map && !isBlank(entry) ? [{ position, name, entry }] : [];
    })
    .sort((a, b) => (a.position < b.position ? -1 : Number(a.position > b.position)))
    .map(({ name, entry }) => [name, entry]);
}

function refuseOthers(value: FormValue, parts: readonly string[], { refuse }: DecodeContext): void {
  if (!(value instanceof Map)) {
    refuse('must be a list of numbered entries');
    return;
  }
  for (const [position, entry] of value) {
    if (isBlank(entry)) continue;
    const shown = position.length > 50 ? `${position.slice(0, 50)}…` : position;
    if (parsePosition(position) === null)
      refuse(`must have a whole number of at most ${MAX_DIGITS} digits as its position`, shown);
    else if (!(entry instanceof Map)) refuse(`must have ${parts.join(' and ')}`, position);
  }
}

/**
 * A list of entries at positions that the client chooses: `name[7][key]=…&name[7][value]=…`.
 * @param parts the input's name for each part of an entry; '' if the part is the whole entry
 * @param keys the values of `key`'s spellings, case-insensitive, if it is a choice
 */
export function entries(
  path: string,
  parts: Readonly<Record<string, string>>,
  keys?: Readonly<Record<string, unknown>>,
): Field {
  const choices = keys && new Map(Object.entries(keys));
  const spellings = new Map(Object.keys(keys ?? {}).map((one) => [one.toLowerCase(), one]));
  const spelled = (given: FormValue) =>
    typeof given === 'string' ? (spellings.get(given.toLowerCase()) ?? given) : given;
  const names = Object.keys(parts);
  return {
    path: splitPath(path),
    decode(value, context) {
      refuseOthers(value, names, context);
      const part = (position: string, name: string, given: FormValue | undefined) => {
        if (given === undefined || given === '') return undefined;
        return choices && name === 'key'
          ? chosen(choices, spelled(given), context, position, name)
          : scalar(given, context, position, name);
      };
      return listEntries(value).map(([position, entry]) => {
        const values = names.map((name) => [parts[name], part(position, name, entry.get(name))] as const);
        const [first] = values;
        return first?.[0] === '' ? first[1] : Object.fromEntries(values);
      });
    },
    describe({ maxItems, items }) {
      const ofEntry = (items ?? {}) as { properties?: Record<string, JsonSchema> }; // Lists have one schema for all.
      const makePart = (name: string): JsonSchema => {
        const below: JsonSchema =
          parts[name] === '' ? ofEntry : (ofEntry.properties?.[parts[name] ?? ''] ?? {});
        if (!choices || name !== 'key') return below;
        return { ...describeChoice(choices, {}), description: `${below.description} Case-insensitive.` };
      };
      const properties = Object.fromEntries(names.map((name) => [name, makePart(name)]));
      return { type: 'array', maxItems, items: { type: 'object', properties, required: names } };
    },
    nameBelow([index, ofEntry = ''], value) {
      if (index === undefined) return [];
      const position = listEntries(value)[Number(index)]?.[0] ?? index;
      return [position, names.find((name) => parts[name] === ofEntry) ?? ofEntry];
    },
  };
}
