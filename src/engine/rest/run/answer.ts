import { getNamedType, isCompositeType, isListType, isNonNullType } from 'graphql';
import type { Operation } from '../../graphql/document.ts';
import { shortenMessage } from '../../graphql/errors.ts';
import {
  type OperationFailure,
  type Outcome,
  type Place,
  type PlacedFailure,
  rootFields,
} from '../../graphql/outcome.ts';
import { DomainError, type ErrorCode, errorCodes } from '../../rules/errors.ts';
import { type Answer, answerTo, type Refusals, serverError, success, unprocessable } from '../answer.ts';
import { sentence } from '../form/field.ts';
import { cutName } from './variables.ts';

/** The words of failures. */
export interface Wording {
  /** The name that was sent for a place in the variables. */
  nameOf(place: Place): string;
  /** True if messages may name parts of the schema that were not sent. */
  readonly suggestions: boolean;
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

function listRefusals({ fields }: OperationFailure, { nameOf }: Wording): Refusals {
  const refusals: Refusals = new Map();
  for (const { path, messages } of fields) {
    const name = nameOf(path);
    if (!refusals.has(name))
      refusals.set(
        name,
        messages.map((message) => sentence(name, message)),
      );
  }
  return refusals;
}

/** The name of a wrong variable, and what is wrong. */
function refuseVariable(
  { path, fault }: { readonly path: Place; readonly fault: string | null },
  { nameOf, suggestions }: Wording,
): [string, string[]] {
  const name = nameOf(path);
  const message =
    fault === null
      ? sentence(name, 'is required')
      : `${sentence(name, 'is not valid')} ${shortenMessage(fault, suggestions)}`;
  return [name, [message]];
}

/** The answer to a request of which nothing was done. */
export function answerFailure(failure: OperationFailure, wording: Wording): Answer {
  const { code, message, status, retryAfter, variable } = failure;
  if (variable !== null) return unprocessable(new Map([refuseVariable(variable, wording)]));
  if (code === 'INTERNAL') return serverError;
  if (!isKnown(code)) {
    const told = shortenMessage(message, wording.suggestions);
    const sent = status ?? 400;
    return { status: sent, body: { message: told, code, status: sent } };
  }
  const refusals = listRefusals(failure, wording);
  if (code === 'VALIDATION' && refusals.size === 0)
    return { status: 422, body: { message, errors: {}, status: 422 } };
  return answerTo[code](new DomainError(code, message, [], retryAfter), refusals);
}

/** The messages about what was sent, by name. */
function listSent(failure: OperationFailure, wording: Wording): Refusals {
  return failure.variable === null
    ? listRefusals(failure, wording)
    : new Map([refuseVariable(failure.variable, wording)]);
}

/** A failure in the place of a value. */
export function encodeFailure(failure: OperationFailure, wording: Wording) {
  const { code, message } = failure;
  const fields = Object.fromEntries(listSent(failure, wording));
  return { error: { code, message: shortenMessage(message, wording.suggestions), fields } };
}

type Values = Record<string | number, unknown>;

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null;
}

/** The number of parts of a place down to where nothing is: a value that could not be null has taken those above with it. */
function depthOf(data: unknown, place: Place): number {
  let at = data;
  let depth = 0;
  while (depth < place.length && isValues(at)) at = at[place[depth++] ?? ''];
  return depth;
}

/** True if there is nothing of a root field, or of an item of its list. */
function lacksRecord(data: unknown, { place }: PlacedFailure): boolean {
  return place.slice(1, depthOf(data, place)).every((part) => typeof part === 'number');
}

/** True if a field of a mutation was executed, and only its answer has failed. */
export function wasDone({ isMutation }: Operation, { place }: PlacedFailure): boolean {
  return isMutation && place.slice(1).some((part) => typeof part === 'string');
}

/** The failure in the place of a record, which says if only the answer has failed. */
function encodeRecord(operation: Operation, placed: PlacedFailure, wording: Wording) {
  const { error } = encodeFailure(placed.failure, wording);
  if (!wasDone(operation, placed)) return { error };
  return {
    error: { ...error, message: `This was done, but it cannot be read: ${error.message}`, done: true },
  };
}

/** The failures of an outcome below its records: there, values may be null. */
export function failuresBelow({ data, failures }: Outcome): readonly PlacedFailure[] {
  return failures.filter((one) => data !== null && !lacksRecord(data, one));
}

