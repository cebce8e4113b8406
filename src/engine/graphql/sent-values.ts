import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInputType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { type Amount, type Inputs, measureAmount } from './cost/inputs.ts';
import { isLongText } from './input-limits.ts';
import { limits, tooLarge } from './limits.ts';

type Sent = Readonly<Record<string, unknown>>;

/** Measures what a client sends: each value is looked at once, up to the limit. */
class Measurement {
  /** Number of examined values. */
  values = 0;

  /** @throws GraphQLError if objects and lists are nested too deeply, which recursive functions walk through, or have too many values */
  of(value: unknown, levels: number): Amount {
    if (++this.values > limits.values) throw tooLarge('values', limits.values + 1);
    if (typeof value === 'string') return { values: 1, characters: value.length, longest: value.length };
    if (typeof value !== 'object' || value === null) return ONE;
    if (levels === 0) throw tooLarge('nesting', limits.nesting + 1);
    let [values, characters, longest] = [1, 0, 0];
    for (const inner of Array.isArray(value) ? value : Object.values(value)) {
      const one = this.of(inner, levels - 1);
      values += one.values;
      characters += one.characters;
      longest = Math.max(longest, one.longest);
    }
    return { values, characters, longest };
  }
}

const ONE: Amount = { values: 1, characters: 0, longest: 0 };

/** The amounts that a client sends. */
export interface SentAmounts {
  /** All values. */
  readonly values: number;
  readonly ofVariables: ReadonlyMap<string, Amount>;
}

/**
 * Measures the variables and the extensions that a client sends.
 * @throws GraphQLError if they have too many values or too many levels
 */
export function amountsIn(variables: Sent, extensions: Sent | null | undefined): SentAmounts {
  const measurement = new Measurement();
  const ofVariables = new Map<string, Amount>();
  for (const [name, value] of Object.entries(variables))
    ofVariables.set(name, measurement.of(value, limits.nesting - 1));
  if (extensions) measurement.of(extensions, limits.nesting);
  return { values: measurement.values, ofVariables };
}

/** The longest text in a variable, without those of an input's fields that take texts of any length. */
function longestIn(value: unknown, type: GraphQLInputType | null): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((most, one) => Math.max(most, longestIn(one, type)), 0);
  const named = type && getNamedType(type);
  const fields = isInputObjectType(named) ? named.getFields() : {};
  return Object.entries(value).reduce((most, [name, inner]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field && isLongText(field) && typeof inner === 'string') return most;
    return Math.max(most, longestIn(inner, field?.type ?? null));
  }, 0);
}

/** The variables of an operation as they were sent, and the schema that has their types. */
interface SentVariables {
  readonly schema: GraphQLSchema;
  readonly variables: Sent;
}

/**
 * Checks what the fields of an operation are given, over all uses.
 * @param sent absent if no variables are sent
 * @throws GraphQLError if it has too many values, or too much or too long text
 */
export function checkInputs(
  { literals, uses }: Inputs,
  { ofVariables }: SentAmounts,
  definitions: readonly VariableDefinitionNode[],
  sent?: SentVariables,
): void {
  let { values, characters, longest } = literals;
  for (const { variable, type, defaultValue } of uses.size > 0 ? definitions : []) {
    const { value: name } = variable.name;
    const times = uses.get(name) ?? 0;
    const given = ofVariables.get(name) ?? (defaultValue && measureAmount([defaultValue]));
    if (times === 0 || given === undefined) continue;
    values += given.values * times;
    characters += given.characters * times;
    const value = sent?.variables[name];
    if (given.longest <= limits.textLength || sent === undefined || value === undefined)
      longest = Math.max(longest, given.longest);
    else {
      const of = typeFromAST(sent.schema, type) ?? null;
      longest = Math.max(longest, longestIn(value, isInputType(of) ? of : null));
    }
  }
  if (longest > limits.textLength) throw tooLarge('textLength', longest);
  if (values > limits.values) throw tooLarge('values', values);
  if (characters > limits.text) throw tooLarge('text', characters);
}
