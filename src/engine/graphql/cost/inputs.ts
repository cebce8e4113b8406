import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  Kind,
  type ValueNode,
} from 'graphql';
import { isLongText } from '../input-limits.ts';

/** The amount of data in a value: its values, including objects and lists, and the characters of its texts. */
export interface Amount {
  readonly values: number;
  readonly characters: number;
  /** The characters of the longest text. */
  readonly longest: number;
}

/** The inputs of fields' arguments, each as often as its field can run. */
export interface Inputs {
  /** The amount in the document itself. */
  readonly literals: Amount;
  /** Number of uses of each variable. */
  readonly uses: ReadonlyMap<string, number>;
}

/** Inputs of a part of an operation: its own, and those of the parts below, each a number of times. */
export interface PartInputs extends Inputs {
  /** All of them. */
  readonly literals: Amount;
  /** Its own uses. */
  readonly uses: ReadonlyMap<string, number>;
  readonly below: ReadonlyMap<PartInputs, number>;
}

const NOTHING_BELOW: ReadonlyMap<PartInputs, number> = new Map();

export const NO_INPUTS: PartInputs = {
  literals: { values: 0, characters: 0, longest: 0 },
  uses: new Map(),
  below: NOTHING_BELOW,
};

/** The sum of inputs: a part that is used often is looked at once, and no uses are copied. */
export function sumInputs(
  parts: readonly PartInputs[],
  { literals: own, uses }: Inputs = NO_INPUTS,
  times = 1,
): PartInputs {
  const below = new Map<PartInputs, number>();
  for (const part of parts) if (part !== NO_INPUTS) below.set(part, (below.get(part) ?? 0) + times);
  if (below.size === 0)
    return uses.size === 0 && own === NO_INPUTS.literals ? NO_INPUTS : { literals: own, uses, below };
  let { values, characters, longest } = own;
  for (const [{ literals }, count] of below) {
    values += literals.values * count;
    characters += literals.characters * count;
    longest = Math.max(longest, literals.longest);
  }
  return { literals: { values, characters, longest }, uses, below };
}

/** The inputs with the uses of all parts; each part is visited once, after all that use it. */
export function withAllUses(whole: PartInputs): Inputs {
  const times = new Map([[whole, 1]]);
  const uses = new Map<string, number>();
  for (const part of usersFirst(whole)) {
    const count = times.get(part) ?? 0;
    for (const [name, own] of part.uses) uses.set(name, (uses.get(name) ?? 0) + own * count);
    for (const [inner, each] of part.below) times.set(inner, (times.get(inner) ?? 0) + each * count);
  }
  return { literals: whole.literals, uses };
}

/** All parts, each after those that use it. */
function usersFirst(whole: PartInputs): PartInputs[] {
  const found = new Set<PartInputs>();
  const usedFirst: PartInputs[] = [];
  const add = (part: PartInputs): void => {
    if (found.has(part)) return;
    found.add(part);
    for (const inner of part.below.keys()) add(inner);
    usedFirst.push(part);
  };
  add(whole);
  return usedFirst.reverse();
}

/** A value in a document, and its type if it is known. */
interface TypedValue {
  readonly value: ValueNode;
  readonly type: GraphQLInputType | undefined;
}

/** Returns the inputs of a field's arguments for one run. Texts of any length have their own limit, and do not count. */
export function makeInputs(nodes: readonly ArgumentNode[], args: readonly GraphQLArgument[]): Inputs {
  if (nodes.length === 0) return NO_INPUTS;
  const values = nodes.flatMap(({ name, value }): TypedValue[] => {
    const argument = args.find((one) => one.name === name.value);
    return argument && isLongText(argument) ? [] : [{ value, type: argument?.type }];
  });
  return literalInputs(values);
}

/** Returns the amount of data in values of a document that use no variables. */
export function measureAmount(nodes: readonly ValueNode[]): Amount {
  return literalInputs(nodes.map((value) => ({ value, type: undefined }))).literals;
}

/** The values of an object, but for texts of any length. */
function valuesIn({ value, type }: TypedValue): TypedValue[] {
  if (value.kind !== Kind.OBJECT) return [];
  const named = type && getNamedType(type);
  const known = isInputObjectType(named) ? named.getFields() : {};
  return value.fields.flatMap(({ name, value: inner }): TypedValue[] => {
    const field = Object.hasOwn(known, name.value) ? known[name.value] : undefined;
    return field && isLongText(field) && inner.kind === Kind.VARIABLE
      ? []
      : [{ value: inner, type: field?.type }];
  });
}

function literalInputs(given: readonly TypedValue[]): Inputs {
  let [values, characters, longest] = [0, 0, 0];
  const uses = new Map<string, number>();
  const pending = [...given];
  // Those in lists and objects are appended.
  for (const one of pending) {
    const { value: node, type } = one;
    if (node.kind === Kind.VARIABLE) {
      uses.set(node.name.value, (uses.get(node.name.value) ?? 0) + 1);
      continue;
    }
    values++;
    if (node.kind === Kind.LIST) pending.push(...node.values.map((value) => ({ value, type })));
    else if (node.kind === Kind.OBJECT) pending.push(...valuesIn(one));
    else if ('value' in node && typeof node.value === 'string') {
      if (node.kind === Kind.STRING) characters += node.value.length;
      longest = Math.max(longest, node.value.length);
    }
  }
  return { literals: { values, characters, longest }, uses };
}
