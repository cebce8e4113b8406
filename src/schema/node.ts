import { brandWithType, type OutputRef } from '@pothos/core';
import DataLoader from 'dataloader';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { batchSize, costs, STATEMENT_COST } from '../engine/graphql/cost/costs.ts';
import { ofBatch } from '../engine/graphql/input-limits.ts';
import { MAX_BATCH, parseBatch, parseId } from '../engine/rules/input.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';

/** Finds the account's own records with these ids, in any order; others are left out. */
type Load = (
  context: Context,
  ids: number[],
  info: GraphQLResolveInfo,
) => PromiseLike<readonly { id: number }[]>;

/** A type that implements `Node`. */
type NodeType = OutputRef & { readonly name: string };

/** The types that implement `Node`, by name. */
const nodeTypes = new Map<string, { readonly type: NodeType; readonly load: Load }>();

/** Registers a type, which must implement `Node`, for `node` and `nodes`. */
export function findNodes(type: NodeType, load: Load): void {
  nodeTypes.set(type.name, { type, load });
}

/** The global id of a record. */
export function encodeNodeId(type: string, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** The longest global id that is read, in characters. */
const MAX_NODE_ID = 100;

/** The type and the number of a global id; null for an impossible id. */
export function parseNodeId(nodeId: string): { type: string; id: number } | null {
  if (nodeId.length > MAX_NODE_ID) return null;
  const [, type = '', digits = ''] = /^(\w+):(\d+)$/.exec(Buffer.from(nodeId, 'base64url').toString()) ?? [];
  const id = parseId(digits);
  // Other encodings of the same text are not valid ids.
  return id === null || !nodeTypes.has(type) || encodeNodeId(type, id) !== nodeId ? null : { type, id };
}

const nodeIdDescription =
  'An id that is unique among the records of all types, for caches. It is opaque: do not parse it.';

/** The interface of records with global ids. Types that implement it must be registered by `findNodes`. */
export const Node = builder.interfaceRef<{ id: number }>('Node').implement({
  description: 'A record with an id that is unique among the records of all types.',
  fields: (t) => ({
    nodeId: t.id({
      description: nodeIdDescription,
      resolve: ({ id }, _args, _context, { parentType }) => encodeNodeId(parentType.name, id),
    }),
  }),
});

/** The record of each id, in order; null if the account does not have it. Each type costs one statement for all of its ids. */
async function findNodesOfType(
  context: Context,
  nodeIds: readonly string[],
  info: GraphQLResolveInfo,
): Promise<({ id: number } | null)[]> {
  const parsed = nodeIds.map(parseNodeId);
  const found = new Map<string, { id: number }>();
  const ofType = async (name: string, { type, load }: { type: NodeType; load: Load }) => {
    const ids = parsed.flatMap((one) => (one?.type === name ? one.id : []));
    if (ids.length === 0) return;
    for (const row of await load(context, [...new Set(ids)], info)) {
      brandWithType(row, type);
      found.set(encodeNodeId(name, row.id), row);
    }
  };
  await Promise.all([...nodeTypes].map(([name, one]) => ofType(name, one)));
  return nodeIds.map((nodeId) => found.get(nodeId) ?? null);
}

/** Finds the records of one execution by their global ids, for the fields of a selection. */
type Finder = DataLoader<string, { id: number } | null>;

/** Finders of executions, by the fields that select the records: those of one selection share their statements. */
const finders = new WeakMap<Context, Map<readonly FieldNode[], Finder>>();

function findFinder(context: Context, info: GraphQLResolveInfo): Finder {
  const { fieldNodes } = info;
  const known = finders.get(context) ?? new Map<readonly FieldNode[], Finder>();
  finders.set(context, known);
  // The executor may collect the same fields again for each parent.
  const isSame = (nodes: readonly FieldNode[]) =>
    nodes.length === fieldNodes.length && nodes.every((node, index) => node === fieldNodes[index]);
  for (const [nodes, before] of known) if (isSame(nodes)) return before;
  // Nothing is cached: another mutation of the document may change a record.
  const options = { cache: false, maxBatchSize: MAX_BATCH };
  const finder: Finder = new DataLoader((nodeIds) => findNodesOfType(context, nodeIds, info), options);
  known.set(fieldNodes, finder);
  return finder;
}

/** Finds a record by its global id, together with those of other parents. Returns null if the caller may not see it, or it is gone. */
export function findNode(
  context: Context,
  nodeId: string,
  info: GraphQLResolveInfo,
): Promise<{ id: number } | null> {
  return findFinder(context, info).load(nodeId);
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The record with this global id; null if the account has none.',
    extensions: costs({ work: STATEMENT_COST }),
    args: { nodeId: t.arg.id({ required: true, description: 'The global id: the `nodeId` of a record.' }) },
    resolve: async (_root, { nodeId }, context, info) =>
      (await findNodesOfType(context, [nodeId], info))[0] ?? null,
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description:
      'The records with these global ids, at most 100, in order; null for records that the account does not have.',
    extensions: costs({
      size: ({ nodeIds }) => batchSize(nodeIds),
      // A list of ids may need one statement for each type.
      work: () => STATEMENT_COST * nodeTypes.size,
    }),
    args: { nodeIds: t.arg.idList({ required: true, description: 'The global ids.', ...ofBatch }) },
    resolve: (_root, { nodeIds }, context, info) =>
      findNodesOfType(context, parseBatch('nodeIds', nodeIds), info),
  }),
}));
