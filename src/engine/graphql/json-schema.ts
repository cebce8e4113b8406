// JSON Schema of what operations take and give, from their documents and the schema: for descriptions of endpoints and tools.
import {
  type ConstValueNode,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeInfo,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  typeFromAST,
  type ValueNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { hasHidden } from '../tools/hidden.ts';
import type { Operation } from './document.ts';
import { getMaxItems, NO_LIMIT } from './input-limits.ts';

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 and tools have it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const scalars: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 },
  Float: { type: 'number' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  ID: { type: 'string' },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  URL: { type: 'string', format: 'uri' },
};

/** The interface of expected failures, which `outcome.ts` takes out of the data. */
const FAILURE = 'Error';

const NULL: JsonSchema = { type: 'null' };

/** The most characters of names and texts in the description of an answer. */
const MAX_ANSWER = 50_000;
/** The most variables that are described, and a guess of the characters around each name. */
const [MAX_VARIABLES, AROUND_NAME] = [200, 40];

/** The answer is too large to be described. */
class TooLarge extends Error {}

/** An object of anything, for a reader who finds more in the document. */
const manyVariables: JsonSchema = {
  type: 'object',
  description: 'It has too many variables to list them: see the document.',
};

export function orNull(one: JsonSchema): JsonSchema {
  return typeof one.type === 'string' && one.enum === undefined
    ? { ...one, type: [one.type, 'null'] }
    : { anyOf: [one, NULL] };
}

function describedBy(one: JsonSchema, description: string | null | undefined): JsonSchema {
  return description ? { ...one, description } : one;
}

/** The end of a description that names a default value: `; 20 by default`. */
const DEFAULT_OF_ARGUMENT = /; [^;.]+ by default(?=[.;])/;

/** The most characters of a default value, in JSON. */
const MAX_DEFAULT = 300;

/** The default value of a variable, if it is short and nothing of it is hidden: the document's author wrote it, and models read it. */
export function describeDefault(node: ConstValueNode | undefined): JsonSchema {
  if (node === undefined) return {};
  const value = valueFromASTUntyped(node);
  const text = JSON.stringify(value);
  return text.length > MAX_DEFAULT || hasHiddenIn(value) ? {} : { default: value };
}

/** True if a text in a value has hidden characters, which JSON would escape. */
function hasHiddenIn(value: unknown): boolean {
  if (typeof value === 'string') return hasHidden(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHiddenIn);
}

/** The descriptions of the arguments and fields to which variables are given, by the variables' names. */
function describeVariables({ schema, document }: Operation): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const note = (value: ValueNode, description: string | null | undefined): void => {
    if (value.kind !== Kind.VARIABLE || !description || found.has(value.name.value)) return;
    found.set(value.name.value, description);
  };
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Argument: ({ value }) => note(value, types.getArgument()?.description),
      ObjectField({ name, value }) {
        const type = getNamedType(types.getParentInputType());
        if (isInputObjectType(type)) note(value, type.getFields()[name.value]?.description);
      },
    }),
  );
  return found;
}

/** Writes the schemas of operations, and collects those of the named inputs and enums that they use. */
export class SchemaWriter {
  /** The schemas of named types, by their names. */
  readonly definitions: Record<string, JsonSchema> = {};
  readonly #base: string;
  readonly #failure: JsonSchema;

  /**
   * @param base where the definitions stand in the whole document: `#/$defs/`
   * @param failure the schema of a failure in the place of a value
   */
  constructor(base: string, failure: JsonSchema) {
    this.#base = base;
    this.#failure = failure;
  }

