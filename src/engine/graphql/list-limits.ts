import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { getMaxItems, NO_LIMIT } from './input-limits.ts';

/** Returns the maximum number of items of the list in each variable: the most that any of its uses allows. */
export function readListLimits(document: DocumentNode, schema: GraphQLSchema): ReadonlyMap<string, number> {
  const types = new TypeInfo(schema);
  const limits = new Map<string, number>();
  const note = (value: ValueNode, used: Parameters<typeof getMaxItems>[0] | null | undefined) => {
    if (value.kind !== Kind.VARIABLE) return;
    const { value: name } = value.name;
    limits.set(name, Math.max(limits.get(name) ?? 0, used ? getMaxItems(used) : NO_LIMIT));
  };
  const uses = {
    Argument: ({ value }: { readonly value: ValueNode }) => note(value, types.getArgument()),
    ObjectField({ name, value }: { readonly name: { readonly value: string }; readonly value: ValueNode }) {
      const parent = getNamedType(types.getParentInputType());
      note(value, isInputObjectType(parent) ? parent.getFields()[name.value] : null);
    },
  };
  visit(document, visitWithTypeInfo(types, uses));
  return limits;
}
