import {
  type ExecutionArgs,
  type FieldNode,
  GraphQLError,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Context } from './context.ts';

/** Does the slow work of a mutation in advance, with services that remember its results. */
type Prepare<Args> = (context: Context, args: Args) => Promise<unknown>;

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

/** Prepares all mutations of an operation whose variables are right, one after the other. */
export async function prepareMutations(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  context: Context,
): Promise<void> {
  const operation = getOperationAST(document, operationName);
  const { coerced } = getVariableValues(schema, operation?.variableDefinitions ?? [], variableValues ?? {});
  const own = separateOperations(document)[operation?.name?.value ?? ''];
  const mutation = schema.getMutationType();
  if (own === undefined || coerced === undefined) return;
  // Fields with the same response name are executed once.
  const nodes = new Map<string, FieldNode>();
  const types = new TypeInfo(schema);
  const collect = (node: FieldNode) => {
    if (types.getParentType() === mutation) nodes.set((node.alias ?? node.name).value, node);
    return false;
  };
  visit(own, visitWithTypeInfo(types, { Field: collect }));
  for (const node of nodes.values()) {
    const field = mutation?.getFields()[node.name.value];
    // Only `prepares` sets this, for the arguments of the same field.
    const { prepare } = (field?.extensions ?? {}) as { prepare?: Prepare<unknown> };
    if (field === undefined || prepare === undefined) continue;
    context.signal.throwIfAborted();
    const args = argumentsOf(field, node, coerced);
    if (args !== null) await prepare(context, args);
  }
}
