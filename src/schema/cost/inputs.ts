import { type ArgumentNode, type GraphQLArgument, Kind, type ValueNode } from 'graphql';
import { isLongText } from '../input-limits.ts';

/** How much is given in a value: all values in it, objects and lists included, and the characters of texts. */
export interface Amount {
  readonly values: number;
  readonly characters: number;
  /** The characters of the longest text. */
  readonly longest: number;
}

/** What the arguments of fields are given, each as often as its field can run. */
export interface Inputs {
  /** What the document itself has. */
  readonly literals: Amount;
  /** How often each variable is used. */
  readonly uses: ReadonlyMap<string, number>;
}

export const NO_INPUTS: Inputs = { literals: { values: 0, characters: 0, longest: 0 }, uses: new Map() };

/** The sum of inputs, the second of them a number of times. */
export function addInputs(one: Inputs, other: Inputs, times = 1): Inputs {
  if (other === NO_INPUTS || (one === NO_INPUTS && times === 1)) return other === NO_INPUTS ? one : other;
  const uses = new Map(one.uses);
  for (const [name, count] of other.uses) uses.set(name, (uses.get(name) ?? 0) + count * times);
  const { values, characters, longest } = other.literals;
  const literals = {
    values: one.literals.values + values * times,
    characters: one.literals.characters + characters * times,
    longest: Math.max(one.literals.longest, longest),
  };
  return { literals, uses };
}

/** What the arguments of a field are given once. A text of any length has a limit of its own, and does not count. */
export function inputsOf(nodes: readonly ArgumentNode[], args: readonly GraphQLArgument[]): Inputs {
  if (nodes.length === 0) return NO_INPUTS;
  const long = args.filter(isLongText).map(({ name }) => name);
  return literalInputs(nodes.flatMap(({ name, value }) => (long.includes(name.value) ? [] : [value])));
}

/** How much is in values of a document that use no variables. */
export function amountOf(nodes: readonly ValueNode[]): Amount {
  return literalInputs(nodes).literals;
}

function literalInputs(nodes: readonly ValueNode[]): Inputs {
  let [values, characters, longest] = [0, 0, 0];
  const uses = new Map<string, number>();
  const pending = [...nodes];
  // Those in lists and objects are appended.
  for (const node of pending) {
    if (node.kind === Kind.VARIABLE) {
      uses.set(node.name.value, (uses.get(node.name.value) ?? 0) + 1);
      continue;
    }
    values++;
    if (node.kind === Kind.LIST) pending.push(...node.values);
    else if (node.kind === Kind.OBJECT) pending.push(...node.fields.map((field) => field.value));
    else if ('value' in node && typeof node.value === 'string') {
      if (node.kind === Kind.STRING) characters += node.value.length;
      longest = Math.max(longest, node.value.length);
    }
  }
  return { literals: { values, characters, longest }, uses };
}
