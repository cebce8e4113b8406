import { z } from 'zod';
import { DomainError } from './errors.ts';
import { parseInput } from './input.ts';
import { moment } from './link/input.ts';

const input = z.object({ ifUpdatedAt: moment.nullish() });

/**
 * When the record was last changed that an editor saw; null where none says so.
 * @throws DomainError VALIDATION
 */
export function parseIfUpdatedAt(ifUpdatedAt: string | null | undefined): Date | null {
  return parseInput(input, { ifUpdatedAt }).ifUpdatedAt?.at ?? null;
}

/**
 * Makes sure that the record is as the editor saw it. To be asked of a row that nobody else can change any more.
 * @throws DomainError CONFLICT
 */
export function requireUnchanged({ updatedAt }: { updatedAt: Date }, ifUpdatedAt: Date | null): void {
  if (ifUpdatedAt === null || updatedAt.getTime() === ifUpdatedAt.getTime()) return;
  throw new DomainError('CONFLICT', `The record was changed since, at ${updatedAt.toISOString()}.`);
}

/** The time of a change that is made now. Where editors go by it, it is never the one that they saw. */
export function timeOfChange({ updatedAt }: { updatedAt: Date }, ifUpdatedAt: Date | null, now: Date): Date {
  return ifUpdatedAt === null || now > updatedAt ? now : new Date(updatedAt.getTime() + 1);
}
