import type { ObjectRef } from '@pothos/core';
import { DomainError } from '../domain/errors.ts';
import { errorForms } from '../graphql/errors.ts';
import { builder, type Types } from './builder.ts';
import { Failure, NotFoundError, ValidationError } from './error.ts';
import { nodeIdOf } from './node.ts';

/** The result of `work`, or its expected failure; any other error is thrown. */
export async function asResult<T>(work: Promise<T>): Promise<T | Failure> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError && errorForms[error.code].type !== undefined) return new Failure(error);
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
  work: (item: Item) => Promise<Result> | Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** An error type; its values are Failures. */
type ErrorType = ObjectRef<Types, Failure>;

interface ResultOptions<Created> {
  /** The result of a creation, if it has more than the record. */
  readonly created?: ObjectRef<Types, Created>;
  /** Further errors. */
  readonly failsToUpdate?: readonly ErrorType[];
  readonly failsToDelete?: readonly ErrorType[];
}

/** The result of a mutation: a value of the type, or an error. For v1, the error is thrown. */
export function resultOf<Value>(
  mutation: string,
  what: string,
  type: ObjectRef<Types, Value>,
  errors: readonly ErrorType[],
) {
  return builder.unionType(`${mutation}Result`, {
    description: `${what}, or an error.`,
    types: [type, ...errors],
    resolveType(value, { throwsFailures }) {
      if (!(value instanceof Failure)) return type.name;
      if (throwsFailures) throw value.error;
      return errorForms[value.error.code].type;
    },
  });
}

/** The results of the mutations that create, update and delete records of one type. */
export function resultsOf<Row, Created = Row>(
  name: string,
  record: ObjectRef<Types, Row>,
  { created, failsToUpdate = [], failsToDelete = [] }: ResultOptions<Created> = {},
) {
  const updateErrors = [ValidationError, NotFoundError, ...failsToUpdate];
  return {
    CreateResult: resultOf<Row | Created>(`Create${name}`, 'The new record', created ?? record, [
      ValidationError,
    ]),
    UpdateResult: resultOf(`Update${name}`, 'The changed record', record, updateErrors),
    DeleteResult: resultOf(`Delete${name}`, 'The deleted record', DeletedRecord, [
      NotFoundError,
      ...failsToDelete,
    ]),
  };
}
