import { MAX_WRITTEN_ROWS } from '../db/written-limits.ts';
import { countParts, type LinkVisits, type Visits } from './visit-counts.ts';

/** A number of hours, values and visitors that never needs more rows: each is up to five rows, and a link up to four. */
const FEW_PARTS = 1_500;

/**
 * The limit of the hours, values and visitors that are tried at once. Links of one account share the rows of their account, so that these
 * usually are few enough rows.
 */
export const MAX_PARTS = 5_000;

/** Visits that one transaction may not write. Nothing of them is written. */
export class TooManyRows extends Error {}

/** The hours, days and values of an account's links. */
class SharedRows {
  readonly #hours = new Set<number>();
  readonly #days = new Map<number, Set<string>>();

  add({ hours, days }: LinkVisits): void {
    for (const hour of hours.keys()) this.#hours.add(hour);
    for (const [day, { values }] of days) {
      const hashes = this.#days.get(day) ?? new Set();
      this.#days.set(day, hashes);
      for (const { hash } of values.keys()) hashes.add(hash);
    }
  }

  /** Number of rows: each value has one for its day and one for its month. */
  get size(): number {
    let size = this.#hours.size + this.#days.size;
    for (const hashes of this.#days.values()) size += 2 * hashes.size;
    return size;
  }
}

/** The limit of the rows that visits need: those of each link, those that the links of an account share, and those of values. */
function countRows(visits: Visits, findAccount: (linkId: number) => number | undefined): number {
  // The receipt and the salt of a day.
  let rows = 2;
  const accounts = new Map<number | undefined, SharedRows>();
  const hashes = new Set<string>();
  for (const [id, link] of visits) {
    rows += 1 + link.hours.size;
    const account = findAccount(id);
    const shared = accounts.get(account) ?? new SharedRows();
    accounts.set(account, shared);
    shared.add(link);
    for (const { values, visitors } of link.days.values()) {
      rows += 1 + 2 * values.size + visitors.size;
      for (const { hash } of values.keys()) hashes.add(hash);
    }
  }
  for (const shared of accounts.values()) rows += shared.size;
  return rows + hashes.size;
}

/** @throws TooManyRows if one transaction may not write the visits */
export function requireFewRows(visits: Visits, findAccount: (linkId: number) => number | undefined): void {
  if (countParts(visits) > FEW_PARTS && countRows(visits, findAccount) > MAX_WRITTEN_ROWS)
    throw new TooManyRows();
}
