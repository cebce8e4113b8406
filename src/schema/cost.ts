import type { GraphQLField } from 'graphql';
import type { Context } from './context.ts';

/** How many records the field gives at most, as its arguments say: each costs what is selected of it. */
export function recordsOf(args: Record<string, unknown>, field: GraphQLField<unknown, Context>): number {
  const { perPage, first, last, inputs, ids } = args;
  const given = [perPage, first, last].find((one) => typeof one === 'number');
  const batch = [inputs, ids].find((one) => Array.isArray(one));
  const standard = field.args.some(({ name }) => name === 'first') ? 20 : 1;
  return Math.max(1, Number(given ?? batch?.length ?? standard));
}
