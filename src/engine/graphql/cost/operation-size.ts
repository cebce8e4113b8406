import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
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
import { LRUCache } from 'lru-cache';
import { type ArgumentValues, type FieldCost, STATEMENT_COST } from './costs.ts';
import { type Inputs, makeInputs, NO_INPUTS, type PartInputs, sumInputs, withAllUses } from './inputs.ts';

const DAY_MS = 86_400_000;
/** The size of the cache of sizes, in characters of its keys, and the longest key. */
const MAX_CACHED_CHARACTERS = 2_000_000;
const MAX_KEY_LENGTH = 1_000;
/** Texts up to this length may be names that a size depends on; for longer ones it only matters that they exist. */
const MAX_NAME = 16;
/**
 * Placeholders in a cache key, longer than any name: for long texts, and for numbers such as 1e400, which JSON.stringify
 * writes as null.
 */
const LONG_TEXT = 'a text of more than 16 characters';
const INFINITE_NUMBER = 'a number beyond all numbers of JSON, which is ';

const sizes = new LRUCache<string, OperationSize>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: (_size, key) => key.length + 200,
});

/** A cache key for the size of an operation: its variables, and the day, from which periods count by default. */
function makeSizeKey(
  { node, number }: ParsedOperation,
  variables: Readonly<Record<string, unknown>>,
): string {
  const declared = (node.variableDefinitions ?? []).map(({ variable: { name } }) => name.value);
  const values = JSON.stringify(
    Object.fromEntries(declared.map((name) => [name, variables[name]])),
    (_key, value) => {
      if (typeof value === 'string') return value.length > MAX_NAME ? LONG_TEXT : value;
      return typeof value === 'number' && !Number.isFinite(value) ? INFINITE_NUMBER + value : value;
    },
  );
  return `${number} ${Math.floor(Date.now() / DAY_MS)} ${values}`;
}

/** An operation of a document. */
export interface ParsedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly node: OperationDefinitionNode;
  /** A number that no other operation has. */
  readonly number: number;
}

/** Above which the work of fields is calculated no further; beyond the depth or breadth, nothing else is. */
type Limits = Pick<OperationSize, 'cost' | 'records' | 'depth' | 'breadth'>;

const UNLIMITED: Limits = {
  ...{ cost: Number.POSITIVE_INFINITY, records: Number.POSITIVE_INFINITY },
  ...{ depth: Number.POSITIVE_INFINITY, breadth: Number.POSITIVE_INFINITY },
};

/**
 * The size of an operation, calculated before it is executed.
 * @param values how many values its variables have: with many of them, it is not likely to be sent again
 */
export function measureOperation(
  operation: ParsedOperation,
  variables: Readonly<Record<string, unknown>>,
  limits = UNLIMITED,
  values = 0,
): OperationSize {
  const key = values > MAX_KEY_LENGTH ? null : makeSizeKey(operation, variables);
  const before = key === null ? undefined : sizes.get(key);
  if (before) return before;
  const size = computeSize(operation, variables, limits);
  if (key !== null && key.length <= MAX_KEY_LENGTH) sizes.set(key, size);
  return size;
}

function computeSize(
  operation: ParsedOperation,
  variables: Readonly<Record<string, unknown>>,
  limits: Limits,
): OperationSize {
  const { schema, document, node } = operation;
  const fragments = parseFragments(document);
  const shape = parseShape(node.selectionSet, fragments);
  const root = schema.getRootType(node.operation);
  if (!root || shape.depth > limits.depth || shape.breadth > limits.breadth) return { ...NOTHING, ...shape };
  const calculation = new SizeCalculation(operation, fragments, variables, limits);
  const whole = calculation.ofSelections(node.selectionSet, root, {});
  return { ...whole, ...shape, inputs: withAllUses(whole.inputs) };
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function parseFragments({ definitions }: ParsedOperation['document']): Fragments {
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((one) => [one.name.value, one]));
}

