import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { schema } from '../index.ts';
import type { Context } from './context.ts';
import { recordOf } from './operation-record.ts';

/** The deprecated fields, arguments and values in a document, each once: `Link.old`, `Query.links(old)`, `Order.OLD`. */
export function deprecatedIn(document: DocumentNode, of: GraphQLSchema): readonly string[] {
  const types = new TypeInfo(of);
  const found = new Set<string>();
  const look = {
    Field() {
      const field = types.getFieldDef();
      if (field?.deprecationReason != null) found.add(`${types.getParentType()?.name}.${field.name}`);
    },
    Argument() {
      const argument = types.getArgument();
      if (argument?.deprecationReason != null)
        found.add(`${types.getParentType()?.name}.${types.getFieldDef()?.name}(${argument.name})`);
    },
    EnumValue() {
      const value = types.getEnumValue();
      if (value?.deprecationReason != null) found.add(`${types.getInputType()}.${value.name}`);
    },
  };
  visit(document, visitWithTypeInfo(types, look));
  return [...found];
}

/** Reports the use of deprecated parts of the schema. */
export const useDeprecated: Plugin<Context> = {
  onExecute({ args }) {
    const { params, usedDeprecated }: Context & { params?: GraphQLParams } = args.contextValue;
    const operation = getOperationAST(args.document, args.operationName);
    if (params === undefined || !operation) return;
    const record = recordOf(operation);
    record.deprecated ??= deprecatedIn(args.document, schema);
    usedDeprecated(record.deprecated);
  },
};
