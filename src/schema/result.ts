// The results of mutations: the record, or an expected failure as a value of a union. The domain throws; `asResult` makes
// values of errors whose code has a type (`errorForms`). Others are thrown, and for v1, which has statuses for failures, all
// are. Also here: the types of errors, `DeletedRecord`, and `inSequence` for batches.
import { brandWithType, type ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { reasons } from '../domain/reasons.ts';
import { rules } from '../domain/rules.ts';
import { costs, STATEMENT_COST } from '../engine/graphql/cost/costs.ts';
import { errorForms } from '../engine/graphql/errors.ts';
import {
  DomainError,
  type ErrorCode,
  errorCodes,
  type FieldError,
  MAX_FIELD_ERRORS,
  notFound,
  unstorable,
} from '../engine/rules/errors.ts';
import { MAX_VALUES, type NamedValue } from '../engine/rules/refusal.ts';
import { pauseIfBlocked } from '../engine/tools/time-slices.ts';
import { builder, type Types } from './builder.ts';
import type { Context } from './context.ts';
import { enumType } from './domain-types.ts';
import { encodeNodeId, findNode, Node } from './node.ts';

/** The names and values of a rule, for clients that word it in another language. */
const RuleEnum = enumType<string>(
  'Rule',
  "Why a field or an operation was refused. Of a field, the description is the rest of a sentence that starts with the field's " +
    'name; names in braces stand for values.',
  { ...errorCodes, ...rules },
);

const RuleValue = builder.objectRef<NamedValue>('RuleValue').implement({
  description: 'A value in the words of a rule.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in the words of the rule.' }),
    value: t.exposeString('value', { description: 'The value, as a text.' }),
  }),
});

const ReasonEnum = enumType<string>(
  'Reason',
  'Why a field or an operation was refused, by names that say what is wrong. Names in braces stand for values.',
  { ...errorCodes, ...reasons },
);

const ReasonValue = builder.objectRef<NamedValue>('ReasonValue').implement({
  description: 'A value of a reason.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'Its name in the description of the reason, such as `max`.',
      extensions: costs({ weight: 1 }),
    }),
    value: t.exposeString('value', {
      description:
        'An id, a number, a day or time, a host, or a code, as a text. It has no words to translate.',
      // Values are short: with more, an import could not ask for the reasons of its records.
      extensions: costs({ weight: 2 }),
    }),
  }),
});

/** The parts of guides that explain an error, by its code. Descriptions link to them, also in GraphiQL. */
const GUIDES: Readonly<Record<ErrorCode, string>> = {
  UNAUTHENTICATED: 'graphql#errors',
  FORBIDDEN: 'people#roles',
  GONE: 'people#signing-in',
  HISTORY_GONE: 'clients#catching-up',
  NOT_FOUND: 'graphql#errors',
  IN_USE: 'graphql#changing',
  CONFLICT: 'clients#lost-updates',
  IDEMPOTENCY_MISMATCH: 'clients#retries',
  IDEMPOTENCY_RUNNING: 'clients#retries',
  VALIDATION: 'graphql#changing',
  RATE_LIMITED: 'clients#rate-limit',
  UNAVAILABLE: 'clients#retries',
};

const ErrorCodeEnum = enumType('ErrorCode', 'Why an operation was refused.', errorCodes, GUIDES);

/** An expected failure as a value: GraphQL would treat an Error as a failed field. */
export class Failure {
  readonly error: DomainError;

  constructor(error: DomainError) {
    this.error = error;
  }
}

