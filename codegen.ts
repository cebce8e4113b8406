// Generates types of GraphQL operations from schema.graphql, which a test compares with the schema in src/schema.
//   tsx codegen.ts [FOLDER of .graphql files] [OUTPUT] [SCHEMA]
// The default is the operations of the REST layer, of the tools, of the packages and of the example: several processes would take
// longer.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, concatAST, parse, print, separateOperations, validate } from 'graphql';
import { clientDocuments, clientMethods } from './scripts/client-methods.ts';

const CLIENT = 'packages/client/src';
const CLI = 'packages/cli/src';

/** The operations that are generated together, and the plugin that writes their documents. */
const DEFAULTS = [
  { folder: 'src/rest', filename: 'src/generated/documents.ts', plugin: typedDocumentNode },
  { folder: 'examples/frontend', filename: 'examples/frontend/generated.ts', plugin: typedDocumentNode },
  { folder: `${CLIENT}/documents`, filename: `${CLIENT}/generated/documents.ts`, plugin: clientMethods },
  {
    folder: `${CLIENT}/documents/changes`,
    filename: `${CLIENT}/generated/changes.ts`,
    plugin: clientDocuments,
  },
  { folder: `${CLI}/documents`, filename: `${CLI}/generated/documents.ts`, plugin: typedDocumentNode },
];

async function generate(
  { folder, filename, plugin }: (typeof DEFAULTS)[number],
  schemaFile = 'schema.graphql',
): Promise<void> {
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
    plugins: [{ typescriptOperations: {} }, { documents: {} }],
    pluginMap: { typescriptOperations: operations, documents: plugin },
  });
  mkdirSync(dirname(filename), { recursive: true });
  writeFileSync(filename, output);
}

const TOOLS = 'src/mcp';

/** Writes the tools' documents as texts, each with the fragments that it uses, and with the comment at its head. */
function generateTools(): void {
  const texts = readdirSync(TOOLS)
    .filter((name) => name.endsWith('.graphql'))
    .map((name) => readFileSync(`${TOOLS}/${name}`, 'utf8'));
  const comments = new Map(
    texts.map((text) => {
      const [, comment = '', name = ''] = /^((?:#.*\n)+)\w+ (\w+)/.exec(text) ?? [];
      return [name, comment.replaceAll(/^# ?/gm, '').trim().replaceAll('\n', ' ')];
    }),
  );
  const document = parse(texts.join('\n'), { noLocation: true });
  for (const error of validate(buildSchema(readFileSync('schema.graphql', 'utf8')), document)) throw error;
  const tools = Object.entries(separateOperations(document)).map(([name, one]) => {
    const about = comments.get(name);
    if (!about) throw new Error(`the tool ${name} needs a comment at the head of a file of its own`);
    return { name, about, document: print(one) };
  });
  const type = 'readonly { readonly name: string; readonly about: string; readonly document: string }[]';
  const text = `export const toolDocuments: ${type} = ${JSON.stringify(tools, null, 2)};\n`;
  writeFileSync('src/generated/tool-documents.ts', text);
}

const [folder, filename = '', schemaFile] = process.argv.slice(2);
if (folder !== undefined) await generate({ folder, filename, plugin: typedDocumentNode }, schemaFile);
else {
  for (const target of DEFAULTS) await generate(target);
  generateTools();
}
