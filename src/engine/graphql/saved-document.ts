import {
  type ArgumentNode,
  GraphQLError,
  getNamedType,
  isListType,
  isNonNullType,
  Kind,
  print,
  TypeInfo,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { MAX_EDGES } from '../lists/pagination.ts';
import { measureOperation } from './cost/operation-size.ts';
import type { Documents, Operation, Prepared } from './document.ts';
import { shortenMessage } from './errors.ts';
import { findOverflow, limits } from './limits.ts';
import { checkSize } from './pipeline.ts';
import { checkInputs } from './sent-values.ts';

/** A whole number in a variable counts as this one when a document is priced: the size of the largest page. */
const LARGEST = 100;
/** Characters of a reason. */
const MAX_REASON = 300;

/** A document with one query or mutation, by the schema. */
export interface CheckedOperation {
  readonly kind: 'QUERY' | 'MUTATION';
  readonly variables: readonly {
    readonly name: string;
    readonly type: string;
    readonly isRequired: boolean;
    readonly defaultValue: string | null;
  }[];
  readonly deprecations: readonly string[];
  /** Why it cannot be executed; null if it can. */
  readonly broken: string | null;
  /** Why it is not to be saved, though a part of it, or other variables, could be executed; null if it is. */
  readonly unfit: string | null;
}

function describeVariable({ variable, type, defaultValue }: VariableDefinitionNode) {
  return {
    name: variable.name.value,
    type: print(type),
    isRequired: type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
    defaultValue: defaultValue === undefined ? null : print(defaultValue),
  };
}

/** The variables with which a document is priced. */
function largestVariables({ schema, node }: Operation): Record<string, unknown> {
  const numbers = (node.variableDefinitions ?? []).flatMap(({ variable, type: written }) => {
    const type = typeFromAST(schema, written);
    const isNumber =
      type && getNamedType(type).name === 'Int' && !isListType(isNonNullType(type) ? type.ofType : type);
    return isNumber ? [[variable.name.value, LARGEST] as const] : [];
  });
  return Object.fromEntries(numbers);
}

/** @throws GraphQLError if the operation is too large, or has too large values of its own */
function checkPrice(operation: Operation): void {
  const size = measureOperation(operation, largestVariables(operation), limits);
  checkInputs(size.inputs, { values: 0, ofVariables: new Map() }, operation.node.variableDefinitions ?? []);
  checkSize(size);
}

/** A page that a document or a default value of a variable asks for, and that no list has; null if there is none. */
function findWrongPage({ schema, document, node }: Operation): string | null {
  const defaults = new Map(
    (node.variableDefinitions ?? []).map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  const types = new TypeInfo(schema);
  let wrong: string | null = null;
  const enter = ({ name: { value: name }, value }: ArgumentNode): void => {
    const type = getNamedType(types.getFieldDef()?.type);
    if ((name !== 'first' && name !== 'last') || !type?.name.endsWith('Connection')) return;
    const given = value.kind === Kind.VARIABLE ? defaults.get(value.name.value) : value;
    if (given?.kind !== Kind.INT) return;
    const number = Number(given.value);
    if (number < 0 || number > MAX_EDGES) wrong ??= `${name} must be a whole number from 0 to ${MAX_EDGES}.`;
  };
  visit(document, visitWithTypeInfo(types, { Argument: enter }));
  return wrong;
}

/** The fault of a document, as a part of a sentence. */
function findFault(prepared: Prepared): string | null {
  const [error] = prepared.errors;
  if (error !== undefined) return error.message;
  const operation = prepared.operation(null);
  if (operation === null || prepared.count !== 1) return 'It must have exactly one query or mutation.';
  if (operation.isSubscription) return 'A subscription cannot be saved.';
  try {
    checkPrice(operation);
  } catch (error) {
    return reasonOf(error);
  }
  return null;
}

function reasonOf(error: unknown): string {
  const told = findOverflow(error) ?? error;
  if (told instanceof GraphQLError) return told.message;
  throw error;
}

/** The reason as a caller may read it. */
function tell(message: string, { introspection }: Documents): string {
  const reason = shortenMessage(message, introspection);
  return reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason;
}

/** Checks and prices a document, without executing it. */
export function checkDocument(documents: Documents, text: string): CheckedOperation {
  const nothing = { kind: 'QUERY', variables: [], deprecations: [], unfit: null } as const;
  try {
    const prepared = documents.unkept(text);
    const fault = findFault(prepared);
    const operation = prepared.operation(null);
    if (operation === null) return { ...nothing, broken: tell(fault ?? 'It has no operation.', documents) };
    return {
      kind: operation.isMutation ? 'MUTATION' : 'QUERY',
      variables: (operation.node.variableDefinitions ?? []).map(describeVariable),
      deprecations: prepared.errors.length > 0 ? [] : operation.facts.deprecated,
      broken: fault === null ? null : tell(fault, documents),
      unfit: fault === null ? findWrongPage(operation) : null,
    };
  } catch (error) {
    return { ...nothing, broken: tell(reasonOf(error), documents) };
  }
}
