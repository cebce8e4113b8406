import type { Data, Transaction } from '../db/database.ts';
import { collectTaken, noteTaken, type TakenRecord } from '../db/taken-links.ts';
import { MAX_WRITTEN_LINKS } from '../db/written-limits.ts';
import type { KeptValues } from '../engine/changes/events.ts';
import { DomainError } from '../engine/rules/errors.ts';
import type { Actor } from './access/actor.ts';
import { deleteLocked, type Kind, lockOwned, type Where, whereOwned } from './access/ownership.ts';
import { type Changing, recordingChanges } from './change/change.ts';
import type { LongWork } from './long-work.ts';

/** A record, or several, that are taken from their links and then deleted. */
export interface Emptying<T> {
  /** Maximum number of links that one transaction changes; `MAX_WRITTEN_LINKS` by default. */
  readonly max?: number;
  /** Maximum number of other rows written per link, besides its change in the log with its values; one by default. */
  readonly rowsOfLink?: number;
  /** The ids of the next links that have it, ascending. */
  linksAfter(db: Data, after: number, max: number): Promise<number[]>;
  /** Locks it, also against new references. @throws DomainError NOT_FOUND */
  lock(changing: Changing): Promise<void>;
  /** Takes it from links, and records their changes; returns the ids of those that had it. */
  take(changing: Changing, linkIds: readonly number[]): Promise<readonly number[]>;
  /** The record whose restoration gives its links back; null if it cannot be restored. */
  readonly taken: TakenRecord | null;
  /** Deletes it, and records that. @param linkIds the links that had it; null if they are not known */
  delete(changing: Changing, linkIds: readonly number[] | null): Promise<T>;
}

/** The error if too much was added while slices were done. */
export const moreCame = (): DomainError =>
  new DomainError(
    'UNAVAILABLE',
    'Too much was added meanwhile. What is done stays: send the same request again.',
  );

/**
 * Takes a record from its links, and deletes it. A few links are changed together with the deletion. Of more, each is first changed
 * in a slice, by ascending id; then those that came meanwhile are changed together with the deletion.
 * @throws the errors of `lock` and of `LongWork`; DomainError UNAVAILABLE if too many links came meanwhile
 */
export async function emptyAndDelete<T>(
  db: Data,
  work: LongWork,
  actor: Actor,
  now: Date,
  { max = MAX_WRITTEN_LINKS, rowsOfLink = 1, ...record }: Emptying<T>,
): Promise<T> {
  const few = await record.linksAfter(db, 0, max + 1);
  if (few.length > max) {
    let last = 0;
    await work.inSlices(db, actor.accountId, async (separate) => {
      const taken = await recordingChanges(separate, actor, now, async (changing) => {
        await record.lock(changing);
        const ids = await record.linksAfter(changing.tx, last, max);
        const taken = await record.take(changing, ids);
        if (record.taken) await noteTaken(changing.tx, actor.accountId, record.taken, taken, now);
        return ids;
      });
      last = taken.at(-1) ?? last;
      return taken.length === max;
    });
  }
  const left = few.length > max ? 0 : few.length;
  // The change of a link, and its values.
  db.spendRows?.(left, left * (rowsOfLink + 2));
  return recordingChanges(db, actor, now, async (changing) => {
    await record.lock(changing);
    const rest = await record.linksAfter(changing.tx, 0, max + 1);
    if (rest.length > max) throw moreCame();
    const taken = await record.take(changing, rest);
    const { tx } = changing;
    const linkIds = record.taken && (await collectTaken(tx, actor.accountId, record.taken, taken));
    return record.delete(changing, linkIds);
  });
}

/** The links of an account's record. */
interface Links
  extends Pick<Emptying<number>, 'linksAfter' | 'take'>,
    Partial<Pick<Emptying<number>, 'taken'>> {
  /** Further work in each transaction, while the record is locked. */
  readonly before?: ((tx: Transaction) => Promise<void>) | undefined;
  /** The values that its deletion keeps in the log; none by default. */
  values?(changing: Changing, linkIds: readonly number[] | null): Promise<KeptValues | null>;
}

/**
 * Takes an account's record from its links, and deletes it as `emptyAndDelete` does. Returns its id.
 * @param links those that have it, and how it is taken from them
 * @throws DomainError NOT_FOUND, and the errors of `emptyAndDelete`
 */
export async function emptyAndDeleteOwned(
  db: Data,
  work: LongWork,
  kind: Kind<unknown, never>,
  actor: Actor,
  id: string,
  now: Date,
  links: (where: Where) => Links,
): Promise<number> {
  const where = await whereOwned(db, kind, actor, id);
  const { taken = null, before, values, ...emptying } = links(where);
  return emptyAndDelete(db, work, actor, now, {
    ...emptying,
    taken,
    async lock({ tx }) {
      await lockOwned(tx, kind, where);
      await before?.(tx);
    },
    delete: (changing, linkIds) => {
      const deletedValues = async () => values?.(changing, linkIds) ?? null;
      return deleteLocked(changing, { ...kind, deletedValues }, where);
    },
  });
}