  /** The object of an operation's variables, each described as what it is first given to. */
  variables(operation: Operation): JsonSchema {
    const { schema, node } = operation;
    if ((node.variableDefinitions?.length ?? 0) > MAX_VARIABLES) return manyVariables;
    const descriptions = describeVariables(operation);
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const { variable, type: written, defaultValue } of node.variableDefinitions ?? []) {
      const type = typeFromAST(schema, written);
      if (!isInputType(type)) continue;
      const { value: name } = variable.name;
      const about = descriptions.get(name);
      // A default value of the variable's own replaces that of the argument.
      const told = defaultValue === undefined ? about : about?.replace(DEFAULT_OF_ARGUMENT, '');
      const value = describedBy(this.input(type), told);
      properties[name] = { ...value, ...describeDefault(defaultValue) };
      if (isNonNullType(type) && defaultValue === undefined) required.push(name);
    }
    return objectOf(properties, required);
  }

  /** A value of an input's type. */
  input(type: GraphQLInputType, maxItems = NO_LIMIT): JsonSchema {
    return isNonNullType(type) ? this.given(type.ofType, maxItems) : orNull(this.given(type, maxItems));
  }

  /** A value of an input's type that is not null. */
  given(type: GraphQLInputType, maxItems = NO_LIMIT): JsonSchema {
    if (isNonNullType(type)) return this.given(type.ofType, maxItems);
    if (isListType(type)) {
      const limit = Number.isFinite(maxItems) ? { maxItems } : {};
      return { type: 'array', items: this.input(type.ofType), ...limit };
    }
    const known = isInputObjectType(type) || isEnumType(type) ? null : scalars[type.name];
    return known === null ? this.#named(type) : (known ?? { type: 'string' });
  }

  #named(type: GraphQLNamedType): JsonSchema {
    const { name } = type;
    if (this.definitions[name] === undefined) {
      // A type may contain itself.
      this.definitions[name] = {};
      this.definitions[name] = isInputObjectType(type) ? this.#object(type) : describeEnum(type);
    }
    return { $ref: `${this.#base}${name}` };
  }

  #object(type: GraphQLInputObjectType): JsonSchema {
    const fields = Object.values(type.getFields());
    const properties = fields.map((field) => {
      const value = describedBy(this.input(field.type, getMaxItems(field)), field.description);
      const standard = field.defaultValue === undefined ? {} : { default: field.defaultValue };
      return [field.name, { ...value, ...standard }] as const;
    });
    const required = fields
      .filter(({ type: of, defaultValue }) => isNonNullType(of) && defaultValue === undefined)
      .map(({ name }) => name);
    const only = type.isOneOf ? { minProperties: 1, maxProperties: 1 } : {};
    return describedBy({ ...objectOf(Object.fromEntries(properties), required), ...only }, type.description);
  }

  /**
   * The values of an operation's root fields, by their names in the answer; failures stand in their places. Null if they have so
   * many fields that nobody would read them.
   */
  roots(operation: Operation): AnswerFields | null {
    const { schema, node } = operation;
    const root = schema.getRootType(node.operation);
    if (!root) throw new Error(`the schema has no type for a ${node.operation}`);
    try {
      return new Answers(this, operation, this.#failure).fields([node.selectionSet], root);
    } catch (error) {
      if (error instanceof TooLarge) return null;
      throw error;
    }
  }

  /** A value of an output's leaf. */
  leaf(type: GraphQLNamedType): JsonSchema {
    return isEnumType(type) ? this.#named(type) : (scalars[type.name] ?? {});
  }
}

function objectOf(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function describeEnum(type: GraphQLNamedType): JsonSchema {
  const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  return describedBy({ type: 'string', enum: values }, type.description);
}

/** Fields of one object in an answer. */
export interface AnswerFields {
  readonly properties: ReadonlyMap<string, JsonSchema>;
  /** The names that an answer may lack. */
  readonly optional: ReadonlySet<string>;
}

/** A field of an answer, and what is selected of it. */
interface SelectedField {
  readonly field: Pick<GraphQLField<unknown, unknown>, 'name' | 'type' | 'description'>;
  readonly sets: SelectionSetNode[];
}

/** The fields of the language itself. `__typename` has no text of ours. */
const META: ReadonlyMap<string, SelectedField['field']> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map((one) => [
    one.name,
    { name: one.name, type: one.type, description: null },
  ]),
);

/** The schema of an operation's answer. */
class Answers {
  readonly #writer: SchemaWriter;
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, { readonly on: string; readonly set: SelectionSetNode }>;
  readonly #root: GraphQLObjectType | null | undefined;
  readonly #failure: JsonSchema;
  #size = 0;