const ErrorInterface = builder.interfaceRef<Failure>('Error').implement({
  description: 'An expected failure of a mutation.',
  fields: (t) => ({
    message: t.string({ description: 'A message for people.', resolve: ({ error }) => error.message }),
    code: t.field({
      type: ErrorCodeEnum,
      description: 'A code for programs.',
      resolve: ({ error }) => error.code,
    }),
    rule: t.field({
      type: RuleEnum,
      description: 'The violated rule, for translated messages; equals `code` if none is more specific.',
      deprecationReason: 'Some names mislead. Use `reason`.',
      resolve: ({ error }) => error.rule,
    }),
    values: t.field({
      type: [RuleValue],
      description: 'The values in the words of the rule.',
      deprecationReason: 'Some are English words. Use `reasonValues`.',
      extensions: costs({ size: MAX_VALUES }),
      resolve: ({ error }) => [...error.values],
    }),
    reason: t.field({
      type: ReasonEnum,
      description:
        'The reason for the refusal, for translated messages; equals `code` if none is more specific.',
      resolve: ({ error }) => error.reason,
    }),
    reasonValues: t.field({
      type: [ReasonValue],
      description: `The values of the reason, at most ${MAX_VALUES}.`,
      extensions: costs({ size: MAX_VALUES }),
      resolve: ({ error }) => [...error.reasonValues],
    }),
  }),
});

export const FieldErrorType = builder.objectRef<FieldError>('FieldError').implement({
  description: 'The errors of one field of the input.',
  fields: (t) => ({
    path: t.exposeStringList('path', {
      description: 'The path of the field in the input, outermost name first.',
      extensions: costs({ size: 1, weight: 2 }),
    }),
    messages: t.exposeStringList('messages', {
      description: "What is wrong, as the rest of a sentence that starts with the field's name.",
      extensions: costs({ size: 1, weight: 2 }),
    }),
    rule: t.field({
      type: RuleEnum,
      description: 'The rule of the first message, for clients that word it in another language.',
      deprecationReason: 'Some names mislead. Use `reason`.',
      resolve: ({ rule }) => rule,
    }),
    values: t.field({
      type: [RuleValue],
      description: 'The values in the words of the rule.',
      deprecationReason: 'Some are English words. Use `reasonValues`.',
      extensions: costs({ size: MAX_VALUES }),
      resolve: ({ values }) => [...values],
    }),
    reason: t.field({
      type: ReasonEnum,
      description: 'The reason of the first message, for clients that word it in another language.',
      resolve: ({ reason }) => reason,
    }),
    reasonValues: t.field({
      type: [ReasonValue],
      description: `The values of the reason, at most ${MAX_VALUES}.`,
      extensions: costs({ size: MAX_VALUES }),
      resolve: ({ reasonValues }) => [...reasonValues],
    }),
  }),
});

export const ValidationError = builder.objectRef<Failure>('ValidationError').implement({
  description: 'One or more fields of the input are wrong; nothing was saved.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    fields: t.field({
      type: [FieldErrorType],
      description: `All wrong fields, at most ${MAX_FIELD_ERRORS}.`,
      extensions: costs({ size: MAX_FIELD_ERRORS }),
      resolve: ({ error }) => [...error.fields],
    }),
  }),
});

export const NotFoundError = builder.objectRef<Failure>('NotFoundError').implement({
  description: errorCodes.NOT_FOUND,
  interfaces: [ErrorInterface],
});

export const InUseError = builder.objectRef<Failure>('InUseError').implement({
  description: errorCodes.IN_USE,
  interfaces: [ErrorInterface],
});

/** A conflict, with the current record. */
class Conflict extends Failure {
  readonly current: { id: number };

  constructor(error: DomainError, current: { id: number }) {
    super(error);
    this.current = current;
  }
}

/** A conflict, with the global id of the current record. */
export class ConflictOfRecord extends Failure {
  readonly nodeId: string;

  constructor(error: DomainError, nodeId: string) {
    super(error);
    this.nodeId = nodeId;
  }
}

