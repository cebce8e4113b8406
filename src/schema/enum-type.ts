import { builder } from './builder.ts';
import { nameEnum } from './input-type.ts';

/** An enum with the domain's values and their descriptions. Inputs use it for the domain's choice with the same title. */
export function enumType<Name extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Name, string>>,
) {
  const values = Object.fromEntries(
    Object.entries<string>(descriptions).map(([value, text]) => [value, { description: text }]),
  ) as Record<Name, { description: string }>; // Object.fromEntries loses the type of the keys.
  const type = builder.enumType(name, { description, values });
  nameEnum(name, type);
  return type;
}