  constructor(writer: SchemaWriter, { schema, document }: Operation, failure: JsonSchema) {
    this.#writer = writer;
    this.#schema = schema;
    this.#failure = failure;
    this.#root = schema.getMutationType();
    this.#fragments = new Map(
      document.definitions.flatMap((one) =>
        one.kind === Kind.FRAGMENT_DEFINITION
          ? [[one.name.value, { on: one.typeCondition.name.value, set: one.selectionSet }] as const]
          : [],
      ),
    );
  }

  /** The fields of selections that an object of the type has. */
  fields(sets: readonly SelectionSetNode[], type: GraphQLObjectType): AnswerFields {
    const selected = new Map<string, SelectedField>();
    const optional = new Set<string>();
    this.#collect(sets, type, false, selected, optional);
    // A name is among the properties, and among those that are required.
    for (const [name, { field }] of selected)
      this.#size += 2 * name.length + (field.description?.length ?? 0) + AROUND_NAME;
    if (this.#size > MAX_ANSWER) throw new TooLarge();
    const properties = new Map<string, JsonSchema>();
    for (const [name, { field, sets: below }] of selected) {
      if (field.name === TypeNameMetaFieldDef.name)
        properties.set(name, { type: 'string', const: type.name });
      else {
        const value = this.#value(field.type, below, type === this.#root);
        properties.set(name, describedBy(value, field.description));
      }
    }
    return { properties, optional };
  }

  #collect(
    sets: readonly SelectionSetNode[],
    type: GraphQLObjectType,
    mayLack: boolean,
    into: Map<string, SelectedField>,
    optional: Set<string>,
  ): void {
    for (const selection of sets.flatMap(({ selections }) => selections)) {
      const lacks = mayLack || (selection.directives ?? []).length > 0;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const field = type.getFields()[selection.name.value] ?? META.get(selection.name.value);
        if (field === undefined) throw new Error(`${type.name} has no field ${selection.name.value}`);
        const known = into.get(name);
        const set = selection.selectionSet ? [selection.selectionSet] : [];
        if (known) known.sets.push(...set);
        else into.set(name, { field, sets: set });
        if (lacks && !known) optional.add(name);
        if (!lacks) optional.delete(name);
        continue;
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? this.#fragments.get(selection.name.value)
          : { on: selection.typeCondition?.name.value ?? type.name, set: selection.selectionSet };
      if (fragment && this.#applies(type, fragment.on))
        this.#collect([fragment.set], type, lacks, into, optional);
    }
  }

  #applies(type: GraphQLObjectType, on: string): boolean {
    const condition = this.#schema.getType(on);
    return condition === type || (isAbstractType(condition) && this.#schema.isSubType(condition, type));
  }

  #value(type: GraphQLOutputType, sets: readonly SelectionSetNode[], isOfMutation: boolean): JsonSchema {
    return isNonNullType(type)
      ? this.#present(type.ofType, sets, isOfMutation)
      : orNull(this.#present(type, sets, isOfMutation));
  }

  #present(type: GraphQLOutputType, sets: readonly SelectionSetNode[], isOfMutation: boolean): JsonSchema {
    if (isNonNullType(type)) return this.#present(type.ofType, sets, isOfMutation);
    if (isListType(type)) return { type: 'array', items: this.#value(type.ofType, sets, isOfMutation) };
    const named = getNamedType(type);
    if (isObjectType(named)) return this.#object(named, sets);
    if (!isAbstractType(named)) return this.#writer.leaf(named);
    const possible = this.#schema.getPossibleTypes(named);
    const records = possible.filter((one) => !isOfMutation || !this.#isFailure(one));
    const shapes = records.map((one) => this.#object(one, sets));
    const all = records.length < possible.length ? [...shapes, this.#failure] : shapes;
    const different = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
    const [only, ...others] = different;
    return only !== undefined && others.length === 0 ? only : { anyOf: different };
  }

  #isFailure(type: GraphQLObjectType): boolean {
    const failure = this.#schema.getType(FAILURE);
    return isInterfaceType(failure) && this.#schema.isSubType(failure, type);
  }

  #object(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): JsonSchema {
    const { properties, optional } = this.fields(sets, type);
    const required = [...properties.keys()].filter((name) => !optional.has(name));
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    };
  }
}
