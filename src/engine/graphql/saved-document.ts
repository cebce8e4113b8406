import {
  GraphQLError,
  getNamedType,
  isListType,
  isNonNullType,
  Kind,
  print,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
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
  const nothing = { kind: 'QUERY', variables: [], deprecations: [] } as const;
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
    };
  } catch (error) {
    return { ...nothing, broken: tell(reasonOf(error), documents) };
  }
}