type Shape = Pick<OperationSize, 'depth' | 'breadth'>;

/** The depth and breadth of selections, whatever their types are; each is visited once. */
function parseShape(
  set: SelectionSetNode,
  fragments: Fragments,
  known = new Map<SelectionSetNode, Shape>(),
): Shape {
  const before = known.get(set);
  if (before) return before;
  const shape = { depth: 0, breadth: 0 };
  for (const selection of set.selections) {
    const isField = selection.kind === Kind.FIELD;
    const { selectionSet } =
      (selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection) ?? {};
    const below = selectionSet ? parseShape(selectionSet, fragments, known) : EMPTY;
    shape.depth = Math.max(shape.depth, below.depth + Number(isField));
    shape.breadth += below.breadth + Number(isField);
  }
  known.set(set, shape);
  return shape;
}

const EMPTY: Shape = { depth: 0, breadth: 0 };

/** The size of an operation. */
export interface OperationSize {
  /** The values of the largest possible answer, weighted by length, and the work for them. */
  cost: number;
  /** The part of the cost for values of the answer. */
  values: number;
  /** The part of the cost for lists, counts, searches and statistics: in a mutation, below its records. */
  reads: number;
  depth: number;
  /** Selected fields; those of a fragment count each time it is used. */
  breadth: number;
  /** Records that are created, updated or deleted. */
  records: number;
  inputs: Inputs;
}

/** The size of a part of an operation. */
interface PartSize extends Omit<OperationSize, keyof Shape> {
  inputs: PartInputs;
}

const NOTHING: PartSize = {
  ...{ cost: 0, values: 0, reads: 0, records: 0 },
  inputs: NO_INPUTS,
};

/** The weights of types, by the length of their values. */
const weights: Readonly<Record<string, number>> = { URL: 10, String: 5 };
/** Number of characters of a value's name that add one to its weight, since the response repeats the name. */
const CHARACTERS_PER_VALUE = 25;

/**
 * Numbers of values of the introspection's fields, which the schema cannot declare. Lists of a type have their average
 * over all types, rounded up. A type that the client names counts as several, since it may have long lists.
 */
export const introspectionSizes: Readonly<Record<string, number>> = {
  'Query.__type': 20,
  '__Schema.queryType': 20,
  '__Schema.mutationType': 20,
  '__Schema.subscriptionType': 20,
  '__Schema.types': 285,
  '__Schema.directives': 10,
  '__Directive.locations': 5,
  '__Directive.args': 1,
  '__Type.fields': 3,
  '__Field.args': 1,
  '__Type.inputFields': 2,
  '__Type.enumValues': 3,
  '__Type.possibleTypes': 1,
  '__Type.interfaces': 1,
};

class SizeCalculation {
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #variables: Readonly<Record<string, unknown>>;
  /** The sizes of selections, by their type and what they get from their parent: fragments may be used often. */
  readonly #known = new Map<SelectionSetNode, Map<string, PartSize>>();
  readonly #limits: Limits;
  /** The work and the records of the fields so far, each field once. */
  #work = 0;
  #records = 0;

  /** @param variables as they were sent */
  constructor(
    { schema, node }: ParsedOperation,
    fragments: Fragments,
    variables: Readonly<Record<string, unknown>>,
    limits: Limits,
  ) {
    this.#schema = schema;
    this.#limits = limits;
    this.#fragments = fragments;
    const defaults = (node.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    );
    this.#variables = { ...Object.fromEntries(defaults), ...variables };
  }

