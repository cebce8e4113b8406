import { type ExecutionResult, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql';
import { type GraphQLParams, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { Preparation } from '../../domain/prepared-services.ts';
import type { Context } from './context.ts';
import { presentedAny } from './errors.ts';
import { prepareMutations } from './prepare-mutations.ts';

/** The codes of errors after which a retry may succeed. */
const TRANSIENT_CODES = new Set<unknown>(['INTERNAL', 'UNAVAILABLE', 'RATE_LIMITED']);

function failedTransiently({ errors = [] }: ExecutionResult): boolean {
  return errors.some(({ extensions }) => TRANSIENT_CODES.has(extensions.code));
}

/**
 * Begins mutations over `/graphql` with an idempotency key: those that were done before are not executed again. What takes
 * long, such as hashing passwords, is done before their transaction begins. After an error that may pass, everything is
 * rolled back, and the answer says so.
 */
export const useKeyedWrites: Plugin<Context> = {
  async onExecute({ args, extendContext, setResultAndStopExecution }) {
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
      // The handler sends the stored answer instead.
      if (found !== null) return setResultAndStopExecution({ data: null });
      const preparation = new Preparation(context.services, () => keyed.isOpen);
      await prepareMutations(args, { ...context, services: preparation.preparing });
      extendContext({ services: preparation.prepared });
    } catch (error) {
      keyed.fail();
      // An error thrown here would bypass the plugins that mask errors.
      const { message, extensions } = presentedAny(error, context);
      // Nothing is executed, so that it is an error of the request.
      const http = { status: 400, ...(extensions.http as object | undefined) };
      const refused = new GraphQLError(message, { extensions: { ...extensions, http } });
      return setResultAndStopExecution({ errors: [refused] });
    }
    return {
      onExecuteDone({ result, setResult }) {
        if (isAsyncIterable(result) || !failedTransiently(result)) return;
        keyed.fail();
        setResult({ data: null, errors: result.errors });
      },
    };
  },
};
