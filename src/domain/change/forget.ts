import { changesWithValues, deleteValues, hasChanges } from '../../db/change-values.ts';
import type { Data } from '../../db/database.ts';
import { notFound } from '../../engine/rules/errors.ts';
import type { Actor } from '../access/actor.ts';
import type { LongWork } from '../long-work.ts';
import { recordingChanges } from './change.ts';
import type { KindWithValues } from './values.ts';
import { findRecord } from './with-values.ts';

/** Maximum number of changes whose values one transaction deletes. */
const MAX_FORGOTTEN = 500;

/** A record, which may be deleted. */
export interface NamedRecord {
  readonly kind: KindWithValues;
  readonly recordId: number;
}

/** The field that a change names which deletes the values of the others. */
export const FORGOTTEN = ['history'];

/**
 * Deletes the values of all changes of the account's record, many in slices, and records that as a change, if there were any.
 * Returns of how many changes.
 * @throws DomainError NOT_FOUND if the account never had the record, as far as the log tells; the errors of `LongWork`
 */
export async function forgetChanges(
  db: Data,
  work: LongWork,
  actor: Actor,
  { kind, recordId }: NamedRecord,
  now: Date,
): Promise<number> {
  const record = { accountId: actor.accountId, kind, recordId };
  if ((await findRecord(db, record)) === null && !(await hasChanges(db, record)))
    throw notFound(kind.toLowerCase());
  let count = 0;
  const forgetSome = async (tx: Data) => {
    const ids = await changesWithValues(tx, record, MAX_FORGOTTEN);
    return deleteValues(tx, record, ids);
  };
  const some = await changesWithValues(db, record, MAX_FORGOTTEN + 1);
  if (some.length > MAX_FORGOTTEN)
    await work.inSlices(db, actor.accountId, async (separate) => {
      const forgotten = await separate.transaction(forgetSome);
      count += forgotten;
      return forgotten === MAX_FORGOTTEN;
    });
  else db.spendRows?.(0, some.length + 1);
  return recordingChanges(db, actor, now, async ({ tx, record: add }) => {
    count += await forgetSome(tx);
    if (count > 0) await add('UPDATED', kind, [recordId], FORGOTTEN);
    return count;
  });
}
