import {
  type ASTNode,
  type DocumentNode,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isAbstractType,
  isIntrospectionType,
  Kind,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { visibleError } from '../../domain/errors.ts';
import { schema } from '../index.ts';
import { type Context, nameOf, readingOf } from './context.ts';
import { deprecatedInOurs } from './deprecated.ts';
import { allowanceOf, allowanceOfV1 } from './limits.ts';

/** How many compiled queries are kept, and how often a query is sent before it is compiled: compiling takes as long as a few executions. */
const KEPT = 500;
const OFTEN = 3;

/** A query whose document is parsed, valid and within its limits. */
interface Known {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  /** Its name in the log. */
  readonly name: string;
  /** How often it was sent. */
  times: number;
  /** Null until it is compiled, or if it cannot be. */
  compiled: CompiledQuery | null;
}

/**
 * Whether compiled code gives the same answer as the executor: it does not support abstract types and introspection, and
 * loses the conditions of fields that are selected more than once.
 */
function isPlain(document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let plain = true;
  const look = {
    enter({ kind }: ASTNode) {
      if (kind === Kind.DIRECTIVE) plain = false;
      const type = types.getType();
      const named = type && getNamedType(type);
      if (named && (isAbstractType(named) || isIntrospectionType(named))) plain = false;
    },
  };
  visit(document, visitWithTypeInfo(types, look));
  return plain;
}

/** The compiled query; null if it cannot be compiled. */
function compile(document: DocumentNode, operationName: string | undefined): CompiledQuery | null {
  const compiled = compileQuery(schema, document, operationName);
  return isCompiledQuery(compiled) ? compiled : null;
}

/**
 * The data; null if there is any error.
 * @throws the error of an unavailable database, so that the query does not wait for it a second time
 */
async function dataOf(compiled: CompiledQuery, variables: Variables, context: Context): Promise<unknown> {
  const { data, errors } = await compiled.query({}, context, variables);
  const away = errors?.find(({ originalError }) => visibleError(originalError)?.code === 'UNAVAILABLE');
  if (away) throw away.originalError;
  return errors ? null : data;
}

type Variables = Readonly<Record<string, unknown>>;

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
  if (!ours.has(document)) ours.set(document, compile(document, undefined));
  const compiled = ours.get(document);
  if (!compiled) return null;
  context.named(nameOf(operation));
  return dataOf(compiled, variables, { ...context, ...readingOf(context), ...allowanceOfV1() });
}

/** A query as a client sends it. */
export interface QueryRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Variables | undefined;
}

const keyOf = ({ query, operationName = '' }: QueryRequest): string => `${operationName}\n${query}`;

/**
 * Executes frequent queries as compiled code. It only gives answers without errors: the server executes everything else, and
 * handles errors.
 */
export class CompiledQueries {
  readonly #known = new LRUCache<string, Known>({ max: KEPT });

  /** Call it with each query that the server has executed without an error. */
  executed(asked: QueryRequest, document: DocumentNode): void {
    if (this.#known.has(keyOf(asked))) return;
    const { operationName } = asked;
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY || !isPlain(document)) return;
    const name = nameOf(operation);
    this.#known.set(keyOf(asked), { document, operationName, name, times: 1, compiled: null });
  }

  /** The data of the answer; null if the server has to answer. */
  async dataOf(asked: QueryRequest, context: Context): Promise<unknown> {
    const known = this.#known.get(keyOf(asked));
    if (known === undefined || !context.actor.scopes.has('read')) return null;
    if (++known.times < OFTEN) return null;
    known.compiled ??= compile(known.document, known.operationName);
    const { compiled, document, operationName, name } = known;
    if (compiled === null) return null;
    const { variables = {} } = asked;
    // Compiled code accepts some variables that the executor would refuse.
    const { variableDefinitions = [] } = getOperationAST(document, operationName) ?? {};
    if (getVariableValues(schema, variableDefinitions, variables).errors) return null;
    const allowance = allowanceOf({ document, operationName, variableValues: variables });
    if (allowance === null || allowance.isHeavy) return null;
    context.named(name);
    context.usedDeprecated(deprecatedInOurs(document));
    return dataOf(compiled, variables, { ...context, ...readingOf(context), ...allowance });
  }
}
