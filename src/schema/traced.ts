import { type GraphQLSchema, isObjectType } from 'graphql';
import { tracer } from '../shared/tracing.ts';

/** The schema, whose resolvers are parts of traces if they read and if there is a tracer. */
export function withTraces<Schema extends GraphQLSchema>(schema: Schema): Schema {
  const tracing = tracer;
  if (tracing === undefined) return schema;
  for (const type of Object.values(schema.getTypeMap()))
    for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
      const { resolve } = field;
      if (resolve)
        field.resolve = (...given) => tracing.reading(`${type}.${field.name}`, () => resolve(...given));
    }
  return schema;
}
