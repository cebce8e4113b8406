// Reads the result of an operation whose failures are told (`told-failures.ts`): what it answers, and what has failed where. Faces
// of operations other than GraphQL make their answers of this.
import {
  type ExecutionResult,
  type FieldNode,
  type GraphQLError,
  type GraphQLNamedType,
  getNamedType,
  isInputObjectType,
  isLeafType,
  Kind,
  type ValueNode,
} from 'graphql';
import { z } from 'zod';
import { isObject } from '../tools/is-object.ts';
import type { Operation } from './document.ts';
import { findHttp } from './errors.ts';
import { indexFragments, mergeFields } from './merged-fields.ts';
import { type FailureNames, failureNames } from './told-failures.ts';
import { VariableError } from './variables.ts';

export type Place = readonly (string | number)[];

/** The errors of one field, by its path from a variable, or from the input if no variable gives it. */
export interface FieldFailure {
  readonly path: Place;
  readonly messages: readonly string[];
  readonly reason: string | null;
}

/** Why an operation, or a field of it, has failed. */
export interface OperationFailure {
  readonly code: string;
  readonly message: string;
  readonly reason: string | null;
  readonly fields: readonly FieldFailure[];
  /** The HTTP status of an answer of nothing else, if it has one. */
  readonly status: number | null;
  /** Seconds after which to try again; null if that does not help. */
  readonly retryAfter: number | null;
  /** The fault of a variable that does not fit its type, by its path; a null text for one that is missing. */
  readonly variable: { readonly path: Place; readonly fault: string | null } | null;
}

/** A failure within the answer. */
export interface PlacedFailure {
  readonly place: Place;
  readonly failure: OperationFailure;
}

/** The result of an operation. */
export interface Outcome {
  /** The data by names in the answer, without what has failed; null if there is none. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly failures: readonly PlacedFailure[];
  /** Why nothing was executed, or all was rolled back; null if something was executed. */
  readonly refused: OperationFailure | null;
  readonly extensions: Readonly<Record<string, unknown>>;
}

const shown = z.object({
  code: z.string().default('INTERNAL'),
  reason: z.string().optional(),
  fields: z
    .array(
      z.object({ path: z.array(z.string()), messages: z.array(z.string()), reason: z.string().nullish() }),
    )
    .default([]),
});

/** Reads the error of an operation of which nothing was executed. */
export function readRefusal(error: GraphQLError): OperationFailure {
  const { code, reason = null, fields } = shown.parse(error.extensions);
  const http = findHttp(error);
  const retryAfter = http?.headers['Retry-After'];
  return {
    ...{ code, reason, message: error.message },
    fields: fields.map((field) => ({ ...field, reason: field.reason ?? null })),
    status: http?.status ?? null,
    retryAfter: retryAfter === undefined ? null : Number(retryAfter),
    variable: error instanceof VariableError ? { path: error.at, fault: error.fault } : null,
  };
}

const told = z.object({
  code: z.string(),
  message: z.string(),
  reason: z.string(),
  fields: shown.shape.fields,
});

/** The failure that a value tells; null for any other value. */
function readTold(value: unknown, names: FailureNames): OperationFailure | null {
  if (!isObject(value) || value[names.code] === undefined) return null;
  const { fields, ...rest } = told.parse({
    code: value[names.code],
    message: value[names.message],
    reason: value[names.rule],
    fields: value[names.fields],
  });
  return {
    ...rest,
    fields: fields.map((field) => ({ ...field, reason: field.reason ?? null })),
    ...{ status: null, retryAfter: null, variable: null },
  };
}

const roots = new WeakMap<Operation, ReadonlyMap<string, FieldNode>>();

/** The root fields of an operation, by their names in the answer. */
export function rootFields(operation: Operation): ReadonlyMap<string, FieldNode> {
  const known = roots.get(operation);
  if (known !== undefined) return known;
  const { document, node } = operation;
  const merged = mergeFields([node.selectionSet], indexFragments(document));
  const found = new Map([...merged].flatMap(([name, [first]]) => (first ? [[name, first] as const] : [])));
  roots.set(operation, found);
  return found;
}

/** The field of a place in the answer; undefined if the document has none there. */
function findField(operation: Operation, place: Place): FieldNode | undefined {
  const names = place.filter((part) => typeof part === 'string');
  const fragments = indexFragments(operation.document);
  let level = [operation.node.selectionSet];
  let found: FieldNode[] = [];
  for (const name of names) {
    found = mergeFields(level, fragments).get(name) ?? [];
    level = found.flatMap(({ selectionSet }) => selectionSet ?? []);
  }
  return found[0];
}