/** Puts failures where their values would be. */
function putFailures(
  operation: Operation,
  data: Readonly<Record<string, unknown>>,
  failures: readonly PlacedFailure[],
  wording: Wording,
): Readonly<Record<string, unknown>> {
  if (failures.length === 0) return data;
  const copy: Values = JSON.parse(JSON.stringify(data));
  for (const placed of failures) {
    const { place, failure } = placed;
    const isRecord = lacksRecord(data, placed);
    let at: Values = copy;
    for (const [index, part] of place.entries()) {
      const below = at[part];
      if (isValues(below) && index < place.length - 1) at = below;
      else {
        // Of several failures in one place, the first counts.
        if (!isValues(below))
          at[part] = isRecord ? encodeRecord(operation, placed, wording) : encodeFailure(failure, wording);
        break;
      }
    }
  }
  return copy;
}

/** True if null stands for a record that does not exist. */
function isRecord(operation: Operation, fieldName: string): boolean {
  const { schema, node } = operation;
  const type = schema.getRootType(node.operation)?.getFields()[fieldName]?.type;
  if (type === undefined || isNonNullType(type) || isListType(type)) return false;
  return isCompositeType(getNamedType(type));
}

/** The failure by which an operation has done nothing; null if it has done something. */
function findWhole(operation: Operation, { data, failures, refused }: Outcome): OperationFailure | null {
  if (refused !== null) return refused;
  const [first] = failures;
  if (first === undefined) return null;
  const roots = [...rootFields(operation).keys()];
  const [root] = first.place;
  if (data === null && !operation.isMutation) return first.failure;
  if (data === null) return first.place.length === 1 && root === roots[0] ? first.failure : null;
  if (roots.length > 1 || data[String(root)] != null) return null;
  return !operation.isMutation || first.place.length === 1 ? first.failure : null;
}

/** True if an operation answers with one record, and with 404 without it. */
export function givesRecord(operation: Operation): boolean {
  const [field, ...others] = rootFields(operation).values();
  return field !== undefined && others.length === 0 && isRecord(operation, field.name.value);
}

/** The failure of an operation that answers with one record, and has found none. */
const noRecord: OperationFailure = {
  ...{ code: 'NOT_FOUND', message: 'Resource not found.', reason: 'NOT_FOUND', fields: [] },
  ...{ status: null, retryAfter: null, variable: null },
};

const MAX_UNKNOWN = 100;

/** The failure of a run with names that are no variables of its operation. */
export function unknownVariables(unknown: readonly string[]): OperationFailure {
  const names = unknown.slice(0, MAX_UNKNOWN).map(cutName);
  const fields = names.map((name) => ({ path: [name], messages: ['is not known'], reason: null }));
  const [first = ''] = names;
  return {
    ...{ code: 'VALIDATION', message: sentence(first, 'is not known'), reason: null, fields },
    ...{ status: null, retryAfter: null, variable: null },
  };
}

/** The result of a run: the failure by which it has done nothing, or its data. */
export type Answered =
  | { readonly failure: OperationFailure }
  | { readonly failure: null; readonly data: unknown };

/** Reads the outcome of an operation that has run, or was refused. */
export function readAnswer(operation: Operation, outcome: Outcome, wording: Wording): Answered {
  const whole = findWhole(operation, outcome);
  if (whole !== null) return { failure: whole };
  const roots = rootFields(operation);
  const nothing = Object.fromEntries([...roots.keys()].map((name) => [name, null]));
  const data = putFailures(operation, outcome.data ?? nothing, outcome.failures, wording);
  const [[name = '', field] = [], ...others] = roots;
  if (others.length > 0 || field === undefined) return { failure: null, data };
  const value = data[name] ?? null;
  const isAsked = outcome.data === null || Object.hasOwn(outcome.data, name);
  if (value === null && isAsked && isRecord(operation, field.name.value)) return { failure: noRecord };
  return { failure: null, data: value };
}

/** The answer of an operation that has run, or was refused. */
export function answerOutcome(operation: Operation, outcome: Outcome, wording: Wording): Answer {
  const answered = readAnswer(operation, outcome, wording);
  return answered.failure === null
    ? success({ data: answered.data })
    : answerFailure(answered.failure, wording);
}
