import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { AnswerTypes } from './answers.ts';
import { NamedTypes } from './inputs.ts';
import { comment, functionName, literal, typeName } from './names.ts';

/** A saved operation, as far as its function needs it. */
export interface Source {
  readonly name: string;
  readonly description: string | null;
  readonly document: string;
  readonly hash: string;
}

interface Options {
  /** True if functions run the documents by their hashes. */
  readonly isPinned: boolean;
  readonly version: string;
}

function header({ isPinned, version }: Options): string {
  const command = `lsp generate --out FILE${isPinned ? ' --pinned' : ''}`;
  return `// Functions for the saved operations of an account, with the types of its schema.
// Written by \`${command}\` of @linkspace/cli ${version}. Do not edit: run the command again.
import type { Client, RequestOptions, SavedDocument } from '@linkspace/client';
`;
}

function variableLine(
  { variable, type: written, defaultValue }: VariableDefinitionNode,
  schema: GraphQLSchema,
  named: NamedTypes,
): string {
  const type = typeFromAST(schema, written);
  const isRequired = written.kind === Kind.NON_NULL_TYPE && defaultValue === undefined;
  const value = isInputType(type) ? named.sent(type) : 'unknown';
  return `  readonly ${variable.name.value}${isRequired ? '' : '?'}: ${value}${isRequired ? '' : ' | undefined'};\n`;
}

function writeOperation(
  schema: GraphQLSchema,
  source: Source,
  named: NamedTypes,
  { isPinned }: Options,
): string {
  const { definitions } = parse(source.document);
  const operation = definitions.find(
    (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
  );
  const fragments = definitions.filter(
    (one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION,
  );
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) throw new Error(`${source.name} has no operation.`);
  const answers = new AnswerTypes(schema, new Map(fragments.map((one) => [one.name.value, one])), named);
  const [name, type] = [functionName(source.name), typeName(source.name)];
  const definitionsOfVariables = operation.variableDefinitions ?? [];
  const lines = definitionsOfVariables.map((one) => variableLine(one, schema, named));
  const isOptional = !lines.some((line) => /^ {2}readonly \w+: /.test(line));
  const variables =
    lines.length > 0
      ? `export interface ${type}Variables {\n${lines.join('')}}`
      : `export type ${type}Variables = Record<string, never>;`;
  const id = isPinned ? `sha256:${source.hash}` : source.name;
  const kind = operation.operation === 'query' ? 'QUERY' : 'MUTATION';
  const answer = answers.composite(root, [operation.selectionSet], '');
  return `${variables}

export type ${type}Data = ${answer};

${comment(source.description)}export function ${name}(
  client: Client,
  variables: ${type}Variables${isOptional ? ' = {}' : ''},
  options?: RequestOptions,
): Promise<${type}Data> {
  const document: SavedDocument<${type}Data, ${type}Variables> = {
    documentId: ${literal(id)},
    kind: '${kind}',
  };
  return client.request(document, variables, options);
}
`;
}

/** Returns a module with a function for each operation: always the same one for the same operations and schema. */
export function writeModule(schema: GraphQLSchema, sources: readonly Source[], options: Options): string {
  const named = new NamedTypes();
  const sorted = [...sources].sort((a, b) => (a.name < b.name ? -1 : 1));
  const operations = sorted.map((one) => writeOperation(schema, one, named, options));
  return [header(options), ...named.declarations().map((one) => `${one}\n`), ...operations].join('\n');
}
