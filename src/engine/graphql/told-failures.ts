import {
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  Kind,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Operation, Prepared } from './document.ts';

/** The interface of expected failures, and the type of those with wrong fields. */
const FAILURE = 'Error';
const WITH_FIELDS = 'ValidationError';

/** The names of the fields that tell a failure: no other field of the answer has them. */
export interface FailureNames {
  readonly code: string;
  readonly message: string;
  readonly rule: string;
  readonly fields: string;
}

interface Told {
  readonly operation: Operation;
  readonly names: FailureNames;
}

const told = new WeakMap<Operation, Told>();

/** Names that occur nowhere in the document. */
function chooseNames(text: string): FailureNames {
  let prefix = 'failure';
  while (text.includes(prefix)) prefix += '_';
  return {
    code: `${prefix}Code`,
    message: `${prefix}Message`,
    rule: `${prefix}Reason`,
    fields: `${prefix}Fields`,
  };
}

/** The selections that tell a failure. */
function makeSelections({ code, message, rule, fields }: FailureNames): readonly SelectionNode[] {
  const text = `{ ... on ${FAILURE} { ${code}: code ${message}: message ${rule}: reason }
    ... on ${WITH_FIELDS} { ${fields}: fields { path messages reason } } }`;
  const [definition] = parse(text, { noLocation: true }).definitions;
  return definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [];
}

/** True if values of the type may be expected failures. */
function mayFail(schema: GraphQLSchema, typeName: string): boolean {
  const type = schema.getType(typeName);
  const failure = schema.getType(FAILURE);
  if (!isAbstractType(type) || !isInterfaceType(failure)) return false;
  return schema.getPossibleTypes(type).some((one) => schema.isSubType(failure, one));
}

function tell(operation: Operation): Told {
  const { schema, document, definition, node } = operation;
  const names = chooseNames(print(document));
  const selections = makeSelections(names);
  const types = new TypeInfo(schema);
  const root = schema.getMutationType();
  const added = visit(
    document,
    visitWithTypeInfo(types, {
      Field: {
        leave(field: FieldNode): FieldNode | undefined {
          const { selectionSet } = field;
          const type = getNamedType(types.getType());
          if (types.getParentType() !== root || !selectionSet || !type || !mayFail(schema, type.name))
            return undefined;
          const all: SelectionSetNode = {
            ...selectionSet,
            selections: [...selectionSet.selections, ...selections],
          };
          return { ...field, selectionSet: all };
        },
      },
    }),
  );
  const made = new Prepared(definition, added, []).operation(node.name?.value);
  if (made === null) throw new Error('the document has lost its operation');
  return { operation: made, names };
}

function findTold(operation: Operation): Told {
  const known = told.get(operation) ?? tell(operation);
  told.set(operation, known);
  return known;
}

/** The operation, whose mutations also tell their expected failures, whatever the document selects of them. */
export function withToldFailures(operation: Operation): Operation {
  return operation.isMutation ? findTold(operation).operation : operation;
}

/** The names of the fields that tell the failures of a mutation. */
export function failureNames(operation: Operation): FailureNames {
  return findTold(operation).names;
}
