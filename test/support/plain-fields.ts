import { getNamedType, isObjectType } from 'graphql';
import { z } from 'zod';
import { updateLinkInput } from '../../src/domain/link/fields.ts';
import { schema } from '../../src/schema/index.ts';

/** A field of links that is plain text, and has the same name in inputs and answers. */
export interface PlainField {
  readonly name: string;
  readonly inV1: string;
  readonly maxLength: number;
}

const declared: { properties?: Record<string, unknown> } = z.toJSONSchema(updateLinkInput, {
  io: 'input',
  unrepresentable: 'any',
});
const nullableText = z.object({
  anyOf: z.tuple([
    z.strictObject({ type: z.literal('string'), maxLength: z.number(), description: z.string() }),
    z.strictObject({ type: z.literal('null') }),
  ]),
});
const shown = schema.getType('Link');

/** The plain fields that the domain declares. Tests check them in both APIs, so a new one needs no test of its own. */
export const plainFields: readonly PlainField[] = Object.entries(declared.properties ?? {}).flatMap(
  ([name, rule]) => {
    const { data } = nullableText.safeParse(rule);
    const field = isObjectType(shown) ? shown.getFields()[name] : undefined;
    if (data === undefined || field === undefined || getNamedType(field.type).name !== 'String') return [];
    const inV1 = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { name, inV1, maxLength: data.anyOf[0].maxLength };
  },
);

/** An object that has a value for each plain field, by its name in either interface. */
export function plainly<Value>(
  by: 'name' | 'inV1',
  value: (field: PlainField) => Value,
): Record<string, Value> {
  return Object.fromEntries(plainFields.map((field) => [field[by], value(field)]));
}
