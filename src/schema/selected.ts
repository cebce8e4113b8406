import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

type Reads = {
  readonly reads: readonly string[];
  readonly readsOf?: string;
};

/** The columns that a field reads from its row, for its `extensions`. */
export function reads(...columns: string[]): Reads {
  return { reads: columns };
}

/** The same for a field that returns a joined object of this name, of which only the selected columns are read. */
export function readsOf(name: string): Reads {
  return { reads: [name], readsOf: name };
}

type Fragments = GraphQLResolveInfo['fragments'];

/** The fields of a selection, including those of its fragments, whatever their types. */
export function* fieldsIn(
  selectionSet: SelectionSetNode | undefined,
  fragments: Fragments,
): Generator<FieldNode> {
  for (const selection of selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FIELD) yield selection;
    else if (selection.kind === Kind.INLINE_FRAGMENT) yield* fieldsIn(selection.selectionSet, fragments);
    else yield* fieldsIn(fragments[selection.name.value]?.selectionSet, fragments);
  }
}

/** The columns that the fields of the type read, those of joined objects as `space.name`; null if a field may read any. */
function columnsOf(
  type: GraphQLObjectType,
  nodes: Iterable<FieldNode>,
  fragments: Fragments,
): ReadonlySet<string> | null {
  const fields = type.getFields();
  const columns = new Set<string>();
  for (const { name, selectionSet } of nodes) {
    if (name.value.startsWith('__')) continue;
    const field = fields[name.value];
    // Only `reads` and `readsOf` set this.
    const { reads, readsOf } = (field?.extensions ?? {}) as Partial<Reads>;
    if (field === undefined || reads === undefined) return null;
    const below = getNamedType(field.type);
    const ofJoined =
      readsOf !== undefined && isObjectType(below)
        ? columnsOf(below, fieldsIn(selectionSet, fragments), fragments)
        : null;
    if (ofJoined === null) for (const column of reads) columns.add(column);
    else for (const column of ['id', ...ofJoined]) columns.add(`${readsOf}.${column}`);
  }
  return columns;
}

/** A cache by the field's node and the path below it: parsed documents are cached. */
const known = new WeakMap<FieldNode, Map<string, ReadonlySet<string> | null>>();

/**
 * The columns that the query reads from records of the type, which are below this field at `path`; null if it may read
 * any.
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
  const columns = columnsOf(type, fields, fragments);
  known.set(only, (known.get(only) ?? new Map()).set(way, columns));
  return columns;
}
