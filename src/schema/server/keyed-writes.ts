import { type ExecutionResult, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql';
import { type GraphQLParams, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { DomainError } from '../../domain/errors.ts';
import type { Context } from './context.ts';
import { extensionsOf } from './errors.ts';

/** What says of an error that the same may go well another time. */
const FAULTS = new Set<unknown>(['INTERNAL', 'UNAVAILABLE']);

/** Whether it failed for no fault of the request. */
function hasFault({ errors = [] }: ExecutionResult): boolean {
  return errors.some(({ extensions }) => FAULTS.has(extensions.code));
}

/**
 * Begins mutations that came over `/graphql` with a key: those that were done before are not executed. Where a fault of ours
 * ends one, nothing of it is done, and its answer says so.
 */
export const useKeyedWrites: Plugin<Context> = {
  async onExecute({ args, setResultAndStopExecution }) {
    const { keyed, params }: Context & { params?: GraphQLParams } = args.contextValue;
    if (keyed === undefined || params === undefined) return;
    const operation = getOperationAST(args.document, args.operationName);
    if (operation?.operation !== OperationTypeNode.MUTATION) return;
    try {
      const { query, operationName, variables, extensions } = params;
      const found = await keyed.begin(
        JSON.stringify(['graphql', query, operationName, variables, extensions]),
      );
      // In its place, the whole answer is sent as it was.
      if (found !== null) return setResultAndStopExecution({ data: null });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { message } = error;
      return setResultAndStopExecution({
        errors: [new GraphQLError(message, { extensions: extensionsOf(error) })],
      });
    }
    return {
      onExecuteDone({ result, setResult }) {
        if (isAsyncIterable(result) || !hasFault(result)) return;
        keyed.fail();
        setResult({ data: null, errors: result.errors });
      },
    };
  },
};
