// Prints parsed documents, as GraphQL Code Generator writes them. Only programs that pass such a document load this file.

/** A parsed document of the package graphql, of any version. */
export interface DocumentNode {
  readonly kind: string;
  readonly definitions: readonly object[];
}

/** Any node of a document, with the parts that nodes of its kind have. */
interface Node {
  readonly kind: string;
  readonly name?: Node;
  readonly alias?: Node;
  readonly value?: unknown;
  readonly values?: readonly Node[];
  readonly fields?: readonly Node[];
  readonly arguments?: readonly Node[];
  readonly directives?: readonly Node[];
  readonly definitions?: readonly Node[];
  readonly selections?: readonly Node[];
  readonly selectionSet?: Node;
  readonly typeCondition?: Node;
  readonly operation?: string;
  readonly variableDefinitions?: readonly Node[];
  readonly variable?: Node;
  readonly type?: Node;
  readonly defaultValue?: Node;
}

const printAll = (nodes: readonly Node[] = []): string => nodes.map(printNode).join(' ');
const printPart = (node: Node | undefined, before = ''): string => (node ? before + printNode(node) : '');
const enclose = (open: string, nodes: readonly Node[] | undefined, close: string): string =>
  nodes?.length ? open + printAll(nodes) + close : '';

const inValue = (node: Node): string => printNode(node.value as Node); // So it is in these kinds.
const printers: Readonly<Record<string, (node: Node) => string>> = {
  Document: ({ definitions }) => printAll(definitions),
  OperationDefinition: (node) =>
    `${node.operation} ${printPart(node.name)}${enclose('(', node.variableDefinitions, ')')}${printRest(node)}`,
  FragmentDefinition: (node) =>
    `fragment ${printPart(node.name)}${printPart(node.typeCondition, ' on ')}${printRest(node)}`,
  VariableDefinition: (node) =>
    `${printPart(node.variable)}:${printPart(node.type)}${printPart(node.defaultValue, '=')}${printRest(node)}`,
  SelectionSet: ({ selections }) => enclose('{', selections, '}'),
  Field: (node) =>
    `${node.alias ? `${printNode(node.alias)}:` : ''}${printPart(node.name)}${enclose('(', node.arguments, ')')}${printRest(node)}`,
  FragmentSpread: (node) => `...${printPart(node.name)}${printRest(node)}`,
  InlineFragment: (node) => `...${printPart(node.typeCondition, ' on ')}${printRest(node)}`,
  Directive: (node) => `@${printPart(node.name)}${enclose('(', node.arguments, ')')}`,
  Argument: (node) => `${printPart(node.name)}:${inValue(node)}`,
  ObjectField: (node) => `${printPart(node.name)}:${inValue(node)}`,
  Variable: ({ name }) => printPart(name, '$'),
  StringValue: ({ value }) => JSON.stringify(value),
  NullValue: () => 'null',
  ListValue: ({ values }) => `[${printAll(values)}]`,
  ObjectValue: ({ fields }) => `{${printAll(fields)}}`,
  NamedType: ({ name }) => printPart(name),
  ListType: ({ type }) => `[${printPart(type)}]`,
  NonNullType: ({ type }) => `${printPart(type)}!`,
};
const ofOneWord = ['Name', 'IntValue', 'FloatValue', 'EnumValue', 'BooleanValue'];

/** Prints the directives of a node, and its selection. */
const printRest = ({ directives, selectionSet }: Node): string =>
  enclose(' ', directives, ' ') + printPart(selectionSet);

function printNode(node: Node): string {
  if (ofOneWord.includes(node.kind)) return String(node.value);
  const printer = printers[node.kind];
  if (printer === undefined) throw new TypeError(`A request cannot have a ${node.kind}.`);
  return printer(node);
}

/** Prints a document on one line. @throws TypeError if it has anything but operations and fragments */
export const print = (document: DocumentNode): string => printNode(document as Node); // So graphql parses it.
