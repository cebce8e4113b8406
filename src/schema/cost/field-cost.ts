import { MAX_BATCH } from '../../domain/input.ts';
import { MAX_COMPARED } from '../../domain/link/reuse.ts';
import { DEFAULT_EDGES, MAX_EDGES, PAGE_SIZES } from '../../domain/pagination.ts';
import { MAX_PASSWORDS, MAX_RECORDS } from '../../domain/transfer/import-text.ts';

/** A field's arguments as they were sent, with variables replaced. */
export type ArgumentValues = Readonly<Record<string, unknown>>;

/** The cost of a field. By default it is one value, without extra work. */
export interface FieldCost {
  /** The maximum number of its values. */
  readonly size?: number | ((args: ArgumentValues, fromParent: ArgumentValues) => number);
  /** The weight of a value, if it is not that of its type. */
  readonly weight?: number;
  /** The cost in addition to its values. */
  readonly work?: number | ((args: ArgumentValues, fromParent: ArgumentValues) => number);
  /** True if the work belongs to the record that has the field, rather than to a read of its own. */
  readonly isOfRecord?: boolean;
  /** Returns the `fromParent` of the costs of the fields below it. */
  readonly toChildren?: (args: ArgumentValues, fromParent: ArgumentValues) => ArgumentValues;
  /** Number of records that it creates, updates or deletes. */
  readonly records?: number | ((args: ArgumentValues) => number);
}

/** The cost of a statement. */
export const STATEMENT_COST = 10;

/** The cost of hashing or checking a password, which is slow by design, and of a DNS lookup. */
export const PASSWORD_COST = 15_000;
export const DNS_COST = 15_000;

/** The cost of a record that is created, updated or deleted. */
const CHANGE_COST = 20;

/**
 * A count of an argument, up to `max`; larger ones are refused before anything is read. A list without records counts as one
 * record, since its total is still calculated. Undefined if it is not a number.
 */
export function countOf(value: unknown, max: number): number | undefined {
  return typeof value === 'number' ? Math.min(Math.max(value, 1), max) : undefined;
}

/** The cost of a field, for its `extensions`. */
export function costs(cost: FieldCost): { cost: FieldCost } {
  return { cost };
}

/** A field of an input as it was sent. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as ArgumentValues)[name] : undefined;
}

/** The cost of adding parameters to a link, which may have two MB of targets. */
const UTM_COST = 500;

/** The cost of what is slow in an input, alone or next to the id of the record that it changes. */
function slowWorkIn(given: unknown): number {
  const addsUtm = fieldOf(fieldOf(given, 'input') ?? given, 'utmTemplateId') != null;
  return hashesIn(given) * PASSWORD_COST + (addsUtm ? UTM_COST : 0);
}

/** The cost of a mutation that changes one record; passwords in its input are hashed. */
export const changeCost = costs({ records: 1, work: (args) => CHANGE_COST + slowWorkIn(args) });

/** The cost of a mutation that changes the records of a batch, which its first argument lists. */
export const batchCost = costs({
  size: (args) => batchSize(batchOf(args)),
  // Larger batches are refused as invalid input.
  records: (args) => Math.min(batchSize(batchOf(args)), MAX_BATCH),
  work(args) {
    const batch = batchOf(args);
    const slow = itemsOf(batch).reduce<number>((sum, input) => sum + slowWorkIn(input), 0);
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
  size: (args) => batchSize(batchOf(args)),
  work: (args) => batchSize(batchOf(args)) * CHANGE_COST,
});

/** Maximum number of items of a batch that are counted; a longer batch is refused as invalid input. */
const MAX_LOOKED_AT = MAX_BATCH + 1;

/** A batch as it was sent: a single value is a list of one. */
function batchOf(args: ArgumentValues): unknown {
  return Object.values(args)[0];
}

/** The items of a batch, and their number, as far as they are looked at. */
function itemsOf(batch: unknown): readonly unknown[] {
  if (!Array.isArray(batch)) return batch == null ? [] : [batch];
  return batch.length > MAX_LOOKED_AT ? batch.slice(0, MAX_LOOKED_AT) : batch;
}

export function batchSize(batch: unknown): number {
  if (!Array.isArray(batch)) return batch == null ? 0 : 1;
  return Math.min(batch.length, MAX_LOOKED_AT);
}

/** Number of hashes per password of an input. With `reuse`, it is also compared with existing links. */
function hashesPerPassword(input: unknown): number {
  return fieldOf(input, 'reuse') === true ? 1 + MAX_COMPARED : 1;
}

/** Number of hashes for an input, alone or next to the id of the record that it changes. */
function hashesIn(given: unknown): number {
  const input = fieldOf(given, 'input') ?? given;
  const passwords = ['password', 'privacyPassword'].filter((name) => fieldOf(input, name) != null).length;
  // A changed password is compared with the stored one first.
  const compared = fieldOf(given, 'id') == null ? 0 : passwords;
  return passwords * hashesPerPassword(input) + compared;
}

/** The cost of what a statement reads without returning it: for a filter, and for a search. */
const FILTER_COST = 1_000;
const SEARCH_COST = 9_000;
/** Number of skipped rows that cost 1, and maximum number that counts; few accounts have more. */
const SKIPPED_PER_COST = 10;
const MAX_SKIPPED = 100_000;

/** The cost of the rows that the filter leaves out. */
function filterCost(filter: unknown): number {
  const given = typeof filter === 'object' && filter !== null ? Object.values(filter) : [];
  return given.some((one) => one != null) ? FILTER_COST : 0;
}

/** The cost of the rows before a numbered page: with a filter each is read, and in most orders its text, too. */
function skippingCost({ page, perPage, filter, orderBy }: ArgumentValues): number {
  if (typeof page !== 'number') return 0;
  const skipped = (page - 1) * (countOf(perPage, MAX_EDGES) ?? PAGE_SIZES[0]);
  const read = (filterCost(filter) > 0 ? 2 : 1) * (orderBy == null ? 1 : 2);
  return (Math.min(Math.max(skipped, 0), MAX_SKIPPED) * read) / SKIPPED_PER_COST;
}

/** The maximum number of records of a page. */
const pageSizeOf = ({ first, last, perPage }: ArgumentValues): number =>
  countOf(perPage, MAX_EDGES) ?? countOf(first, MAX_EDGES) ?? countOf(last, MAX_EDGES) ?? DEFAULT_EDGES;

/**
 * The cost of a list: its fields count once for each possible record. The field with its records then needs no size of its
 * own. With a filter, its total and the pages around it cost as much as the filter.
 */
export const listCost = costs({
  size: pageSizeOf,
  work: (args) =>
    STATEMENT_COST +
    filterCost(args.filter) +
    (fieldOf(args.filter, 'search') ? SEARCH_COST : 0) +
    skippingCost(args),
  // All fields below count once for each record.
  toChildren: (args) => ({ filtering: filterCost(args.filter) / pageSizeOf(args) }),
});

/** The cost of another statement about the same list. */
export const sameListCost = costs({
  work: (_args, { filtering }) => STATEMENT_COST + Number(filtering ?? 0),
});
