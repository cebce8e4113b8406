import { MAX_COMPARED } from '../../domain/link/reuse.ts';
import { MAX_PASSWORDS, MAX_RECORDS } from '../../domain/transfer/import-text.ts';
import { batchSize, costs, getBatch, getField, getItems } from '../../engine/graphql/cost/costs.ts';
import { MAX_BATCH } from '../../engine/rules/input.ts';

/** The cost of hashing or checking a password, which is slow by design, and of a DNS lookup. */
export const PASSWORD_COST = 15_000;
export const DNS_COST = 15_000;

/** The cost of an image that is made anew: a photo takes half a second. */
export const IMAGE_COST = 50_000;

/** The cost of a record that is created, updated or deleted. */
const CHANGE_COST = 20;

/** The cost of adding parameters to a link, which may have two MB of targets. */
export const UTM_COST = 500;

/** The cost of what is slow in an input, alone or next to the id of the record that it changes. */
function slowWorkIn(given: unknown): number {
  const input = getField(given, 'input') ?? given;
  const addsUtm = getField(input, 'utmTemplateId') != null;
  const hasImage =
    getField(getField(input, 'preview'), 'image') != null ||
    getField(getField(input, 'brand'), 'logo') != null;
  return hashesIn(given) * PASSWORD_COST + (addsUtm ? UTM_COST : 0) + (hasImage ? IMAGE_COST : 0);
}

/** The cost of a mutation that changes one record; passwords in its input are hashed. */
export const changeCost = costs({ records: 1, work: (args) => CHANGE_COST + slowWorkIn(args) });

/** The cost of `upsertLink`: of a creation, or of a change, in which a password is compared first. */
export const upsertCost = costs({
  records: 1,
  work: ({ input }) => CHANGE_COST + Math.max(slowWorkIn(input), slowWorkIn({ id: '', input })),
});

/** The cost of a mutation that changes the records of a batch, which its first argument lists. */
export const batchCost = costs({
  size: (args) => batchSize(getBatch(args)),
  // Larger batches are refused as invalid input.
  records: (args) => Math.min(batchSize(getBatch(args)), MAX_BATCH),
  work(args) {
    const batch = getBatch(args);
    const slow = getItems(batch).reduce<number>((sum, input) => sum + slowWorkIn(input), 0);
    return batchSize(batch) * CHANGE_COST + slow;
  },
});

/** The cost of an import of as many records and passwords as one may have: it is known only when the text is read. */
export const importCost = costs({
  records: MAX_BATCH,
  work: ({ format }) => MAX_RECORDS * CHANGE_COST + (format === 'CSV' ? MAX_PASSWORDS * PASSWORD_COST : 0),
});

/** The cost of a query that checks the records of a batch, which its first argument lists. */
export const checkCost = costs({
  size: (args) => batchSize(getBatch(args)),
  work: (args) => batchSize(getBatch(args)) * CHANGE_COST,
});

/** Number of hashes per password of an input. With `reuse`, it is also compared with existing links. */
function hashesPerPassword(input: unknown): number {
  return getField(input, 'reuse') === true ? 1 + MAX_COMPARED : 1;
}

/** Number of hashes for an input, alone or next to the id of the record that it changes. */
function hashesIn(given: unknown): number {
  const input = getField(given, 'input') ?? given;
  const passwords = ['password', 'privacyPassword'].filter((name) => getField(input, name) != null).length;
  // A changed password is compared with the stored one first.
  const compared = getField(given, 'id') == null ? 0 : passwords;
  return passwords * hashesPerPassword(input) + compared;
}
