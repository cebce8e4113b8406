import { normalizedExecutor } from '@graphql-tools/executor';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  type VariableDefinitionNode,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { visibleError } from '../rules/errors.ts';
import type { Execution } from './api.ts';
import { measureOperation } from './cost/operation-size.ts';
import type { Definition } from './definition.ts';
import type { Operation } from './document.ts';
import { forgetErrors } from './error-limit.ts';

/** Number of executions before a query is compiled, since compiling takes as long as a few of them. */
const MIN_EXECUTIONS = 2;
/** Maximum number of fields of a compiled query. Compiling blocks the thread for a tenth of a millisecond per field. */
const MAX_FIELDS = 300;

/** The compiled queries, and null for those that cannot be compiled. The code for a field takes about 2.5 kB. */
const compiledQueries = new LRUCache<Operation, { readonly query: CompiledQuery | null }>({
  max: 500,
  maxSize: 10_000,
});

/** The type of variables that are coerced already. */
const coercedType = new GraphQLScalarType({ name: 'Coerced' });

/** Leaves that compiled code takes for others: it serializes neither GraphQL's own types nor enums. */
function collectLeaves(schema: GraphQLSchema): ReadonlyMap<string, GraphQLScalarType> {
  const leaves = new Map<string, GraphQLScalarType>([
    ['ID', new GraphQLScalarType({ name: 'Id', serialize: String })],
    ['URL', GraphQLString],
    ['Date', GraphQLString],
  ]);
  for (const type of Object.values(schema.getTypeMap()))
    if (isEnumType(type) && type.getValues().some(({ name, value }) => name !== value))
      leaves.set(
        type.name,
        new GraphQLScalarType({ name: `${type.name}Value`, serialize: (value) => type.serialize(value) }),
      );
  return leaves;
}

function withLeaves(
  type: GraphQLOutputType,
  leaves: ReadonlyMap<string, GraphQLScalarType>,
): GraphQLOutputType {
  if (isNonNullType(type)) return new GraphQLNonNull(getNullableType(withLeaves(type.ofType, leaves)));
  return isListType(type)
    ? new GraphQLList(withLeaves(type.ofType, leaves))
    : (leaves.get(type.name) ?? type);
}

/** The schema for documents whose rows have all that their fields select: compiled code reads the values as they are. */
function inlinedSchema({ schema, coveredSchema }: Definition): GraphQLSchema {
  const inlined = coveredSchema();
  const leaves = collectLeaves(schema);
  for (const type of Object.values(inlined.getTypeMap()))
    if (isObjectType(type))
      for (const field of Object.values(type.getFields())) field.type = withLeaves(field.type, leaves);
  return inlined;
}

function asNullable(type: GraphQLOutputType): GraphQLOutputType {
  const bare = getNullableType(type);
  return isListType(bare) ? new GraphQLList(asNullable(bare.ofType)) : bare;
}

/** The root type, whose fields and the items of their lists may all be null. */
function withNullableFields(type: GraphQLObjectType | null | undefined): GraphQLObjectType | null {
  if (!type) return null;
  const { fields, ...config } = type.toConfig();
  const nullable = Object.entries(fields).map(([name, field]) => [
    name,
    { ...field, type: asNullable(field.type) },
  ]);
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(nullable) });
}

/** The schema with the type of coerced variables, which introspection does not list. */
class ExecutedSchema extends GraphQLSchema {
  override getType(name: string) {
    return name === coercedType.name ? coercedType : super.getType(name);
  }
}

/** The schemas that operations of one API are executed by, each made when it is needed, so that the service starts sooner. */
class ExecutedSchemas {
  readonly #definition: Definition;
  #executed: GraphQLSchema | undefined;
  #apart: GraphQLSchema | undefined;
  /** By whether rows are covered. */
  readonly #compilable = new Map<boolean, GraphQLSchema>();

  constructor(definition: Definition) {
    this.#definition = definition;
  }

  /** For the executor. */
  get executed(): GraphQLSchema {
    this.#executed ??= new ExecutedSchema({ ...this.#definition.schema.toConfig(), assumeValid: true });
    return this.#executed;
  }

  /** For the executor, where root fields fail by themselves. */
  get apart(): GraphQLSchema {
    this.#apart ??= this.#makeApart();
    return this.#apart;
  }

  #makeApart(): GraphQLSchema {
    const { query, mutation, types, ...config } = this.#definition.schema.toConfig();
    return new ExecutedSchema({
      ...config,
      query: withNullableFields(query),
      mutation: withNullableFields(mutation),
      types: types.filter((type) => type !== query && type !== mutation),
      assumeValid: true,
    });
  }

  /** For compiled code. */
  compilable(isCovered: boolean): GraphQLSchema {
    const known = this.#compilable.get(isCovered);
    if (known !== undefined) return known;
    const from = isCovered ? inlinedSchema(this.#definition) : this.#definition.schema;
    const { types, ...config } = from.toConfig();
    const made = new GraphQLSchema({ ...config, types: [...types, coercedType], assumeValid: true });
    this.#compilable.set(isCovered, made);
    return made;
  }
}

