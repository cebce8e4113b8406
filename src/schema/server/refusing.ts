import type { ExecutionArgs, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from './context.ts';

type Args = ExecutionArgs & { readonly contextValue: Context };

interface Hook {
  readonly args: Args;
  setResultAndStopExecution(result: { errors: readonly GraphQLError[] }): void;
}

/** A plugin that checks operations before they are executed or subscribed to, and refuses those with an error. */
export function refusing(errorOf: (args: Args) => GraphQLError | null): Plugin<Context> {
  const refuse = ({ args, setResultAndStopExecution }: Hook): void => {
    const error = errorOf(args);
    if (error) setResultAndStopExecution({ errors: [error] });
  };
  return { onExecute: refuse, onSubscribe: refuse };
}
