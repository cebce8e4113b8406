// Types the GraphQL operations that the REST layer runs: src/rest/*.graphql against schema.graphql, which a test holds
// equal to the schema in src/schema.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, concatAST, parse, validate } from 'graphql';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const documents = readdirSync('src/rest')
  .filter((name) => name.endsWith('.graphql'))
  .map((name) => ({ location: name, document: parse(readFileSync(`src/rest/${name}`, 'utf8')) }));

for (const error of validate(schema, concatAST(documents.map(({ document }) => document)))) throw error;

const output = await codegen({
  filename: 'src/generated/documents.ts',
  schema: parse(readFileSync('schema.graphql', 'utf8')),
  documents,
  config: {
    useTypeImports: true,
    scalars: { ID: 'string', DateTime: 'string', URL: 'string' },
    enumType: 'string-literal',
    avoidOptionals: { field: true },
    skipTypename: true,
  },
  plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
  pluginMap: { typescriptOperations: operations, typedDocumentNode },
});
writeFileSync('src/generated/documents.ts', output);
