// Writes the documents of the client as texts, with a method for each: two plugins of the code generation.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  stripIgnoredCharacters,
  visit,
} from 'graphql';

/** A file of documents. */
interface Source {
  readonly location?: string;
  readonly document?: DocumentNode;
}

/** The members of a client that are no documents, and names that JavaScript looks for in an object. */
const TAKEN = ['try', 'request', 'changes', 'close', 'then', 'catch', 'finally', 'toJSON', 'prototype'];

/** The variables of a list's pages, which the client sets. */
const OF_PAGES = ['first', 'after'];

type Kinds = 'list' | 'read' | 'keyed' | 'bulk' | 'secret';

/** A document as a method of the client. */
interface Method {
  readonly name: string;
  readonly kind: Kinds;
  readonly operation: OperationDefinitionNode;
  readonly field: GraphQLField<unknown, unknown>;
  /** The fields that lead to the result. */
  readonly path: readonly string[];
  /** The type of the result in TypeScript. */
  readonly type: string;
}

const typeName = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const fragmentName = (name: string): string => `${name}Text`;

const definitionsIn = (sources: readonly Source[]) =>
  sources.flatMap(({ document, location = '' }) =>
    (document?.definitions ?? []).map((definition) => ({ definition, location })),
  );

function operationsIn(sources: readonly Source[]) {
  return definitionsIn(sources).flatMap(({ definition, location }) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    const name = definition.name?.value;
    if (name === undefined) throw new Error(`${location}: each operation needs a name.`);
    return [{ operation: definition, name, place: `${location}: ${name}` }];
  });
}

/** The fragments that a definition spreads, directly or not. */
function fragmentsOf(
  definition: OperationDefinitionNode | FragmentDefinitionNode,
  all: ReadonlyMap<string, FragmentDefinitionNode>,
  found = new Set<string>(),
): Set<string> {
  visit(definition, {
    FragmentSpread({ name: { value } }) {
      const fragment = all.get(value);
      if (fragment === undefined || found.has(value)) return;
      found.add(value);
      fragmentsOf(fragment, all, found);
    },
  });
  return found;
}

