import { isPromise } from 'node:util/types';
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { GraphQLError, type GraphQLFieldResolver } from 'graphql';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      errorLimit: ErrorLimitPlugin<Types>;
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/** The maximum number of errors of an answer. */
export const MAX_ERRORS = 100;

/** Replaces all further errors. It has a path, so that the executor does not create another error from it. */
const furtherErrors = new GraphQLError(`The operation has more than ${MAX_ERRORS} errors.`, {
  path: [],
  extensions: { code: 'TOO_COSTLY' },
});

/** The number of errors of each execution, by its context. */
const counts = new WeakMap<object, number>();

/** Forgets the errors of an execution that is repeated. */
export function forgetErrors(context: object): void {
  counts.delete(context);
}

function counted(context: object, error: unknown): unknown {
  const count = (counts.get(context) ?? 0) + 1;
  counts.set(context, count);
  return count > MAX_ERRORS ? furtherErrors : error;
}

/**
 * Bounds the errors of an operation: a field with wrong arguments may fail for each of thousands of records, and each error
 * takes time. Fields without arguments cannot fail because of the request.
 */
class ErrorLimitPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolver: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    if (Object.keys(field.args).length === 0) return resolver;
    return (row, args, context, info) => {
      try {
        const result: unknown = resolver(row, args, context, info);
        if (!isPromise(result)) return result;
        return result.catch((error: unknown) => {
          throw counted(context, error);
        });
      } catch (error) {
        throw counted(context, error);
      }
    };
  }
}

SchemaBuilder.registerPlugin('errorLimit', ErrorLimitPlugin);