export const ConflictError = builder.objectRef<Conflict | ConflictOfRecord>('ConflictError').implement({
  description: 'The record was changed after the given time; nothing was changed now.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    current: t.field({
      type: Node,
      description:
        'The record as it is now: a Link after mutations of links, a Space after `updateSpace`, a Tag after `updateTag`, and one of them after `revertChange`.',
      extensions: costs({ work: STATEMENT_COST, isOfRecord: true }),
      async resolve(conflict, _args, context, info) {
        if (conflict instanceof Conflict) return conflict.current;
        const current = await findNode(context, conflict.nodeId, info);
        if (current === null) throw notFound('record');
        return current;
      },
    }),
  }),
});

/** An error type; its values are Failures. */
export type ErrorType = ObjectRef<Types, Failure>;

/** Defines the type of a mutation's result: a value of the type, or an error. */
export function defineResult<Value>(
  mutation: string,
  what: string,
  type: ObjectRef<Types, Value>,
  errors: readonly ErrorType[],
) {
  return builder.unionType(`${mutation}Result`, {
    description: `${what}, or an error.`,
    types: [type, ...errors],
    resolveType: (value) => (value instanceof Failure ? errorForms[value.error.code].type : type.name),
  });
}

/** The resolver of a mutation. */
type Resolve<Args, Value> = (
  root: unknown,
  args: Args,
  context: Context,
  info: GraphQLResolveInfo,
) => Promise<Value>;

/** Makes a resolver that returns the expected failures of a mutation; for v1, it throws them. */
export function withFailures<Args extends object, Value>(
  resolve: Resolve<Args, Value>,
): Resolve<Args, Value | Failure> {
  return (root, args, context, info) => {
    const input = 'input' in args ? args.input : undefined;
    return asResult(context, resolve(root, args, context, info), input);
  };
}

/**
 * Returns the result of `work`, or its expected failure; for v1, the failure is thrown. Any other error is thrown.
 * @param input the texts that it stores
 */
export async function asResult<T>(
  { throwsFailures }: Pick<Context, 'throwsFailures'>,
  work: Promise<T>,
  input?: unknown,
): Promise<T | Failure> {
  try {
    return await work;
  } catch (error) {
    const failure = error instanceof DomainError ? error : unstorable(error, input);
    if (failure === null || errorForms[failure.code].type === undefined) throw error;
    if (throwsFailures) throw failure;
    return new Failure(failure);
  }
}

/**
 * Returns the result of an update that may fail with a conflict, like `asResult`.
 * @param current reads the current record
 */
export async function asUpdate<Row extends { id: number }>(
  context: Pick<Context, 'throwsFailures'>,
  type: ObjectRef<Types, Row>,
  work: Promise<Row>,
  current: () => PromiseLike<Row | null>,
  input: object,
): Promise<Row | Failure> {
  return withCurrent(type, await asResult(context, work, input), current);
}

/** Returns the result of a mutation; a conflict gets the current record. */
export async function withCurrent<Value, Row extends { id: number }>(
  type: ObjectRef<Types, Row>,
  result: Value | Failure,
  current: () => PromiseLike<Row | null>,
): Promise<Value | Failure> {
  if (!(result instanceof Failure) || result.error.code !== 'CONFLICT') return result;
  const row = await current();
  if (row === null) return new Failure(notFound(type.name.toLowerCase()));
  brandWithType(row, type);
  return new Conflict(result.error, row);
}

interface Deleted {
  readonly type: string;
  readonly id: number;
}

export const DeletedRecord = builder.objectRef<Deleted>('DeletedRecord').implement({
  description: 'A deleted record.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the deleted record.' }),
    nodeId: t.id({
      description: 'The global id of the deleted record, for clients to remove it from their caches.',
      resolve: ({ type, id }) => encodeNodeId(type, id),
    }),
  }),
});

/** Returns the ids of the record that `work` deletes. */
export async function asDeleted(type: string, work: Promise<number>): Promise<Deleted> {
  return { type, id: await work };
}

/** Runs `work` on each item, one after the other, so that later items see the changes of earlier ones. */
export async function inSequence<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result> | Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    // On SQLite, the statements of all items would block the thread together.
    await pauseIfBlocked();
    results.push(await work(item));
  }
  return results;
}
