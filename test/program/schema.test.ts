import { readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  printSchema,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';

/** The breaking changes from the committed schema, by graphql-inspector. */
async function breaksOf(text: string): Promise<string[]> {
  const changes = await diff(buildSchema(readFileSync('schema.graphql', 'utf8')), buildSchema(text));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}

test('the committed schema has lost nothing', async () => {
  expect(await breaksOf(printSchema(schema))).toEqual([]);
});

test('detects breaking changes', async () => {
  const broken = printSchema(schema).replace('  shortUrl: URL!', '  shortest: URL!');
  expect(await breaksOf(broken)).toEqual(["Field 'shortUrl' was removed from object type 'Link'"]);
});

test('the printed schema equals the committed one', async () => {
  await expect(`${printSchema(schema)}\n`).toMatchFileSnapshot('../../schema.graphql');
});

test('every type, field, argument and enum value has a description', () => {
  const bare: string[] = [];
  const check = (name: string, { description }: { description?: string | null }) => {
    if (!description) bare.push(name);
  };
  for (const type of Object.values(schema.getTypeMap()).filter(
    (one) => !isIntrospectionType(getNamedType(one)),
  )) {
    if (!['String', 'Int', 'Boolean', 'ID', 'Float'].includes(type.name)) check(type.name, type);
    if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value);
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      check(`${type.name}.${field.name}`, field);
      if ('args' in field)
        for (const arg of field.args) check(`${type.name}.${field.name}(${arg.name})`, arg);
    }
  }
  expect(bare).toEqual([]);
});
