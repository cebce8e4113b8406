import type { ObjectRef } from '@pothos/core';
import { DomainError, type ErrorCode } from '../domain/errors.ts';
import { builder, type Types } from './builder.ts';
import { Failure, NotFoundError, ValidationError } from './error.ts';
import { nodeIdOf } from './node.ts';

/** Which type of a result stands for an error. A code without one is no expected failure of a mutation. */
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

/** The name of a union's member: the record's type, or that of the error that came instead of it. */
export function resultType(record: string): (value: unknown) => string | null {
  return (value) => (value instanceof Failure ? typeOf[value.code] : record);
}

/** What `work` returns, or the expected failure that it ended with; any other error goes on. */
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
      description: 'The global id of the deleted record, for caches to forget it.',
      resolve: ({ type, id }) => nodeIdOf(type, id),
    }),
  }),
});

/** What a deletion returns: the ids that the record of that type had, or the expected failure. */
export function asDeleted(type: string, work: Promise<number>): Promise<Deleted | Failure> {
  return asResult(work.then((id) => ({ type, id })));
}

/** What `work` makes of each item, one after the other: a later one meets what an earlier one did. */
export async function inSequence<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** A type of errors; its rows are Failures. */
type ErrorType = ObjectRef<Types, Failure>;

/**
 * The results of the mutations that create, update and delete records of one type. A deletion may fail as
 * `failsToDelete` says, beyond finding nothing, and an update as `failsToUpdate` does.
 */
export function resultsOf<Row, Created = Row>(
  name: string,
  record: ObjectRef<Types, Row>,
  failsToDelete: readonly (typeof NotFoundError)[] = [],
  failsToUpdate: readonly ErrorType[] = [],
  /** What a creation returns, where it is more than the record. */
  created?: { readonly name: string; readonly type: ObjectRef<Types, Created> },
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
