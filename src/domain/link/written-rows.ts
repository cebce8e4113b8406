import type { Data } from '../../db/database.ts';
import { partsOfLinks } from '../../db/links.ts';
import { type Actor, owned } from '../access/actor.ts';
import { MAX_PIXELS, MAX_TAGS } from './fields.ts';

/** Rows written besides a new link: its counter and its change in the log. */
export const ROWS_OF_LINK = 2;
/** A changed link also leaves the values of the change. */
const ROWS_OF_UPDATED = ROWS_OF_LINK + 1;
/** A deleted link also leaves a note of its statistics. */
const ROWS_OF_DELETED = ROWS_OF_UPDATED + 1;

type Given = readonly unknown[] | null | undefined;

/** The lists of an input, as they were sent. */
interface Lists {
  readonly pixelIds?: Given;
  readonly tagIds?: Given;
  readonly addTagIds?: Given;
  readonly removeTagIds?: Given;
}

/** Longer lists are refused. */
const boundedLength = (given: Given, max: number) => Math.min(given?.length ?? 0, max);

const rowsOfNew = ({ pixelIds, tagIds }: Lists): number =>
  ROWS_OF_LINK + boundedLength(pixelIds, MAX_PIXELS) + boundedLength(tagIds, MAX_TAGS);

/** Counts what new links write. @throws the error of the limit */
export function spendOnNew({ spendRows }: Data, inputs: readonly Lists[]): void {
  spendRows?.(
    inputs.length,
    inputs.reduce((sum, input) => sum + rowsOfNew(input), 0),
  );
}

async function storedParts(db: Data, actor: Actor, ids: readonly string[]) {
  const known = ids.map((id) => owned(actor, id)?.id);
  const stored = await partsOfLinks(db, actor.accountId, [...new Set(known.flatMap((id) => id ?? []))]);
  return { known, stored };
}

/** Counts what changes of links write: a list that changes is deleted, and stored again. @throws the error of the limit */
export async function spendOnUpdates(
  db: Data,
  actor: Actor,
  updates: readonly { readonly id: string; readonly input: Lists }[],
): Promise<void> {
  if (db.spendRows === null) return;
  const { known, stored } = await storedParts(
    db,
    actor,
    updates.map(({ id }) => id),
  );
  let [links, others] = [0, 0];
  for (const [index, { input }] of updates.entries()) {
    const parts = stored.get(known[index] ?? 0);
    if (parts === undefined) continue;
    links++;
    others += ROWS_OF_UPDATED;
    if (input.pixelIds !== undefined) {
      const pixels = boundedLength(input.pixelIds, MAX_PIXELS);
      others += parts.pixels + pixels;
      parts.pixels = pixels;
    }
    const [added, removed] = [
      boundedLength(input.addTagIds, MAX_TAGS),
      boundedLength(input.removeTagIds, MAX_TAGS),
    ];
    if (input.tagIds === undefined && added + removed === 0) continue;
    const kept = input.tagIds === undefined ? parts.tags : boundedLength(input.tagIds, MAX_TAGS);
    const tags = Math.min(kept + added, MAX_TAGS);
    others += parts.tags + tags;
    parts.tags = tags;
  }
  db.spendRows(links, others);
}

/** Counts what deletions of links write. @throws the error of the limit */
export async function spendOnDeletions(db: Data, actor: Actor, ids: readonly string[]): Promise<void> {
  if (db.spendRows === null) return;
  const { stored } = await storedParts(db, actor, ids);
  const others = [...stored.values()].reduce(
    (sum, { pixels, tags }) => sum + ROWS_OF_DELETED + pixels + tags,
    0,
  );
  db.spendRows(stored.size, others);
}
