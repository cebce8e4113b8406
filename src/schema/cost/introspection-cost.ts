import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { FieldCost } from './field-cost.ts';

const mean = (lengths: readonly number[]): number =>
  lengths.reduce((sum, length) => sum + length, 0) / lengths.length;

/** A list that has its greatest length, since a client chooses the type whose list it asks for. */
function longest(lengths: readonly number[]): { size: number } {
  return { size: Math.max(1, ...lengths) };
}

/** The same, but a client that asks for the lists of all types gets their average length. */
function longestOrMean(lengths: readonly number[]): FieldCost {
  return {
    size: (_args, { ofAllTypes }) => (ofAllTypes === true ? mean(lengths) : longest(lengths).size),
    toChildren: (_args, { ofAllTypes }) => ({ ofAllTypes }),
  };
}

/** The costs of the lists of the introspection, by type and field. */
export function introspectionCosts(schema: GraphQLSchema): ReadonlyMap<string, FieldCost> {
  const types = Object.values(schema.getTypeMap());
  const directives = schema.getDirectives();
  const fieldsOf = (type: GraphQLNamedType) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const inputFieldsOf = (type: GraphQLNamedType) =>
    isInputObjectType(type) ? Object.keys(type.getFields()) : [];
  const valuesOf = (type: GraphQLNamedType) => (isEnumType(type) ? type.getValues() : []);
  const abstractTypes = types.filter(isAbstractType);
  const lengths = <Item>(items: readonly Item[], listOf: (item: Item) => readonly unknown[]) =>
    items.map((item) => listOf(item).length);
  return new Map<string, FieldCost>([
    ['__Schema.types', { size: types.length, toChildren: () => ({ ofAllTypes: true }) }],
    ['__Schema.directives', { size: directives.length }],
    ['__Directive.locations', longest(lengths(directives, ({ locations }) => locations))],
    ['__Directive.args', longest(lengths(directives, ({ args }) => args))],
    ['__Type.fields', longestOrMean(lengths(types, fieldsOf))],
    ['__Field.args', longestOrMean(lengths(types.flatMap(fieldsOf), ({ args }) => args))],
    ['__Type.inputFields', longestOrMean(lengths(types, inputFieldsOf))],
    ['__Type.enumValues', longestOrMean(lengths(types, valuesOf))],
    ['__Type.possibleTypes', longest(lengths(abstractTypes, (type) => schema.getPossibleTypes(type)))],
    ['__Type.interfaces', longest(lengths(types.filter(isObjectType), (type) => type.getInterfaces()))],
  ]);
}
