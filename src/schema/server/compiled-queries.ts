import {
  type ASTNode,
  type DocumentNode,
  GraphQLScalarType,
  GraphQLSchema,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isAbstractType,
  isIntrospectionType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  TypeInfo,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { visibleError } from '../../domain/errors.ts';
import { schema } from '../index.ts';
import { type Context, nameOf, readingOf } from './context.ts';
import { deprecatedInOurs } from './deprecated.ts';
import { allowanceOf, allowanceOfV1 } from './limits.ts';
import { refusalOfVariables } from './variables.ts';

/** How often a query is executed before it is compiled: compiling takes as long as a few executions. */
const COMPILED_FROM = 2;
/** How many fields a compiled query has at most: compiling blocks the thread for a tenth of a millisecond for each. */
const MAX_FIELDS = 300;

/**
 * Whether compiled code gives the same answer as the executor: it does not support abstract types and introspection, loses the
 * conditions of fields that are selected more than once, and loses fields with the response name `__proto__`.
 */
function isPlain(document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let plain = true;
  const look = {
    enter(node: ASTNode) {
      if (node.kind === Kind.DIRECTIVE) plain = false;
      if (node.kind === Kind.FIELD && node.alias?.value === '__proto__') plain = false;
      const type = types.getType();
      const named = type && getNamedType(type);
      if (named && (isAbstractType(named) || isIntrospectionType(named))) plain = false;
    },
  };
  visit(document, visitWithTypeInfo(types, look));
  return plain;
}

/** The type of variables that are coerced already. */
const coercedType = new GraphQLScalarType({ name: 'Coerced' });
const { types: ourTypes, ...config } = schema.toConfig();
const compilable = new GraphQLSchema({ ...config, types: [...ourTypes, coercedType], assumeValid: true });

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

/** The compiled query, for coerced variables; null if it cannot be compiled. */
function compile(document: DocumentNode, operation: OperationDefinitionNode): CompiledQuery | null {
  const compiled = compileQuery(compilable, withCoercedVariables(document, operation), operation.name?.value);
  return isCompiledQuery(compiled) ? compiled : null;
}

/** The coerced variables; null if the executor would refuse them. */
function coercedFor(operation: OperationDefinitionNode, variables: Variables): Variables | null {
  return getVariableValues(schema, operation.variableDefinitions ?? [], variables).coerced ?? null;
}

/**
 * The data; null if there is any error.
 * @param variables coerced
 * @throws the error of an unavailable database, so that the query does not wait for it a second time; the signal's reason
 */
async function dataOf(compiled: CompiledQuery, variables: Variables, context: Context): Promise<unknown> {
  const { data, errors } = await context.running(() => compiled.query({}, context, variables));
  context.signal.throwIfAborted();
  const away = errors?.find(({ originalError }) => visibleError(originalError)?.code === 'UNAVAILABLE');
  if (away) throw away.originalError;
  return errors ? null : data;
}

export type Variables = Readonly<Record<string, unknown>>;

/** v1's own queries, compiled. */
const ours = new WeakMap<DocumentNode, CompiledQuery | null>();

/** The data of one of v1's queries; null if the server has to execute it, to report errors. */
export async function dataOfOurs(
  document: DocumentNode,
  variables: Variables,
  context: Context,
): Promise<unknown> {
  const operation = getOperationAST(document);
  if (operation?.operation !== OperationTypeNode.QUERY || !context.actor.scopes.has('read')) return null;
  if (!ours.has(document)) ours.set(document, compile(document, operation));
  const compiled = ours.get(document);
  const coerced = compiled && coercedFor(operation, variables);
  if (!coerced) return null;
  context.named(nameOf(operation));
  return dataOf(compiled, coerced, { ...context, ...readingOf(context), ...allowanceOfV1() });
}

/** A valid query of a client, which is compiled when it is frequent. */
export class FrequentQuery {
  readonly #document: DocumentNode;
  readonly #operationName: string | undefined;
  readonly #operation: OperationDefinitionNode;
  #times = 1;
  /** Undefined until it is compiled, null if it cannot be. */
  #compiled: CompiledQuery | null | undefined;

  constructor(
    document: DocumentNode,
    operationName: string | undefined,
    operation: OperationDefinitionNode,
    breadth: number,
  ) {
    this.#document = document;
    this.#operationName = operationName;
    this.#operation = operation;
    const { QUERY } = OperationTypeNode;
    if (operation.operation !== QUERY || breadth > MAX_FIELDS || !isPlain(document)) this.#compiled = null;
  }

  /** The data; null if there is any error, or if the query is not compiled. */
  async dataOf(variables: Variables, context: Context): Promise<unknown> {
    if (this.#compiled === null || !context.actor.scopes.has('read')) return null;
    if (++this.#times <= COMPILED_FROM) return null;
    const [document, operationName] = [this.#document, this.#operationName];
    this.#compiled ??= compile(document, this.#operation);
    const compiled = this.#compiled;
    const operation = { document, operationName, variableValues: variables };
    if (compiled === null || refusalOfVariables(operation) !== null) return null;
    const coerced = coercedFor(this.#operation, variables);
    if (coerced === null) return null;
    const allowance = allowanceOf(operation);
    if (allowance === null || allowance.isHeavy) return null;
    context.named(nameOf(this.#operation));
    context.usedDeprecated(deprecatedInOurs(document));
    return dataOf(compiled, coerced, { ...context, ...readingOf(context), ...allowance });
  }
}
