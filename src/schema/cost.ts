import type { GraphQLField } from 'graphql';
import { DEFAULT_EDGES } from '../domain/list.ts';
import type { Context } from './context.ts';

/** How many records the field gives at most, as its arguments say: each costs what is selected of it. */
export function recordsOf(args: Record<string, unknown>, field: GraphQLField<unknown, Context>): number {
  const { perPage, first, last, inputs, ids } = args;
  const given = [perPage, first, last].find((one) => typeof one === 'number');
  const batch = [inputs, ids].find((one) => Array.isArray(one));
  const standard = field.args.some(({ name }) => name === 'first') ? DEFAULT_EDGES : 1;
  return Math.max(1, Number(given ?? batch?.length ?? standard));
}
