import type { GraphQLError } from 'graphql';
import { MAX_WRITTEN_LINKS, MAX_WRITTEN_ROWS } from '../db/written-limits.ts';
import type { SpendRows } from '../engine/db/database.ts';
import { bounded, defineLimits } from '../engine/graphql/limits.ts';

/** The limits of an operation that know of links. */
const { limits, tooLarge } = defineLimits({
  /** The size of links' targets in an answer, in bytes: a single list can have half a megabyte. */
  targetBytes: { max: 10_000_000, name: 'size of targets' },
  /** Limits of the writes of a request with an Idempotency-Key, since it is one transaction. */
  keyedLinks: {
    max: MAX_WRITTEN_LINKS,
    name: 'number of changed links',
    advice: 'With an Idempotency-Key, change fewer at once, in several requests.',
  },
  keyedRows: {
    max: MAX_WRITTEN_ROWS,
    name: 'number of rows written for tags, pixels, changes and statistics',
    advice: 'With an Idempotency-Key, change less at once, in several requests.',
  },
});

export { limits as productLimits };

/** Adds up what a request with an Idempotency-Key is about to write, and throws beyond the limit. */
export function boundedRows(): SpendRows {
  const ofLinks = bounded(limits.keyedLinks, (links) => tooLarge('keyedLinks', links));
  const ofOthers = bounded(limits.keyedRows, (rows) => tooLarge('keyedRows', rows));
  return (links, others) => {
    ofLinks(links);
    ofOthers(others);
  };
}

/** True if an error says that a request with an Idempotency-Key would write too much; the request is then rolled back. */
export function isOfRows({ extensions }: GraphQLError): boolean {
  return 'keyedLinks' in extensions || 'keyedRows' in extensions;
}

/** Adds up the sizes of targets in an answer, in bytes, and throws beyond the limit. */
export function boundedTargets(): (bytes: number) => void {
  return bounded(limits.targetBytes, (bytes) => tooLarge('targetBytes', bytes));
}