/** The failures of mutations, and the data without them. */
function takeTold(operation: Operation, data: Readonly<Record<string, unknown>>) {
  const names = failureNames(operation);
  const failures: PlacedFailure[] = [];
  const take = (value: unknown, place: Place): unknown => {
    const failure = readTold(value, names);
    if (failure === null) return value;
    failures.push({ place, failure: { ...failure, fields: toVariables(operation, place, failure.fields) } });
    return null;
  };
  const rest = Object.entries(data).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((one: unknown, index) => take(one, [name, index])) : take(value, [name]),
  ]);
  return { data: Object.fromEntries(rest), failures };
}

/** Reads what a run has answered. @param rolledBack true if nothing of a run without data was done */
export function readOutcome(operation: Operation, result: ExecutionResult, rolledBack = false): Outcome {
  const { data = null, errors = [], extensions = {} } = result;
  const [first] = errors;
  const isRefused = first !== undefined && data === null && (rolledBack || first.path === undefined);
  if (isRefused) {
    const failure = readRefusal(first);
    const place = first.path ?? [];
    const fields = toVariables(operation, place, failure.fields);
    return { data: null, failures: [], refused: { ...failure, fields }, extensions };
  }
  const taken = data !== null && operation.isMutation ? takeTold(operation, data) : { data, failures: [] };
  const thrown = errors.map((error): PlacedFailure => {
    const place = error.path ?? [];
    const failure = readRefusal(error);
    return { place, failure: { ...failure, fields: toVariables(operation, place, failure.fields) } };
  });
  return { data: taken.data, failures: [...taken.failures, ...thrown], refused: null, extensions };
}

/** The value at the end of a path through literals of a document; the rest of the path where a variable takes its place. */
function follow(value: ValueNode | undefined, path: Place): Place | null {
  if (value === undefined) return null;
  if (value.kind === Kind.VARIABLE) return [value.name.value, ...path];
  const [head, ...rest] = path;
  if (head === undefined) return null;
  if (value.kind === Kind.OBJECT)
    return follow(value.fields.find(({ name }) => name.value === String(head))?.value, rest);
  return value.kind === Kind.LIST ? follow(value.values[Number(head)], rest) : null;
}

/**
 * The fields of a failure by the variables that gave them. The domain names a field by its path in `input`, or else in the argument of
 * its name; for an item of a batch, by its path in the item, or in `input` of the item. For a field below the root, its arguments
 * count.
 */
function toVariables(operation: Operation, place: Place, fields: readonly FieldFailure[]): FieldFailure[] {
  if (fields.length === 0) return [];
  const [root, index] = place;
  const isBelow = place.some((part, at) => at > 0 && typeof part === 'string');
  const node = isBelow ? findField(operation, place) : rootFields(operation).get(String(root));
  if (node === undefined) return [...fields];
  const given = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]));
  const [batch] = node.arguments ?? [];
  const find = (path: Place): Place => {
    const [head, ...rest] = path;
    if (!isBelow && typeof index === 'number' && batch !== undefined) {
      // An id has no fields.
      if (hasLeaves(operation, node, batch.name.value)) return follow(batch.value, [index]) ?? path;
      const isInInput = hasInput(operation, node, batch.name.value);
      return follow(batch.value, [index, ...(isInInput ? ['input'] : []), ...path]) ?? path;
    }
    return follow(given.get(String(head)), rest) ?? follow(given.get('input'), path) ?? path;
  };
  return fields.map((field) => ({ ...field, path: find(field.path) }));
}

/** The type of the items of a batch. */
function itemType(
  { schema, node: { operation } }: Operation,
  node: FieldNode,
  argument: string,
): GraphQLNamedType | undefined {
  const field = schema.getRootType(operation)?.getFields()[node.name.value];
  const type = field?.args.find(({ name }) => name === argument)?.type;
  return type === undefined ? undefined : getNamedType(type);
}

function hasLeaves(operation: Operation, node: FieldNode, argument: string): boolean {
  return isLeafType(itemType(operation, node, argument));
}

/** True if the items of a batch have their fields in `input`, beside an id. */
function hasInput(operation: Operation, node: FieldNode, argument: string): boolean {
  const named = itemType(operation, node, argument);
  return isInputObjectType(named) && named.getFields().input !== undefined;
}
