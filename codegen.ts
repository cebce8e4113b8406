// Generates types of GraphQL operations from schema.graphql, which a test compares with the schema in src/schema.
//   tsx codegen.ts [FOLDER of .graphql files] [OUTPUT] [SCHEMA]
// The default is the operations of the REST layer, and those of the example: two processes would take twice as long.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, concatAST, parse, validate } from 'graphql';

const REST = ['src/rest', 'src/generated/documents.ts'];
const EXAMPLE = ['examples/frontend', 'examples/frontend/generated.ts'];

async function generate([
  folder = '',
  filename = '',
  schemaFile = 'schema.graphql',
]: string[]): Promise<void> {
  const schemaText = readFileSync(schemaFile, 'utf8');
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .map((name) => ({ location: name, document: parse(readFileSync(`${folder}/${name}`, 'utf8')) }));

  const wrong = validate(buildSchema(schemaText), concatAST(documents.map(({ document }) => document)));
  for (const error of wrong) throw error;

  const output = await codegen({
    filename,
    schema: parse(schemaText),
    documents,
    config: {
      useTypeImports: true,
      scalars: { ID: 'string', DateTime: 'string', Date: 'string', URL: 'string' },
      enumType: 'string-literal',
      avoidOptionals: { field: true },
      skipTypename: true,
    },
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations: operations, typedDocumentNode },
  });
  writeFileSync(filename, output);
}

const named = process.argv.slice(2);
for (const target of named.length > 0 ? [named] : [REST, EXAMPLE]) await generate(target);
