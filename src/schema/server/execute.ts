import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  OperationTypeNode,
} from 'graphql';
import type { GraphQLParams, Plugin, YogaServerInstance } from 'graphql-yoga';
import type { Context } from './context.ts';

/** The part of the server that executes documents. */
type Executing = Pick<YogaServerInstance<Context, object>, 'getEnveloped'>;

type Engine = ReturnType<Executing['getEnveloped']>;
type Operation = Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'>;

async function run({ schema, contextFactory, execute }: Engine, operation: Operation) {
  const result: ExecutionResult = await execute({
    schema,
    ...operation,
    contextValue: await contextFactory(),
  });
  return result;
}

/** Executes a valid document with all plugins of the server, but without its HTTP. */
export function executeDocument(
  server: Executing,
  operation: Operation,
  context: Context,
): Promise<ExecutionResult> {
  return run(server.getEnveloped({ ...context }), operation);
}

/** An operation as a client sends it. */
export interface SentOperation {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** The valid document of a text; null if it has a fault. Documents are cached. */
function documentOf({ schema, parse, validate }: Engine, query: string): DocumentNode | null {
  try {
    const document: DocumentNode = parse(query);
    return validate(schema, document).length === 0 ? document : null;
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

/** The same for the text of a query or mutation; null if the server's HTTP has to answer: it is a subscription, or has a fault. */
export async function executeText(
  server: Executing,
  { query, operationName, variables }: SentOperation,
  context: Context,
): Promise<ExecutionResult | null> {
  const params: GraphQLParams = { query, operationName, variables };
  const engine = server.getEnveloped({ ...context, params });
  const document = documentOf(engine, query);
  const operation = document && getOperationAST(document, operationName);
  if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return null;
  return run(engine, { document, operationName, variableValues: variables });
}

/** Sends the result of an operation that is executed already: a result with errors needs a status. */
export const useExecuted: Plugin<Context> = {
  onExecute({ args, setResultAndStopExecution }) {
    const { executed }: Context = args.contextValue;
    if (executed !== undefined) setResultAndStopExecution(executed);
  },
};
