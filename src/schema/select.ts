import { queryFromInfo } from '@pothos/plugin-prisma';
import { type ASTNode, BREAK, type GraphQLResolveInfo, Kind, visit } from 'graphql';
import type { LinkSelect } from '../db/reading/link-rows.ts';
import type { Context } from './server/context.ts';
import { recordOf } from './server/operation-record.ts';

/** Whether a directive may change what the operation selects. */
function isConditional({ operation, fragments }: GraphQLResolveInfo): boolean {
  let found = false;
  const look = (node: ASTNode) =>
    visit(node, {
      [Kind.DIRECTIVE]: () => {
        found = true;
        return BREAK;
      },
    });
  for (const node of [operation, ...Object.values(fragments)]) look(node);
  return found;
}

/**
 * What the operation selects of records of the type: Prisma's `select`, as Pothos plans it. It is planned once for each
 * document, unless the plan may depend on variables.
 * @param paths where the records are below this field; by default they are its value
 */
export function selectFor(
  context: Context,
  info: GraphQLResolveInfo,
  typeName: string,
  paths: string[][] = [],
): LinkSelect {
  const [node] = info.fieldNodes;
  const record = recordOf(info.operation);
  record.isConditional ??= isConditional(info);
  const isKept = node !== undefined && info.fieldNodes.length === 1 && !record.isConditional;
  const before = isKept ? record.plans.get(node)?.get(typeName) : undefined;
  if (before !== undefined) return before;
  const { select = {} } = queryFromInfo({ context, info, typeName, paths });
  if (isKept)
    record.plans.set(node, (record.plans.get(node) ?? new Map<string, LinkSelect>()).set(typeName, select));
  return select;
}

/** Where a connection has its records, and where a numbered page has them. */
export const inConnection = [['edges', 'node'], ['nodes']];
export const inPage = [['items']];