const fragmentsIn = (sources: readonly Source[]): Map<string, FragmentDefinitionNode> =>
  new Map(
    definitionsIn(sources).flatMap(({ definition }) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  );

const literal = (text: string): string => JSON.stringify(text);

/** The text of an operation as an expression, which adds the texts of its fragments. */
function textOf(
  operation: OperationDefinitionNode,
  all: ReadonlyMap<string, FragmentDefinitionNode>,
): string {
  const own = literal(stripIgnoredCharacters(print(operation)));
  return [own, ...[...fragmentsOf(operation, all)].map(fragmentName)].join(' + ');
}

/** The constants with the texts of all fragments. */
function fragmentTexts(all: ReadonlyMap<string, FragmentDefinitionNode>): string {
  return [...all]
    .map(([name, node]) => `const ${fragmentName(name)} = ${literal(stripIgnoredCharacters(print(node)))};`)
    .join('\n');
}

const variablesOf = (operation: OperationDefinitionNode): string[] =>
  (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);

/** True for a list whose pages the variables choose. */
const isPage = (operation: OperationDefinitionNode, { type }: GraphQLField<unknown, unknown>): boolean =>
  operation.operation === 'query' &&
  getNamedType(type).name.endsWith('Connection') &&
  OF_PAGES.every((one) => variablesOf(operation).includes(one));

/** Follows single fields to the result, as far as each is an object. */
function findResult(schema: GraphQLSchema, operation: OperationDefinitionNode, start: string) {
  const path: string[] = [];
  let parent = operation.operation === 'query' ? schema.getQueryType() : schema.getMutationType();
  let root: GraphQLField<unknown, unknown> | null = null;
  let result: GraphQLField<unknown, unknown> | null = null;
  let set: OperationDefinitionNode['selectionSet'] | undefined = operation.selectionSet;
  let type = start;
  let isNullable = false;
  while (parent && set?.selections.length === 1) {
    const only: SelectionNode | undefined = set.selections[0];
    if (only?.kind !== Kind.FIELD) break;
    const field: GraphQLField<unknown, unknown> | undefined = parent.getFields()[only.name.value];
    if (field === undefined) break;
    if (result !== null && !isNonNullType(result.type)) {
      isNullable = true;
      type = `NonNullable<${type}>`;
    }
    const key = only.alias?.value ?? only.name.value;
    path.push(key);
    type = `${type}['${key}']`;
    root ??= field;
    result = field;
    const inner = getNullableType(field.type);
    parent = isObjectType(inner) ? inner : undefined;
    set = isPage(operation, field) ? undefined : only.selectionSet;
  }
  return { path, root, result, type: isNullable ? `${type} | null` : type };
}

function kindOf(operation: OperationDefinitionNode, field: GraphQLField<unknown, unknown>): Kinds {
  if (operation.operation === 'query') return isPage(operation, field) ? 'list' : 'read';
  const result = getNullableType(field.type);
  if (!isUnionType(result)) return 'bulk';
  if (result.getTypes().some(({ name }) => name.startsWith('Created'))) return 'secret';
  const takesList = (operation.variableDefinitions ?? []).some(({ type: given }) =>
    [given.kind, given.kind === Kind.NON_NULL_TYPE ? given.type.kind : null].includes(Kind.LIST_TYPE),
  );
  return takesList ? 'bulk' : 'keyed';
}

/** Reads the documents as methods. @throws Error for one that cannot be a method */
function methodsIn(schema: GraphQLSchema, sources: readonly Source[]): Method[] {
  return operationsIn(sources).map(({ operation, name, place }) => {
    if (TAKEN.includes(name) || name in {}) throw new Error(`${place}: the client has this name already.`);
    if (operation.operation === 'subscription')
      throw new Error(`${place}: a method is a query or a mutation.`);
    const start = `${typeName(name)}${operation.operation === 'query' ? 'Query' : 'Mutation'}`;
    const { path, root, result, type } = findResult(schema, operation, start);
    if (root === null || result === null) throw new Error(`${place}: a method has one field at its root.`);
    const kind = kindOf(operation, root);
    const shown = kind === 'list' ? `List<${type}['nodes'][number]>` : type;
    return { name, kind, operation, field: result, path, type: shown };
  });
}

/** The document that counts the records of a list. */
function countOf({ operation, name }: Method): string {
  const definitions = operation.variableDefinitions ?? [];
  const [list] = operation.selectionSet.selections;
  if (list?.kind !== Kind.FIELD) throw new Error(`${name}: a list has one field.`);
  const isKept = ({ name: { value } }: { name: { value: string } }) => !OF_PAGES.includes(value);
  const variables = definitions.filter(({ variable }) => isKept(variable)).map((one) => print(one));
  const given = (list.arguments ?? []).filter(isKept).map((one) => print(one));
  const head = `query ${name}Count${variables.length > 0 ? `(${variables.join(' ')})` : ''}`;
  const called = `${list.name.value}(${['first: 0', ...given].join(' ')})`;
  return stripIgnoredCharacters(`${head} { ${called} { totalCount } }`);
}

const passed = ({ kind, operation }: Method): string[] =>
  variablesOf(operation).filter((name) => kind !== 'list' || !OF_PAGES.includes(name));

function tableEntry(method: Method, all: ReadonlyMap<string, FragmentDefinitionNode>): string {
  const { name, kind, operation, path } = method;
  const parts = [
    `kind: '${kind}'`,
    `variables: ${JSON.stringify(passed(method))}`,
    `path: ${JSON.stringify(path)}`,
    ...(kind === 'list' ? [`count: ${literal(countOf(method))}`] : []),
    `text: ${textOf(operation, all)}`,
  ];
  return `  ${name}: { ${parts.join(', ')} },`;
}

/** The signature of a method, with the description of its field. */
function signature(method: Method, result: (type: string) => string): string {
  const { name, kind, operation, field, type } = method;
  const names = passed(method);
  const start = `${typeName(name)}${operation.operation === 'query' ? 'Query' : 'Mutation'}Variables`;
  const isOptional = (operation.variableDefinitions ?? []).every(
    ({ variable, type: given, defaultValue }) =>
      !names.includes(variable.name.value) || given.kind !== Kind.NON_NULL_TYPE || defaultValue,
  );
  const mark = isOptional ? '?' : '';
  const [only = ''] = names;
  const several =
    kind === 'list' ? `Omit<${start}, ${OF_PAGES.map((one) => `'${one}'`).join(' | ')}>` : start;
  const variables =
    names.length === 0
      ? []
      : [names.length === 1 ? `${only}${mark}: ${start}['${only}']` : `variables${mark}: ${several}`];
  const options = `options?: ${operation.operation === 'query' ? 'ReadOptions' : 'WriteOptions'}`;
  const description = (field.description ?? typeName(name)).replaceAll('*/', '').replaceAll('\n', ' ');
  const returned = kind === 'list' ? type : `Promise<${result(type)}>`;
  return `  /** ${description} */\n  ${name}(${[...variables, options].join(', ')}): ${returned};`;
}

/** The names of the types that refuse a write. */
function refusalNames(schema: GraphQLSchema): string[] {
  const error = schema.getType('Error');
  return isInterfaceType(error) ? schema.getPossibleTypes(error).map(({ name }) => name) : [];
}

/** Writes the methods of the client. */
export const clientMethods = {
  plugin(schema: GraphQLSchema, sources: readonly Source[]): string {
    const all = fragmentsIn(sources);
    const methods = methodsIn(schema, sources);
    const union = refusalNames(schema).map((name) => `'${name}'`);
    const tried = methods.filter(
      ({ kind, field }) => kind !== 'list' && kind !== 'read' && isUnionType(getNullableType(field.type)),
    );
    const recorded = (method: Method) => (type: string) =>
      tried.includes(method) ? `Recorded<${type}>` : type;
    return [
      "import type { List, Method, ReadOptions, WriteOptions } from '../methods.ts';",
      `export type RefusalName = ${union.join(' | ')};`,
      '/** The result of a write without refusals, which are thrown. */',
      'export type Recorded<Result> = Exclude<Result, { readonly __typename: RefusalName }>;',
      `export interface Methods {\n${methods.map((one) => signature(one, recorded(one))).join('\n')}\n}`,
      `export interface TryMethods {\n${tried.map((one) => signature(one, (type) => type)).join('\n')}\n}`,
      fragmentTexts(all),
      `export const methods = {\n${methods.map((one) => tableEntry(one, all)).join('\n')}\n} satisfies Record<string, Method>;`,
    ].join('\n');
  },
};

/** Writes documents that the client executes itself. */
export const clientDocuments = {
  plugin(_schema: GraphQLSchema, sources: readonly Source[]): string {
    const all = fragmentsIn(sources);
    const constants = operationsIn(sources).map(({ operation, name }) => {
      const type = `${typeName(name)}${typeName(operation.operation)}`;
      return `export const ${name}: StoredDocument<${type}, ${type}Variables> = { text: ${textOf(operation, all)} };`;
    });
    return ["import type { StoredDocument } from '../methods.ts';", fragmentTexts(all), ...constants].join(
      '\n',
    );
  },
};
