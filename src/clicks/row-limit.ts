import { MAX_WRITTEN_ROWS } from '../db/written-limits.ts';
import { countParts, type Visits } from './visit-counts.ts';

/** A number of hours, values and visitors that never needs more rows: each is up to five rows, and a link up to four. */
const FEW_PARTS = 1_500;

/**
 * The limit of the hours, values and visitors that are tried at once. Links of one account share the rows of their account, so that these
 * usually are few enough rows.
 */
export const MAX_PARTS = 5_000;

/** Visits that one transaction may not write. Nothing of them is written. */
export class TooManyRows extends Error {}

/** The limit of the rows that visits need: those of each link, and those that the links of an account share. */
function countRows(visits: Visits, findAccount: (linkId: number) => number | undefined): number {
  // The receipt and the salt of a day.
  let rows = 2;
  const shared = new Set<string>();
  for (const [id, { hours, days }] of visits) {
    const account = findAccount(id);
    rows += 1 + hours.size;
    for (const hour of hours.keys()) shared.add(`${account} hour ${hour}`);
    for (const [day, { values, visitors }] of days) {
      rows += 1 + 2 * values.size + visitors.size;
      shared.add(`${account} day ${day}`);
      for (const { kind, hash } of values.keys()) {
        shared.add(hash);
        shared.add(`${account} ${kind} ${day} ${hash}`).add(`${account} ${kind} month ${day} ${hash}`);
      }
    }
  }
  return rows + shared.size;
}

/** @throws TooManyRows if one transaction may not write the visits */
export function requireFewRows(visits: Visits, findAccount: (linkId: number) => number | undefined): void {
  if (countParts(visits) > FEW_PARTS && countRows(visits, findAccount) > MAX_WRITTEN_ROWS)
    throw new TooManyRows();
}
