import { type ExecutionResult, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql';
import { type GraphQLParams, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { visibleError } from '../../domain/errors.ts';
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
    const context: Context & { params?: GraphQLParams } = args.contextValue;
    const { keyed, params } = context;
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
      // Thrown from here, an error would pass those by who know what may be told of it.
      const visible = visibleError(error);
      if (visible === null) throw error;
      if (visible.code === 'UNAVAILABLE')
        context.log.warn({ requestId: context.requestId, err: error }, 'database not available');
      return setResultAndStopExecution({
        errors: [new GraphQLError(visible.message, { extensions: extensionsOf(visible) })],
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
