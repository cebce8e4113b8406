import type { GraphQLSchema, OperationTypeNode } from 'graphql';

/** A GraphQL API: its schema, and what the engine asks about it. */
export interface Definition {
  readonly schema: GraphQLSchema;
  /** Makes the schema for documents whose rows have all that their fields select. */
  coveredSchema(): GraphQLSchema;
  /** True if rows of a type are read with their relations. */
  readsRelations(typeName: string): boolean;
  /** Returns the permission that a root field needs. */
  permissionFor(operation: OperationTypeNode, field: string): string;
}
