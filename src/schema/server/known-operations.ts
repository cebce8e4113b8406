import { type DocumentNode, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql';
import { type GraphQLParams, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { FrequentQuery, type Variables } from './compiled-queries.ts';
import type { Context } from './context.ts';
import { type Executing, executeDocument } from './execute.ts';
import { documentsWithin } from './limits.ts';
import { breadthOf } from './operation-size.ts';

/** The maximum number of operations. */
const MAX_OPERATIONS = 500;

/** An operation as a client sends it. */
export interface SentOperation {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Variables | undefined;
}

/** A text that is different for different operations, whatever they contain. */
function keyOf({ query, operationName }: SentOperation): string {
  return `${operationName?.length ?? ''}:${operationName ?? ''}${query}`;
}

interface Known {
  readonly document: DocumentNode;
  readonly frequent: FrequentQuery;
}

/** How many characters of a text take as much memory as the compiled code for a field: a fragment is compiled each time it is used. */
const CHARACTERS_OF_FIELD = 50;

/**
 * Queries and mutations that the server has executed without an error: their documents are parsed and valid, so they need
 * nothing of the server but their execution.
 */
export class KnownOperations {
  readonly #known = new LRUCache<string, Known>({ max: MAX_OPERATIONS, maxSize: documentsWithin.maxSize });

  /** Call it with each operation that the server has executed without an error. */
  executed(sent: SentOperation, document: DocumentNode): void {
    const key = keyOf(sent);
    if (this.#known.has(key)) return;
    const operation = getOperationAST(document, sent.operationName);
    if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return;
    const breadth = breadthOf({
      document,
      operationName: sent.operationName,
      variableValues: sent.variables,
    });
    const frequent = new FrequentQuery(document, sent.operationName, operation, breadth);
    const size = documentsWithin.sizeCalculation(document, key) + breadth * CHARACTERS_OF_FIELD;
    this.#known.set(key, { document, frequent }, { size });
  }

  /** Executes the operation; null if it is not known. */
  async execute(server: Executing, sent: SentOperation, context: Context): Promise<ExecutionResult | null> {
    const known = this.#known.get(keyOf(sent));
    if (known === undefined) return null;
    const { operationName, variables } = sent;
    const data = await known.frequent.dataOf(variables ?? {}, context);
    if (data != null) return { data: data as Record<string, unknown> };
    const operation = { document: known.document, operationName, variableValues: variables };
    return executeDocument(server, operation, { ...context, params: sent });
  }
}

/** Tells which operations are executed without an error. */
export function useKnown(known: KnownOperations): Plugin<Context> {
  return {
    onExecute({ args }) {
      const { params }: Context & { params?: GraphQLParams } = args.contextValue;
      const query = params?.query;
      if (typeof query !== 'string') return;
      const operationName = args.operationName ?? undefined;
      return {
        onExecuteDone({ result }) {
          if (!isAsyncIterable(result) && !result.errors)
            known.executed({ query, operationName, variables: params?.variables }, args.document);
        },
      };
    },
  };
}
