import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { LinkSelect } from '../db/reading/link-selection.ts';
import type { Context } from '../graphql/context.ts';

/**
 * What the operation selects of links: Prisma's `select`, as Pothos plans it. It is planned once for each document, unless
 * the plan may depend on variables.
 * @param paths where the links are below this field; by default they are its value
 */
export function selectFor(context: Context, info: GraphQLResolveInfo, paths: string[][] = []): LinkSelect {
  const { operation } = context;
  const [node] = info.fieldNodes;
  const plans = info.fieldNodes.length === 1 && !operation.facts.hasDirectives ? operation.plans : null;
  const before = node && plans?.get(node);
  if (before !== undefined) return before;
  const { select = {} } = queryFromInfo({ context, info, typeName: 'Link', paths });
  if (node !== undefined) plans?.set(node, select);
  return select;
}

/** Where a connection has its records, and where a numbered page has them. */
export const inConnection = [['edges', 'node'], ['nodes']];
export const inPage = [['items']];
