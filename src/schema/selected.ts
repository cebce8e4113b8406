import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** Which columns a field reads of its row, for its `extensions`. */
export function reads<Column extends string>(...columns: Column[]): { reads: readonly Column[] } {
  return { reads: columns };
}

type Fragments = GraphQLResolveInfo['fragments'];

/** The fields that a selection asks for, those of its fragments included, whatever their types. */
function* fieldsIn(selectionSet: SelectionSetNode | undefined, fragments: Fragments): Generator<FieldNode> {
  for (const selection of selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FIELD) yield selection;
    else if (selection.kind === Kind.INLINE_FRAGMENT) yield* fieldsIn(selection.selectionSet, fragments);
    else yield* fieldsIn(fragments[selection.name.value]?.selectionSet, fragments);
  }
}

function columnsOf(type: GraphQLObjectType, nodes: Iterable<FieldNode>): ReadonlySet<string> | null {
  const fields = type.getFields();
  const columns = new Set<string>();
  for (const { name } of nodes) {
    if (name.value.startsWith('__')) continue;
    // What `reads` made; nothing else writes there.
    const read = fields[name.value]?.extensions.reads as readonly string[] | undefined;
    if (read === undefined) return null;
    for (const column of read) columns.add(column);
  }
  return columns;
}

/** By the node of the field and the way down from it: documents are kept parsed. */
const known = new WeakMap<FieldNode, Map<string, ReadonlySet<string> | null>>();

/**
 * The columns that the query reads of records of the type, which lie below this field by the names of `path`; null where it may
 * read any.
 */
export function columnsRead(
  { fieldNodes, fragments, schema }: GraphQLResolveInfo,
  typeName: string,
  path: readonly string[],
): ReadonlySet<string> | null {
  const [only] = fieldNodes;
  const type = schema.getType(typeName);
  if (only === undefined || fieldNodes.length > 1 || !isObjectType(type)) return null;
  const way = path.join('.');
  const before = known.get(only)?.get(way);
  if (before !== undefined) return before;
  let nodes: FieldNode[] = [...fieldNodes];
  for (const name of path)
    nodes = nodes.flatMap((node) =>
      [...fieldsIn(node.selectionSet, fragments)].filter((one) => one.name.value === name),
    );
  const fields = nodes.flatMap((node) => [...fieldsIn(node.selectionSet, fragments)]);
  const columns = columnsOf(type, fields);
  known.set(only, (known.get(only) ?? new Map()).set(way, columns));
  return columns;
}
