import type { JsonSchema } from '../form/field.ts';
import type { DescribedField } from './fields.ts';

export const JSON_TYPE = 'application/json';
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** The example as a value of the field's type. */
function exampleIn({ schema, example }: DescribedField): unknown {
  return schema.type === 'integer' && example !== undefined ? Number(example) : example;
}

/** The names of a field in a form: for a list of entries, one for each part of the first entry. */
function inForm(field: DescribedField): [string, JsonSchema][] {
  const { name, schema } = field;
  const example = exampleIn(field);
  if (schema.type !== 'array') return [[name, { ...schema, ...(example !== undefined && { example }) }]];
  const { items, description } = schema as {
    items: { properties?: Record<string, JsonSchema> };
    description?: string;
  };
  if (!items.properties) return [[`${name}[]`, schema]];
  return Object.entries(items.properties).map(([part, of]) => [
    `${name}[0][${part}]`,
    { ...of, description: `${description} The first entry; the next is ${name}[1][${part}].` },
  ]);
}

function objectOf(fields: readonly DescribedField[], properties: [string, JsonSchema][]): JsonSchema {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
}

/** The body of a request with these fields, as a form and as JSON. */
export function bodyOf(fields: readonly DescribedField[]): object {
  const tried = fields.filter(({ example }) => example !== undefined);
  const form = { schema: objectOf(fields, fields.flatMap(inForm)) };
  return {
    required: fields.some((field) => field.required),
    content: {
      ...Object.fromEntries(FORM_TYPES.map((type) => [type, form])),
      [JSON_TYPE]: {
        schema: objectOf(
          fields,
          fields.map(({ name, schema }) => [name, schema]),
        ),
        example: Object.fromEntries(tried.map((field) => [field.name, exampleIn(field)])),
      },
    },
  };
}
