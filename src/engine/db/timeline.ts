/** The row of "Revision" that tells a SQLite database from others with the same epochs: a random number. */
export const TIMELINE = 'timeline';

/** A statement that begins a timeline; one that has begun stays, or is replaced. */
export function beginTimeline(otherwise: 'IGNORE' | 'REPLACE'): string {
  return `INSERT OR ${otherwise} INTO "Revision" ("topic", "number") VALUES ('${TIMELINE}', 1 + abs(random() % 2147483646))`;
}