  ofSelections(selectionSet: SelectionSetNode, type: GraphQLNamedType, fromParent: ArgumentValues): PartSize {
    const key = `${type.name} ${JSON.stringify(fromParent)}`;
    const known = this.#known.get(selectionSet) ?? new Map<string, PartSize>();
    const before = known.get(key);
    if (before) return before;
    const parts = selectionSet.selections.flatMap((selection): Part[] => {
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
      if (fragment === undefined) return [];
      if (fragment.kind === Kind.FIELD) return [{ type, size: this.#ofField(fragment, type, fromParent) }];
      const of = (fragment.typeCondition && this.#schema.getType(fragment.typeCondition.name.value)) ?? type;
      return [{ type: of, size: this.ofSelections(fragment.selectionSet, of, fromParent) }];
    });
    const total = this.#totalOf(type, parts);
    this.#known.set(selectionSet, known.set(key, total));
    return total;
  }

  /** The sum of the parts. An answer has only one type of a union or interface: its cost is that of the most expensive type. */
  #totalOf(type: GraphQLNamedType, parts: readonly Part[]): PartSize {
    const total = addParts(parts);
    if (!isAbstractType(type)) return total;
    const schema = this.#schema;
    const ofTypes = schema
      .getPossibleTypes(type)
      .map((one) =>
        addParts(
          parts.filter(({ type: of }) => of === one || (isAbstractType(of) && schema.isSubType(of, one))),
        ),
      );
    const largest = (measure: 'cost' | 'values' | 'reads') =>
      Math.max(0, ...ofTypes.map((size) => size[measure]));
    return { ...total, cost: largest('cost'), values: largest('values'), reads: largest('reads') };
  }

  #ofField(node: FieldNode, parent: GraphQLNamedType, fromParent: ArgumentValues): PartSize {
    const field = fieldOfType(parent, node.name.value);
    if (!field) return { ...NOTHING, cost: 1, values: 1 };
    // Only `costs` sets this.
    const { size, weight, work, isOfRecord, records, toChildren } = (field.extensions.cost ??
      {}) as FieldCost;
    const args = readArguments(field, node, this.#variables);
    const amount = (given: FieldCost['size'], otherwise: number) =>
      typeof given === 'function' ? given(args, fromParent) : (given ?? otherwise);
    const type = getNamedType(field.type);
    const below = node.selectionSet
      ? this.ofSelections(node.selectionSet, type, toChildren?.(args, fromParent) ?? {})
      : NOTHING;
    const ofName = Math.floor((node.alias ?? node.name).value.length / CHARACTERS_PER_VALUE);
    const ofLeaf = weight ?? weights[type.name] ?? 1;
    const times = amount(size, introspectionSizes[`${parent.name}.${field.name}`] ?? 1);
    const changed = amount(records, 0);
    this.#records += changed;
    const isOver = this.#work > this.#limits.cost || this.#records > this.#limits.records;
    const ownWork = isOver ? 0 : amount(work, 0);
    this.#work += ownWork;
    const own = makeInputs(node.arguments ?? [], field.args);
    const ofValues = (measure: 'cost' | 'values') =>
      ofName + times * (isLeafType(type) ? ofLeaf : 1 + below[measure]);
    const cost = ownWork + ofValues('cost');
    // The work of a mutation itself is its change. Joins cost less than a statement.
    const isRead = ownWork >= STATEMENT_COST && !isOfRecord && parent !== this.#schema.getMutationType();
    return {
      cost,
      values: ofValues('values'),
      reads: isRead ? cost : times * below.reads,
      records: changed + below.records,
      inputs: sumInputs([below.inputs], own, times),
    };
  }
}

/** The size of a field or a fragment in a selection, and the type to which it belongs. */
interface Part {
  readonly type: GraphQLNamedType;
  readonly size: PartSize;
}

function addParts(parts: readonly Part[]): PartSize {
  const total: PartSize = { ...NOTHING, inputs: sumInputs(parts.map(({ size }) => size.inputs)) };
  for (const { size } of parts) {
    total.cost += size.cost;
    total.values += size.values;
    total.reads += size.reads;
    total.records += size.records;
  }
  return total;
}

/** The definition of a field; none for `__typename`, which every type has. */
function fieldOfType(type: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

function readArguments(
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
