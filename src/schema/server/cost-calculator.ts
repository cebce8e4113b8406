import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';
import type { ArgumentValues, FieldCost } from './cost.ts';
import { type IntrospectionSizes, introspectionSizes } from './introspection-sizes.ts';

/** The size of an operation. */
export interface OperationSize {
  /** The values of the largest possible answer, weighted by length, and the work for them. */
  cost: number;
  /** The part of the cost for values of the answer. */
  values: number;
  depth: number;
  /** Selected fields; those of a fragment count each time it is used. */
  breadth: number;
  /** Records that are created, updated or deleted. */
  records: number;
}

const NOTHING: OperationSize = { cost: 0, values: 0, depth: 0, breadth: 0, records: 0 };

/** The weights of types, by the length of their values. */
const weights: Readonly<Record<string, number>> = { URL: 10, String: 5 };
/** How many characters of its name add one to a value's weight: an answer repeats the name. */
const CHARACTERS_PER_VALUE = 25;

/** Calculates the size of operations before they are executed. */
export class CostCalculator {
  readonly #schema: GraphQLSchema;
  readonly #introspection: IntrospectionSizes;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
    this.#introspection = introspectionSizes(schema);
  }

  /** @param given the variables as they were sent */
  sizeOf(
    operation: OperationDefinitionNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    given: Readonly<Record<string, unknown>>,
  ): OperationSize {
    const root = this.#schema.getRootType(operation.operation);
    if (!root) return NOTHING;
    const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    );
    const variables = { ...Object.fromEntries(defaults), ...given };
    const calculation = { fragments, variables, known: new Map() };
    return this.#sizeOfSelections(operation.selectionSet, root, calculation, {});
  }

  #sizeOfSelections(
    selectionSet: SelectionSetNode,
    type: GraphQLNamedType,
    calculation: Calculation,
    fromParent: ArgumentValues,
  ): OperationSize {
    const { fragments, known } = calculation;
    const key = `${type.name} ${JSON.stringify(fromParent)}`;
    const before = known.get(selectionSet)?.get(key);
    if (before) return before;
    const parts: Part[] = [];
    for (const selection of selectionSet.selections) {
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (fragment === undefined) continue;
      if (fragment.kind === Kind.FIELD) {
        parts.push({ of: type, size: this.#sizeOfField(fragment, type, calculation, fromParent) });
        continue;
      }
      const of = (fragment.typeCondition && this.#schema.getType(fragment.typeCondition.name.value)) ?? type;
      parts.push({ of, size: this.#sizeOfSelections(fragment.selectionSet, of, calculation, fromParent) });
    }
    const total = this.#largest(type, parts);
    const ofSet = known.get(selectionSet) ?? new Map<string, OperationSize>();
    known.set(selectionSet, ofSet.set(key, total));
    return total;
  }

  /** The sum of the parts; of a union or an interface, only those that one of its types has count for the answer. */
  #largest(type: GraphQLNamedType, parts: readonly Part[]): OperationSize {
    const total = sumOf(parts);
    if (!isAbstractType(type)) return total;
    const ofTypes = this.#schema
      .getPossibleTypes(type)
      .map((one) => sumOf(parts.filter(({ of }) => this.#includes(of, one))));
    const largest = (measure: 'cost' | 'values') => Math.max(0, ...ofTypes.map((size) => size[measure]));
    return { ...total, cost: largest('cost'), values: largest('values') };
  }

  #includes(type: GraphQLNamedType, one: GraphQLObjectType): boolean {
    return type === one || (isAbstractType(type) && this.#schema.isSubType(type, one));
  }

  #sizeOfField(
    node: FieldNode,
    parent: GraphQLNamedType,
    calculation: Calculation,
    fromParent: ArgumentValues,
  ): OperationSize {
    const field = fieldOfType(parent, node.name.value);
    if (!field) return { cost: 1, values: 1, depth: 1, breadth: 1, records: 0 };
    // Only `costs` sets this.
    const { size, weight, work, records, toChildren } = (field.extensions.cost ?? {}) as FieldCost;
    const args = argsOf(field, node, calculation.variables);
    const list = `${parent.name}.${field.name}`;
    const { average, largest } = this.#introspection;
    // Fields and arguments of all types are as many as their averages say.
    const ofAll = list === '__Schema.types' || fromParent.ofAll === true ? average.get(list) : undefined;
    const times = amount(size ?? ofAll ?? largest.get(list) ?? 1, args, fromParent);
    const type = getNamedType(field.type);
    const below = node.selectionSet
      ? this.#sizeOfSelections(
          node.selectionSet,
          type,
          calculation,
          toChildren?.(args, fromParent) ?? (ofAll === undefined ? {} : { ofAll: true }),
        )
      : NOTHING;
    const isLeaf = isLeafType(type);
    const ofName = Math.floor((node.alias ?? node.name).value.length / CHARACTERS_PER_VALUE);
    const ofLeaf = weight ?? weights[type.name] ?? 1;
    return {
      cost: amount(work ?? 0, args, fromParent) + ofName + times * (isLeaf ? ofLeaf : 1 + below.cost),
      values: ofName + times * (isLeaf ? ofLeaf : 1 + below.values),
      depth: 1 + below.depth,
      breadth: 1 + below.breadth,
      records: amount(records ?? 0, args, fromParent) + below.records,
    };
  }
}

interface Calculation {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly known: Map<SelectionSetNode, Map<string, OperationSize>>;
}

/** A field or a fragment of a selection. */
interface Part {
  /** The type that has it. */
  readonly of: GraphQLNamedType;
  readonly size: OperationSize;
}

function sumOf(parts: readonly Part[]): OperationSize {
  const total: OperationSize = { ...NOTHING };
  for (const { size } of parts) {
    total.cost += size.cost;
    total.values += size.values;
    total.breadth += size.breadth;
    total.records += size.records;
    total.depth = Math.max(total.depth, size.depth);
  }
  return total;
}

/** The definition of a field; none for `__typename`, which every type has. */
function fieldOfType(type: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

function amount(
  given: number | ((args: ArgumentValues, fromParent: ArgumentValues) => number),
  args: ArgumentValues,
  fromParent: ArgumentValues,
): number {
  return typeof given === 'number' ? given : given(args, fromParent);
}

function argsOf(
  { args }: GraphQLField<unknown, unknown>,
  { arguments: nodes = [] }: FieldNode,
  variables: Readonly<Record<string, unknown>>,
): ArgumentValues {
  const values = args.map(({ name, defaultValue }) => {
    const node = nodes.find((one) => one.name.value === name);
    return [name, node ? valueFromASTUntyped(node.value, variables) : defaultValue];
  });
  return Object.fromEntries(values);
}
