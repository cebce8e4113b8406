import { DomainError } from '../rules/errors.ts';
import type { StoredVolume, Volume } from './account-shares.ts';
import type { Database } from './database.ts';
import { firstStored, storedVolume } from './idempotency-answers.ts';

/** The minimum time for which an answer to a write with a key is stored, in milliseconds. */
export const KEPT_FOR = 24 * 60 * 60 * 1000;
/** The maximum that a key or person may store in that time. */
const MAX: Volume = { count: 100_000, bytes: 500_000_000 };
/** The volume that a process stores for a caller before it counts the answers of all processes again. */
const COUNTED_AFTER: Volume = { count: 50, bytes: 5_000_000 };
/** The time for which a refusal is repeated without counting again, in milliseconds. */
const REFUSED_FOR = 60_000;

const NONE: Volume = { count: 0, bytes: 0 };

function sum(one: Volume, other: Volume): Volume {
  return { count: one.count + other.count, bytes: one.bytes + other.bytes };
}

function reaches(volume: Volume, limit: Volume): boolean {
  return volume.count >= limit.count || volume.bytes >= limit.bytes;
}

async function count(database: Database, caller: number, now: Date): Promise<StoredVolume> {
  const begin = new Date(now.getTime() - KEPT_FOR);
  const counted = await storedVolume(database, caller, begin);
  const first = reaches(counted, MAX) ? await firstStored(database, caller, begin) : undefined;
  const fullUntil = first
    ? new Date(Math.max(first.getTime() + KEPT_FOR, now.getTime() + REFUSED_FOR))
    : null;
  return { counted, since: NONE, at: now, fullUntil };
}

/** Returns true if the answers must be counted again before another one is stored or refused. */
function isOutdated({ counted, since, at, fullUntil }: StoredVolume, now: Date): boolean {
  if (fullUntil !== null) return Math.abs(now.getTime() - at.getTime()) >= REFUSED_FOR;
  return reaches(since, COUNTED_AFTER) || reaches(sum(counted, since), MAX);
}

/**
 * Requires that a caller may store another answer.
 * @param caller the number of the caller
 * @param advice the last sentence of a refusal
 * @throws DomainError RATE_LIMITED
 */
export async function requireRoom(
  database: Database,
  caller: number,
  now: Date,
  advice: string,
): Promise<void> {
  const { stored } = database.keyedWrites;
  let known = stored.get(caller);
  if (known === undefined || isOutdated(known, now)) {
    known = await count(database, caller, now);
    stored.set(caller, known);
  }
  const { fullUntil } = known;
  if (fullUntil === null) return;
  const message = `Too many answers to writes with an Idempotency-Key in 24 hours. ${advice}`;
  throw new DomainError('RATE_LIMITED', message, [], Math.ceil((fullUntil.getTime() - now.getTime()) / 1000));
}

/** Counts an answer that was stored. */
export function countStored({ keyedWrites: { stored } }: Database, caller: number, bytes: number): void {
  const known = stored.get(caller);
  if (known !== undefined) stored.set(caller, { ...known, since: sum(known.since, { count: 1, bytes }) });
}
