import type { ObjectRef } from '@pothos/core';
import { DomainError, type ErrorCode } from '../domain/errors.ts';
import { builder, type Types } from './builder.ts';
import { Failure, NotFoundError, ValidationError } from './error.ts';
import { nodeIdOf } from './node.ts';

/** The type of each expected error in a result; null for codes that are not expected failures of a mutation. */
const typeOf: Record<ErrorCode, string | null> = {
  VALIDATION: 'ValidationError',
  NOT_FOUND: 'NotFoundError',
  IN_USE: 'InUseError',
  CONFLICT: 'ConflictError',
  IDEMPOTENCY_MISMATCH: null,
  IDEMPOTENCY_RUNNING: null,
  UNAUTHENTICATED: null,
  FORBIDDEN: null,
  RATE_LIMITED: null,
  UNAVAILABLE: null,
};

/** Resolves a member of a result's union: the record's type, or the error's. */
export function resultType(record: string): (value: unknown) => string | null {
  return (value) => (value instanceof Failure ? typeOf[value.code] : record);
}

/** The result of `work`, or its expected failure; any other error is thrown. */
export async function asResult<T>(work: Promise<T>): Promise<T | Failure> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError && typeOf[error.code] !== null) return new Failure(error);
    throw error;
  }
}

interface Deleted {
  readonly type: string;
  readonly id: number;
}

const DeletedRecord = builder.objectRef<Deleted>('DeletedRecord').implement({
  description: 'A deleted record.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the deleted record.' }),
    nodeId: t.id({
      description: 'The global id of the deleted record, for clients to remove it from their caches.',
      resolve: ({ type, id }) => nodeIdOf(type, id),
    }),
  }),
});

/** The result of a deletion: the ids of the deleted record, or the expected failure. */
export function asDeleted(type: string, work: Promise<number>): Promise<Deleted | Failure> {
  return asResult(work.then((id) => ({ type, id })));
}

/** Runs `work` on each item, one after the other, so that later items see the changes of earlier ones. */
export async function inSequence<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** An error type; its values are Failures. */
type ErrorType = ObjectRef<Types, Failure>;

interface ResultOptions<Created> {
  /** The result of a creation, if it is more than the record. */
  readonly created?: { readonly name: string; readonly type: ObjectRef<Types, Created> };
  /** Further errors. */
  readonly failsToUpdate?: readonly ErrorType[];
  readonly failsToDelete?: readonly ErrorType[];
}

/** The results of the mutations that create, update and delete records of one type. */
export function resultsOf<Row, Created = Row>(
  name: string,
  record: ObjectRef<Types, Row>,
  { created, failsToUpdate = [], failsToDelete = [] }: ResultOptions<Created> = {},
) {
  return {
    CreateResult: builder.unionType(`Create${name}Result`, {
      description: 'The new record, or an error.',
      types: [created?.type ?? record, ValidationError],
      resolveType: resultType(created?.name ?? name),
    }),
    UpdateResult: builder.unionType(`Update${name}Result`, {
      description: 'The changed record, or an error.',
      types: [record, ValidationError, NotFoundError, ...failsToUpdate],
      resolveType: resultType(name),
    }),
    DeleteResult: builder.unionType(`Delete${name}Result`, {
      description: 'The deleted record, or an error.',
      types: [DeletedRecord, NotFoundError, ...failsToDelete],
      resolveType: resultType('DeletedRecord'),
    }),
  };
}
