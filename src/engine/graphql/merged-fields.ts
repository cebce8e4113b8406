import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'graphql';

/**
 * Counts the comparisons that a document's fields need: one per field, and two per pair of the same name in the answer.
 * graphql-js compares all of them, including those of fragments used together. Counting stops above a maximum.
 */
export function comparisonsIn(document: DocumentNode, max: number): number {
  const fragments = indexFragments(document);
  const levels: (readonly SelectionSetNode[])[] = document.definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION ? [[one.selectionSet]] : [],
  );
  const counted = new Set<SelectionSetNode>();
  let count = 0;
  // Levels of fields that are found below others are appended.
  for (const level of levels) {
    const [only, another] = level;
    if (only && !another) {
      if (counted.has(only)) continue;
      counted.add(only);
    }
    for (const fields of mergeFields(level, fragments).values()) {
      count += fields.length ** 2;
      if (count > max) return count;
      const below = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) levels.push(below);
    }
  }
  return count;
}

type Fragments = ReadonlyMap<string, SelectionSetNode>;

/** The selections of a document's fragments, by name. */
export function indexFragments({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map(({ name, selectionSet }) => [name.value, selectionSet]));
}

/** The fields of a level, by their names in the answer; those of each fragment once. */
export function mergeFields(
  level: readonly SelectionSetNode[],
  fragments: Fragments,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const sets = new Set(level);
  // Those of fragments are appended.
  for (const { selections } of sets)
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const before = fields.get(name);
        if (before) before.push(selection);
        else fields.set(name, [selection]);
        continue;
      }
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      const within = isInline ? selection.selectionSet : fragments.get(selection.name.value);
      if (within) sets.add(within);
    }
  return fields;
}
