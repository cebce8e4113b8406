import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** The lengths of the lists of the introspection, by type and field. */
export interface IntrospectionSizes {
  /** Of any type or field, since a client chooses which it asks for. */
  readonly largest: ReadonlyMap<string, number>;
  /** The average over all types or fields, for a client that asks for all. */
  readonly average: ReadonlyMap<string, number>;
}

export function introspectionSizes(schema: GraphQLSchema): IntrospectionSizes {
  const types = Object.values(schema.getTypeMap());
  const fieldsOf = (type: GraphQLNamedType) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const fields = types.map((type) => fieldsOf(type).length);
  const args = types.flatMap(fieldsOf).map((field) => field.args.length);
  const inputFields = types.map((type) =>
    isInputObjectType(type) ? Object.keys(type.getFields()).length : 0,
  );
  const values = types.map((type) => (isEnumType(type) ? type.getValues().length : 0));
  const directives = schema.getDirectives();
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const max = (numbers: readonly number[]) => Math.max(1, ...numbers);
  return {
    largest: new Map([
      ['__Schema.types', types.length],
      ['__Schema.directives', directives.length],
      ['__Directive.locations', max(directives.map(({ locations }) => locations.length))],
      ['__Directive.args', max(directives.map((directive) => directive.args.length))],
      ['__Type.fields', max(fields)],
      ['__Field.args', max(args)],
      ['__Type.inputFields', max(inputFields)],
      ['__Type.enumValues', max(values)],
      [
        '__Type.possibleTypes',
        max(types.filter(isAbstractType).map((type) => schema.getPossibleTypes(type).length)),
      ],
      ['__Type.interfaces', max(types.filter(isObjectType).map((type) => type.getInterfaces().length))],
    ]),
    average: new Map([
      ['__Schema.types', types.length],
      ['__Type.fields', mean(fields)],
      ['__Field.args', mean(args)],
      ['__Type.inputFields', mean(inputFields)],
      ['__Type.enumValues', mean(values)],
    ]),
  };
}
