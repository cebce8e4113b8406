import { z } from 'zod';
import { decodeFields, type JsonSchema } from '../form/field.ts';
import { JSON_TYPE } from '../form/form.ts';
import { type AnyRoute, isUpdate } from '../route.ts';

export interface DescribedField {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example: string | undefined;
  /** True if it may be sent without a value. In an update, that clears it; otherwise it counts as absent. */
  readonly mayBeEmpty: boolean;
}

/** The schema of a value that is not null. */
function withoutNull(rule: JsonSchema): JsonSchema {
  const { anyOf, type, ...rest } = rule;
  if (Array.isArray(type)) return { ...rest, type: type.find((one) => one !== 'null') };
  if (!Array.isArray(anyOf)) return rule;
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null');
  return others.length === 0 ? { ...rest, ...withoutNull(only) } : rule;
}

/** The schema of the value at a path of the input. */
function ruleAt(rules: JsonSchema, path: readonly string[]): JsonSchema {
  const here = withoutNull(rules);
  const [head, ...rest] = path;
  if (head === undefined) return here;
  const { properties = {} } = here as { properties?: Record<string, JsonSchema> }; // An object's schema has them.
  return ruleAt(properties[head] ?? {}, rest);
}

/** True if v1 accepts an empty value of the field. */
function mayBeEmpty({ fields, schema, methods }: AnyRoute, name: string): boolean {
  const { refusals } = decodeFields(fields, new Map([[name, '']]), schema, isUpdate({ methods }));
  return !refusals.has(name);
}

/** The fields of a route, with schemas and descriptions from its rules, and v1's spellings. */
export function describeFields(route: AnyRoute): DescribedField[] {
  const rules: JsonSchema = z.toJSONSchema(route.schema, { io: 'input', unrepresentable: 'any' });
  const required = Array.isArray(rules.required) ? rules.required : [];
  return Object.entries(route.fields).flatMap(([name, field]) => {
    const rule = ruleAt(rules, field.path);
    const schema = field.describe ? field.describe(field.path.length > 0 ? rule : {}) : rule;
    if (schema === null) return [];
    const description = field.about ?? rule.description;
    const { example } = field;
    return [
      {
        name,
        required: required.includes(field.path.join('.')),
        schema: { ...schema, description },
        example,
        mayBeEmpty: mayBeEmpty(route, name),
      },
    ];
  });
}

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** The example as a value of the field's type. */
function exampleIn({ schema, example }: DescribedField): unknown {
  return schema.type === 'integer' && example !== undefined ? Number(example) : example;
}

const EMPTY: JsonSchema = { const: '' };
const NULL: JsonSchema = { type: 'null' };

/** The schema of a value, or of one of the empty ones. Clients with types then know both. */
function orEmpty({ description, ...value }: JsonSchema, ...empty: readonly JsonSchema[]): JsonSchema {
  const { type, enum: choices, format, pattern, minLength, ...rest } = value;
  const isPlainText = type === 'string' && (choices ?? format ?? pattern) === undefined;
  if (!isPlainText) return { anyOf: [value, ...empty], description };
  return { ...rest, type: empty.includes(NULL) ? ['string', 'null'] : 'string', description };
}

/** The schema of a field in a JSON body. */
function inJson({ schema, mayBeEmpty }: DescribedField): JsonSchema {
  return mayBeEmpty ? orEmpty(schema, EMPTY, NULL) : schema;
}

/** The names of a field in a form: for a list of entries, one for each part of the first entry. */
function inForm(field: DescribedField): [string, JsonSchema][] {
  const { name, schema } = field;
  const example = exampleIn(field);
  const shown = (one: JsonSchema): JsonSchema => (field.mayBeEmpty ? orEmpty(one, EMPTY) : one);
  if (schema.type !== 'array')
    return [[name, { ...shown(schema), ...(example !== undefined && { example }) }]];
  const { items, description } = schema as {
    items: { properties?: Record<string, JsonSchema> };
    description?: string;
  };
  if (!items.properties) return [[`${name}[]`, { ...schema, items: shown(items) }]];
  return Object.entries(items.properties).map(([part, of]) => [
    `${name}[0][${part}]`,
    shown({ ...of, description: `${description} The first entry; the next is ${name}[1][${part}].` }),
  ]);
}

function describeObject(fields: readonly DescribedField[], properties: [string, JsonSchema][]): JsonSchema {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
}

/** The body of a request with these fields, as a form and as JSON. */
export function describeBody(fields: readonly DescribedField[]): object {
  const tried = fields.filter(({ example }) => example !== undefined);
  const form = { schema: describeObject(fields, fields.flatMap(inForm)) };
  return {
    required: fields.some((field) => field.required),
    content: {
      ...Object.fromEntries(FORM_TYPES.map((type) => [type, form])),
      [JSON_TYPE]: {
        schema: describeObject(
          fields,
          fields.map((field) => [field.name, inJson(field)]),
        ),
        example: Object.fromEntries(tried.map((field) => [field.name, exampleIn(field)])),
      },
    },
  };
}
