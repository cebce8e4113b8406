import { z } from 'zod';
import { DomainError } from './errors.ts';
import { parseInput } from './input.ts';
import { moment } from './link/input.ts';

const input = z.object({ ifUpdatedAt: moment.nullish() });

/**
 * The time of the last change that an editor saw; null if it was not given.
 * @throws DomainError VALIDATION
 */
export function parseIfUpdatedAt(ifUpdatedAt: string | null | undefined): Date | null {
  return parseInput(input, { ifUpdatedAt }).ifUpdatedAt?.at ?? null;
}

/**
 * Makes sure that the record has not changed since the editor saw it. The row must be locked.
 * @throws DomainError CONFLICT
 */
export function requireUnchanged({ updatedAt }: { updatedAt: Date }, ifUpdatedAt: Date | null): void {
  if (ifUpdatedAt === null || updatedAt.getTime() === ifUpdatedAt.getTime()) return;
  throw new DomainError('CONFLICT', `The record was changed since, at ${updatedAt.toISOString()}.`);
}

/** The time of a change that is made now. With `ifUpdatedAt`, it always differs from the time that the editor saw. */
export function timeOfChange({ updatedAt }: { updatedAt: Date }, ifUpdatedAt: Date | null, now: Date): Date {
  return ifUpdatedAt === null || now > updatedAt ? now : new Date(updatedAt.getTime() + 1);
}
