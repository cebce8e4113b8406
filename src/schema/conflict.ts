import { brandWithType, type ObjectRef } from '@pothos/core';
import { type DomainError, notFound } from '../domain/errors.ts';
import { builder, type Types } from './builder.ts';
import { costs, STATEMENT_COST } from './cost/field-cost.ts';
import { ErrorInterface, Failure } from './error.ts';
import { Node } from './node.ts';
import { asResult } from './result.ts';

/** A conflict, with the current record. */
class Conflict extends Failure {
  readonly current: { id: number };

  constructor(error: DomainError, current: { id: number }) {
    super(error);
    this.current = current;
  }
}

export const ConflictError = builder.objectRef<Conflict>('ConflictError').implement({
  description: 'The record was changed after the given time; nothing was changed now.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    current: t.field({
      type: Node,
      description:
        'The record as it is now: a Link after `updateLink` and `updateLinks`, a Space after `updateSpace`.',
      extensions: costs({ work: STATEMENT_COST }),
      resolve: ({ current }) => current,
    }),
  }),
});

/**
 * The result of an update that may fail with a conflict.
 * @param current reads the current record
 */
export async function asUpdate<Row extends { id: number }>(
  type: ObjectRef<Types, Row>,
  work: Promise<Row>,
  current: () => PromiseLike<Row | null>,
): Promise<Row | Failure> {
  const result = await asResult(work);
  if (!(result instanceof Failure) || result.error.code !== 'CONFLICT') return result;
  const row = await current();
  if (row === null) return new Failure(notFound(type.name.toLowerCase()));
  brandWithType(row, type);
  return new Conflict(result.error, row);
}

/** The description of the argument `ifUpdatedAt`. */
export const ifUpdatedAt =
  'The `updatedAt` of the record when it was read. If it was changed since, the result is a ConflictError, and nothing is changed.';
