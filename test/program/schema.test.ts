import { readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
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

test('the schema says what it is for, and names records in words', () => {
  expect(schema.description).toMatch(/short links/i);
  const described: [string, string | null | undefined][] = Object.values(schema.getTypeMap()).flatMap(
    (type) => [
      [type.name, type.description],
      ...(isObjectType(type)
        ? Object.values(type.getFields()).map(({ name, description }): [string, typeof description] => [
            name,
            description,
          ])
        : []),
    ],
  );
  // A name from code, such as `utmTemplates`, outside of backticks.
  const named = described.filter(([, words]) =>
    /\b[a-z]+[A-Z]\w+/.test(words?.replaceAll(/`[^`]*`/g, '') ?? ''),
  );
  expect(named.filter(([, words]) => !/GraphiQL|iOS/.test(words ?? ''))).toEqual([]);
});

test('null clears a field, or all entries of a list', () => {
  const cleared = Object.values(schema.getTypeMap())
    .filter(isInputObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ description }) => description?.includes('Null clears'));
  const wrong = cleared.filter(
    ({ type, description }) => /Null clears them\.$/.test(description ?? '') !== isListType(type),
  );
  expect(cleared.length).toBeGreaterThan(10);
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test('totals say where counting stops', () => {
  const links = schema.getType('LinkConnection');
  const { totalCount } = isObjectType(links) ? links.getFields() : {};
  expect(totalCount?.description).toMatch(/one or two characters, or `ANYWHERE`, counting stops at 1,000\./);
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

/** Words in lines of at most 100 characters. */
function linesOf(words: readonly string[]): string {
  const lines = [''];
  for (const word of words) {
    if (`${lines.at(-1)} ${word}`.length > 98) lines.push('');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.map((line) => ` ${line}\n`).join('');
}

test('the set-up of urql names every type without an id', async () => {
  const file = 'packages/client/src/urql.ts';
  const roots = ['Query', 'Mutation', 'Subscription'];
  const names = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !isIntrospectionType(type) && !('id' in type.getFields()))
    .map(({ name }) => name)
    .filter((name) => !roots.includes(name));
  const listed = /(?<=const withoutId = `\n).*?(?=`;)/s;
  const setUp = readFileSync(file, 'utf8').replace(listed, linesOf(names.sort()));
  await expect(setUp).toMatchFileSnapshot(`../../${file}`);
});
