import { z } from 'zod';
import { DomainError } from './errors.ts';
import { parseInput, timestamp } from './input.ts';

const input = z.object({ ifUpdatedAt: timestamp.nullish() });

/**
 * The time of the last change that an editor saw; null if it was not given.
 * @throws DomainError VALIDATION
 */
export function parseIfUpdatedAt(ifUpdatedAt: string | null | undefined): Date | null {
  return parseInput(input, { ifUpdatedAt }).ifUpdatedAt?.at ?? null;
}

/**
 * Makes sure that the record has not changed since the editor saw it. The row must be locked, or be written only as it
 * was read.
 * @throws DomainError CONFLICT
 */
export function requireUnchanged({ updatedAt }: { updatedAt: Date }, ifUpdatedAt: Date | null): void {
  if (ifUpdatedAt === null || updatedAt.getTime() === ifUpdatedAt.getTime()) return;
  throw new DomainError('CONFLICT', `The record was changed since, at ${updatedAt.toISOString()}.`);
}

/** The time of a change that is made now: later than that of the last one, however soon it comes, for `requireUnchanged`. */
export function timeOfChange({ updatedAt }: { updatedAt: Date }, now: Date): Date {
  return now > updatedAt ? now : new Date(updatedAt.getTime() + 1);
}
