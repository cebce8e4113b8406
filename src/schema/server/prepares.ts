import {
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from './context.ts';

/** Does slow work of a mutation ahead, with services that remember it. */
type Prepare<Args> = (context: Context, args: Args) => Promise<void>;

/** The preparation of a mutation, for the `extensions` of its field. */
export function prepares<Args>(prepare: Prepare<Args>): { prepare: Prepare<Args> } {
  return { prepare };
}

/** The field's arguments; null if the executor will refuse them. */
function argumentsOf(...of: Parameters<typeof getArgumentValues>): Record<string, unknown> | null {
  try {
    return getArgumentValues(...of);
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The fields of a selection, including those of its fragments. */
function* fieldsIn({ selections }: SelectionSetNode, fragments: Fragments): Generator<FieldNode> {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) yield selection;
    else if (selection.kind === Kind.INLINE_FRAGMENT) yield* fieldsIn(selection.selectionSet, fragments);
    else {
      const fragment = fragments[selection.name.value];
      if (fragment) yield* fieldsIn(fragment.selectionSet, fragments);
    }
  }
}

/** Prepares all mutations of an operation whose variables are right, one after the other. */
export async function prepareMutations(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  context: Context,
): Promise<void> {
  const operation = getOperationAST(document, operationName);
  const { coerced } = getVariableValues(schema, operation?.variableDefinitions ?? [], variableValues ?? {});
  if (!operation || coerced === undefined) return;
  const fragments = Object.fromEntries(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [],
    ),
  );
  // Fields with the same response name are executed once.
  const nodes = new Map<string, FieldNode>();
  for (const node of fieldsIn(operation.selectionSet, fragments))
    nodes.set((node.alias ?? node.name).value, node);
  for (const node of nodes.values()) {
    const field = schema.getMutationType()?.getFields()[node.name.value];
    // Only `prepares` sets this, for the arguments of the same field.
    const { prepare } = (field?.extensions ?? {}) as { prepare?: Prepare<unknown> };
    if (field === undefined || prepare === undefined) continue;
    context.signal.throwIfAborted();
    const args = argumentsOf(field, node, coerced);
    if (args !== null) await prepare(context, args);
  }
}