const schemas = new WeakMap<Definition, ExecutedSchemas>();

function chooseSchemas({ definition }: Operation): ExecutedSchemas {
  const known = schemas.get(definition) ?? new ExecutedSchemas(definition);
  schemas.set(definition, known);
  return known;
}

/** The documents for coerced variables. */
const coercedDocuments = new WeakMap<Operation, DocumentNode>();

/**
 * Returns the schema and document to execute. With the original ones, the executor would coerce variables a second
 * time, including long lists that are to be refused.
 * @param failsApart true if root fields, and the items of their lists, fail by themselves
 */
export function executable(
  operation: Operation,
  failsApart = false,
): { schema: GraphQLSchema; document: DocumentNode } {
  const { document, node } = operation;
  const hasVariables = (node.variableDefinitions ?? []).length > 0;
  const schema = chooseSchema(operation, failsApart, hasVariables);
  if (!hasVariables) return { schema, document };
  const known = coercedDocuments.get(operation) ?? withCoercedVariables(document, node);
  coercedDocuments.set(operation, known);
  return { schema, document: known };
}

function chooseSchema(operation: Operation, failsApart: boolean, hasVariables: boolean): GraphQLSchema {
  if (failsApart) return chooseSchemas(operation).apart;
  return hasVariables ? chooseSchemas(operation).executed : operation.schema;
}

/**
 * The document for variables that are coerced already. graphql-jit's own coercion refuses left-out fields that have a default,
 * and accepts some values that the executor would refuse.
 */
function withCoercedVariables(document: DocumentNode, operation: OperationDefinitionNode): DocumentNode {
  const type: NamedTypeNode = {
    kind: Kind.NAMED_TYPE,
    name: { kind: Kind.NAME, value: coercedType.name },
  };
  const variableDefinitions = operation.variableDefinitions?.map(
    ({ kind, variable }): VariableDefinitionNode => ({ kind, variable, type }),
  );
  const definitions = document.definitions.map((one) =>
    one === operation ? { ...operation, variableDefinitions } : one,
  );
  return { ...document, definitions };
}

/** The operation as compiled code for coerced variables; null if it is not frequent, or cannot be compiled. */
function compiledFor(
  operation: Operation,
  variables: Readonly<Record<string, unknown>>,
): CompiledQuery | null {
  if (++operation.executions <= MIN_EXECUTIONS || !operation.facts.isCompilable) return null;
  const known = compiledQueries.get(operation);
  if (known !== undefined) return known.query;
  const { breadth } = measureOperation(operation, variables);
  if (breadth > MAX_FIELDS) return null;
  const { document, node, facts } = operation;
  const compiled = compileQuery(
    chooseSchemas(operation).compilable(facts.isCovered),
    withCoercedVariables(document, node),
    node.name?.value,
    { disableLeafSerialization: facts.isCovered },
  );
  const query = isCompiledQuery(compiled) ? compiled : null;
  compiledQueries.set(operation, { query }, { size: breadth });
  return query;
}

/** The error of an unavailable database: the executor would wait for it a second time. */
function unavailableIn(errors: CompiledResult['errors']): GraphQLError | null {
  const found = errors?.find(({ originalError }) => visibleError(originalError)?.code === 'UNAVAILABLE');
  if (!found?.originalError) return null;
  return new GraphQLError(found.message, { originalError: found.originalError, path: found.path });
}

type CompiledResult = Awaited<ReturnType<CompiledQuery['query']>>;

/** The variables of an operation, as the client gives them, and with the values that their types give them. */
export interface Values {
  readonly given: Readonly<Record<string, unknown>>;
  readonly coerced: Readonly<Record<string, unknown>>;
}

/** Executes an operation; a frequent query as compiled code. The executor repeats those that fail, to report their errors. */
export async function execute(
  operation: Operation,
  { given, coerced }: Values,
  context: Execution,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const { node } = operation;
  const interpret = () =>
    normalizedExecutor({
      ...executable(operation, context.failsApart),
      operationName: node.name?.value,
      variableValues: coerced,
      contextValue: context,
    });
  const isQuery = node.operation === OperationTypeNode.QUERY && !context.isHeavy;
  const compiled = isQuery ? compiledFor(operation, given) : null;
  if (compiled === null) return interpret();
  const { data, errors }: CompiledResult = await compiled.query({}, context, coerced);
  if (errors === undefined) return { data };
  context.signal.throwIfAborted();
  forgetErrors(context);
  const unavailable = unavailableIn(errors);
  return unavailable ? { errors: [unavailable] } : interpret();
}
