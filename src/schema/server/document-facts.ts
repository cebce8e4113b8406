import {
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isIntrospectionType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Context } from './context.ts';
import { type DocumentFacts, recordOf } from './operation-record.ts';

export function factsOf(document: DocumentNode, of: GraphQLSchema): DocumentFacts {
  const types = new TypeInfo(of);
  const deprecated = new Set<string>();
  let [hasDirectives, isCompilable, isCovered] = [false, true, true];
  const note = (
    name: string,
    definition: { deprecationReason?: string | null | undefined } | null | undefined,
  ) => {
    if (definition?.deprecationReason != null) deprecated.add(name);
  };
  const enter = (node: ASTNode): void => {
    const [type, field, argument, value] = [
      types.getType(),
      types.getFieldDef(),
      types.getArgument(),
      types.getEnumValue(),
    ];
    const named = type && getNamedType(type);
    if (named && (isAbstractType(named) || isIntrospectionType(named))) isCompilable = false;
    const fieldName = `${types.getParentType()?.name}.${field?.name}`;
    if (node.kind === Kind.DIRECTIVE) hasDirectives = true;
    if (node.kind === Kind.FIELD && node.alias?.value === '__proto__') isCompilable = false;
    if (node.kind === Kind.FIELD) note(fieldName, field);
    const { pothosPrismaSelect: select, pothosPrismaRelationField: relation } = field?.extensions ?? {};
    if (select && (field?.args.length || (relation && types.getParentType()?.name !== 'Link')))
      isCovered = false;
    if (node.kind === Kind.ARGUMENT) note(`${fieldName}(${argument?.name})`, argument);
    if (node.kind === Kind.ENUM) note(`${types.getInputType()}.${value?.name}`, value);
  };
  visit(document, visitWithTypeInfo(types, { enter }));
  return {
    deprecated: [...deprecated],
    hasDirectives,
    isCompilable: isCompilable && !hasDirectives,
    isCovered,
  };
}

/** Adds the record of the operation to its context, and reports the use of deprecated parts of the schema. */
export const useOperationRecord: Plugin<Context> = {
  onExecute({ args: { document, operationName, contextValue, schema }, extendContext }) {
    const { params, usedDeprecated }: Context & { params?: GraphQLParams } = contextValue;
    const operation = getOperationAST(document, operationName);
    if (!operation) return;
    const record = recordOf(operation);
    record.facts ??= factsOf(document, schema);
    extendContext({ record });
    if (params !== undefined) usedDeprecated(record.facts.deprecated);
  },
};
