import { queryFromInfo } from '@pothos/plugin-prisma';
import {
  type ASTNode,
  BREAK,
  type FieldNode,
  type GraphQLResolveInfo,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import type { LinkSelect } from '../db/reading/link-rows.ts';
import type { Context } from './server/context.ts';

/** Whether a directive may change what the operation selects. */
const conditional = new WeakMap<OperationDefinitionNode, boolean>();

function isConditional({ operation, fragments }: GraphQLResolveInfo): boolean {
  const known = conditional.get(operation);
  if (known !== undefined) return known;
  let found = false;
  const look = (node: ASTNode) =>
    visit(node, {
      [Kind.DIRECTIVE]: () => {
        found = true;
        return BREAK;
      },
    });
  for (const node of [operation, ...Object.values(fragments)]) look(node);
  conditional.set(operation, found);
  return found;
}

/** Plans by the node of the field that they are for: parsed documents are cached. */
const known = new WeakMap<FieldNode, Map<string, LinkSelect>>();

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
  const isKept = node !== undefined && info.fieldNodes.length === 1 && !isConditional(info);
  const before = isKept ? known.get(node)?.get(typeName) : undefined;
  if (before !== undefined) return before;
  const { select = {} } = queryFromInfo({ context, info, typeName, paths });
  if (isKept) known.set(node, (known.get(node) ?? new Map<string, LinkSelect>()).set(typeName, select));
  return select;
}

/** Where a connection has its records, and where a numbered page has them. */
export const inConnection = [['edges', 'node'], ['nodes']];
export const inPage = [['items']];
