import type { GraphQLResolveInfo } from 'graphql';
import { parseBatch, parseId } from '../domain/input.ts';
import { builder } from './builder.ts';
import { reads } from './selected.ts';
import type { Context } from './server/context.ts';
import { costs } from './server/cost.ts';

/** The account's own records with these ids, in any order; what it may not see is not among them. */
type Load = (
  context: Context,
  ids: number[],
  info: GraphQLResolveInfo,
) => PromiseLike<readonly { id: number }[]>;

/** How the records of each type are found, by the type's name. */
const loaders = new Map<string, Load>();

/** The types of the records that were found, since a row does not say what it is of. */
const types = new WeakMap<object, string>();

/** Has `node` and `nodes` find the records of a type, which has to implement `Node`. */
export function findNodes(type: string, load: Load): void {
  loaders.set(type, load);
}

/** The record as a value of `Node`. */
export function asNode<Row extends object>(type: string, row: Row): Row {
  types.set(row, type);
  return row;
}

/** The id of a record among those of all types. */
export function nodeIdOf(type: string, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** The type and the number that a global id stands for; null where nothing can have it. */
function parseNodeId(nodeId: string): { type: string; id: number } | null {
  const [, type = '', digits = ''] = /^(\w+):(\d+)$/.exec(Buffer.from(nodeId, 'base64url').toString()) ?? [];
  const id = parseId(digits);
  // What decodes to the same is not the same id.
  return id === null || !loaders.has(type) || nodeIdOf(type, id) !== nodeId ? null : { type, id };
}

const nodeIdDescription =
  'The id of the record among those of all types, for caches. It says nothing more: do not take it apart.';

/** What has an id that no other record of any type has. Whoever implements it tells `findNodes` how its records are found. */
export const Node = builder.interfaceRef<{ id: number }>('Node').implement({
  description: 'A record with an id that no other record has, of whatever type.',
  resolveType: (row) => types.get(row),
  fields: (t) => ({
    nodeId: t.id({
      description: nodeIdDescription,
      extensions: reads(),
      resolve: ({ id }, _args, _context, { parentType }) => nodeIdOf(parentType.name, id),
    }),
  }),
});

/** The record of each id, in order; null for what the account has not. Each type costs a statement, however many ids. */
async function nodesOf(
  context: Context,
  nodeIds: readonly string[],
  info: GraphQLResolveInfo,
): Promise<({ id: number } | null)[]> {
  const asked = nodeIds.map(parseNodeId);
  const found = new Map<string, { id: number }>();
  const ofType = async ([type, load]: [string, Load]) => {
    const ids = asked.flatMap((one) => (one?.type === type ? one.id : []));
    if (ids.length === 0) return;
    for (const row of await load(context, [...new Set(ids)], info))
      found.set(nodeIdOf(type, row.id), asNode(type, row));
  };
  await Promise.all([...loaders].map(ofType));
  return nodeIds.map((nodeId) => found.get(nodeId) ?? null);
}

/** What a statement costs; a list of ids may cost one for each type. */
const STATEMENT = 10;

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The record with this global id; null if the account has none.',
    extensions: costs({ work: STATEMENT }),
    args: { nodeId: t.arg.id({ required: true, description: 'The global id: the `nodeId` of a record.' }) },
    resolve: async (_root, { nodeId }, context, info) => (await nodesOf(context, [nodeId], info))[0] ?? null,
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description:
      'The records with these global ids, at most 100, in order; null in place of what the account has not.',
    extensions: costs({
      size: ({ nodeIds }) => (Array.isArray(nodeIds) ? nodeIds.length : 1),
      work: () => STATEMENT * loaders.size,
    }),
    args: { nodeIds: t.arg.idList({ required: true, description: 'The global ids.' }) },
    resolve: (_root, { nodeIds }, context, info) => nodesOf(context, parseBatch('nodeIds', nodeIds), info),
  }),
}));
