import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { GraphQLParams, Plugin, YogaServerInstance } from 'graphql-yoga';
import type { Context } from './context.ts';

/** The part of the server that executes documents. */
export type Executing = Pick<YogaServerInstance<Context, object>, 'getEnveloped'>;

/** Executes a valid document with all plugins of the server, but without its HTTP. */
export async function executeDocument(
  server: Executing,
  operation: Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'>,
  context: Context & { readonly params?: GraphQLParams },
): Promise<ExecutionResult> {
  const { schema, contextFactory, execute } = server.getEnveloped({ ...context });
  return execute({ schema, ...operation, contextValue: await contextFactory() });
}

/** Sends the result of an operation that is executed already: a result with errors needs a status. */
export const useExecuted: Plugin<Context> = {
  onExecute({ args, setResultAndStopExecution }) {
    const { executed }: Context = args.contextValue;
    if (executed !== undefined) setResultAndStopExecution(executed);
  },
};
