import type { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { invalid } from '../../domain/errors.ts';
import { sizeOf } from '../cost/operation-size.ts';
import type { OperationSize } from '../cost/size-calculation.ts';
import type { Context } from './context.ts';
import { limits, tooLarge } from './limits.ts';

/** An operation whose answer may have more values is executed in slices, with pauses for other work. */
const HEAVY_VALUES = 20_000;
/** The maximum size of targets on a page of v1, in bytes: those of any ten links fit. */
const MAX_V1_TARGET_BYTES = 16_000_000;

/** Whether objects and lists are nested beyond the limit: functions that walk through them are recursive. */
export function isNestedTooDeeply(value: unknown, levels = limits.nesting): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedTooDeeply(inner, levels - 1));
}

/** The error for an operation that is too large; null if it is not. */
function excessOf(size: OperationSize | null): GraphQLError | null {
  const measures = ['depth', 'breadth', 'records', 'cost'] as const;
  const over = size && measures.find((measure) => size[measure] > limits[measure]);
  return over ? tooLarge(over, Math.ceil(size[over])) : null;
}

/** Adds up its arguments, and throws beyond the limit. */
function bounded(limit: number, error: (sum: number) => Error): (more: number) => void {
  let sum = 0;
  return (more) => {
    sum += more;
    if (sum > limit) throw error(sum);
  };
}

/** The limits of v1's own documents: only the size of targets can be too large. */
function limitsOfV1(): Pick<Context, 'spendOnTargets'> {
  const message = `asks for links with more than ${MAX_V1_TARGET_BYTES / 1e6} MB of targets: ask for fewer`;
  return {
    spendOnTargets: bounded(MAX_V1_TARGET_BYTES, () => invalid([{ path: ['perPage'], messages: [message] }])),
  };
}

/** Refuses operations that are too large, before they are executed; adds the cost to the answer for a client that asks for it. */
export const useOperationLimits: Plugin<Context> = {
  onParams({ params: { variables, extensions }, setResult }) {
    if (isNestedTooDeeply(variables) || isNestedTooDeeply(extensions))
      setResult({ errors: [tooLarge('nesting', limits.nesting + 1)] });
  },
  onSubscribe({ args, setResultAndStopExecution }) {
    const over = excessOf(sizeOf(args));
    if (over) setResultAndStopExecution({ errors: [over] });
  },
  onExecute({ args, setResultAndStopExecution, extendContext }) {
    const { params }: Context & { params?: GraphQLParams } = args.contextValue;
    if (params === undefined) return extendContext(limitsOfV1());
    const size = sizeOf(args);
    const over = excessOf(size);
    if (over) return setResultAndStopExecution({ errors: [over] });
    if (size === null) return;
    extendContext({
      isHeavy: size.values > HEAVY_VALUES,
      spendOnTargets: bounded(limits.targetBytes, (bytes) => tooLarge('targetBytes', bytes)),
    });
    if (params.extensions?.cost !== true) return;
    return {
      onExecuteDone({ result, setResult }) {
        if ('next' in result) return;
        const { depth, breadth } = size;
        const cost = Math.ceil(size.cost);
        setResult({
          ...result,
          extensions: { ...result.extensions, cost: { cost, depth, breadth, limits } },
        });
      },
    };
  },
};
