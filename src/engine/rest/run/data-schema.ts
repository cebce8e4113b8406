import type { Operation } from '../../graphql/document.ts';
import { type JsonSchema, orNull, type SchemaWriter } from '../../graphql/json-schema.ts';
import { object, textType } from '../record.ts';
import { givesRecord } from './answer.ts';

/** A failure in the place of a value, as `encodeFailure` writes it. */
export const failureSchema: JsonSchema = object({
  error: object(
    {
      code: textType,
      message: textType,
      fields: { type: 'object', additionalProperties: { type: 'array', items: textType } },
      // True if the field was executed, and only its answer has failed.
      done: { type: 'boolean', const: true },
    },
    ['done'],
  ),
});

/** The schema without null, which is answered with 404. */
function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.anyOf)) {
    const rest: unknown[] = schema.anyOf.filter((one: JsonSchema) => one.type !== 'null');
    return rest.length === 1 && isSchema(rest[0]) ? rest[0] : { ...schema, anyOf: rest };
  }
  if (!Array.isArray(schema.type)) return schema;
  const [type] = schema.type.filter((one) => one !== 'null');
  return { ...schema, type };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

/** The schema without a failure, which has an answer of its own. */
function withoutFailure(schema: JsonSchema, failure: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.anyOf)) return schema;
  const text = JSON.stringify(failure);
  const rest: unknown[] = schema.anyOf.filter((one) => JSON.stringify(one) !== text);
  return rest.length === 1 && isSchema(rest[0]) ? rest[0] : { ...schema, anyOf: rest };
}

/** The schema of data with too many fields, and of data for which the whole description has no room. */
export const anyData: JsonSchema = {
  description: 'It has too many fields to list them: see the document of the operation.',
};

/**
 * The schema of an operation's data, as `readAnswer` gives it.
 * @param failure the schema of a failure in the place of a value, as the writer has it
 */
export function describeData(operation: Operation, writer: SchemaWriter, failure: JsonSchema): JsonSchema {
  const roots = writer.roots(operation);
  if (roots === null) return anyData;
  const { properties, optional } = roots;
  const [[name, only] = [], ...others] = properties;
  if (name !== undefined && only !== undefined && others.length === 0) {
    const value = withoutFailure(only, failure);
    const record = givesRecord(operation) ? withoutNull(value) : value;
    // A directive may skip the field.
    const given = optional.has(name) ? orNull(record) : record;
    // A mutation may have written, and its answer fails.
    return operation.isMutation ? { anyOf: [given, failure] } : given;
  }
  const values = [...properties].map(([one, value]) => [one, { anyOf: [value, failure] }] as const);
  const required = [...properties.keys()].filter((one) => !optional.has(one));
  return {
    type: 'object',
    properties: Object.fromEntries(values),
    ...(required.length > 0 && { required }),
  };
}
