import { DEFAULT_EDGES, MAX_EDGES, PAGE_SIZES } from '../../lists/pagination.ts';
import { MAX_BATCH } from '../../rules/input.ts';

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

/**
 * A count of an argument, up to `max`; larger ones are refused before anything is read. A list without records counts as one
 * record, since its total is still calculated. Undefined if it is not a number.
 */
export function countItems(value: unknown, max: number): number | undefined {
  return typeof value === 'number' ? Math.min(Math.max(value, 1), max) : undefined;
}

/** The cost of a field, for its `extensions`. */
export function costs(cost: FieldCost): { cost: FieldCost } {
  return { cost };
}

/** A field of an input as it was sent. */
export function getField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as ArgumentValues)[name] : undefined;
}

/** Maximum number of items of a batch that are counted; a longer batch is refused as invalid input. */
const MAX_LOOKED_AT = MAX_BATCH + 1;

/** A batch as it was sent: a single value is a list of one. */
export function getBatch(args: ArgumentValues): unknown {
  return Object.values(args)[0];
}

/** The items of a batch, and their number, as far as they are looked at. */
export function getItems(batch: unknown): readonly unknown[] {
  if (!Array.isArray(batch)) return batch == null ? [] : [batch];
  return batch.length > MAX_LOOKED_AT ? batch.slice(0, MAX_LOOKED_AT) : batch;
}

export function batchSize(batch: unknown): number {
  if (!Array.isArray(batch)) return batch == null ? 0 : 1;
  return Math.min(batch.length, MAX_LOOKED_AT);
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
  const skipped = (page - 1) * (countItems(perPage, MAX_EDGES) ?? PAGE_SIZES[0]);
  const read = (filterCost(filter) > 0 ? 2 : 1) * (orderBy == null ? 1 : 2);
  return (Math.min(Math.max(skipped, 0), MAX_SKIPPED) * read) / SKIPPED_PER_COST;
}

/** The maximum number of records of a page. */
const getPageSize = ({ first, last, perPage }: ArgumentValues): number =>
  countItems(perPage, MAX_EDGES) ??
  countItems(first, MAX_EDGES) ??
  countItems(last, MAX_EDGES) ??
  DEFAULT_EDGES;

/**
 * The cost of a list: its fields count once for each possible record. The field with its records then needs no size of its
 * own. With a filter, its total and the pages around it cost as much as the filter.
 */
export const listCost = costs({
  size: getPageSize,
  work: (args) =>
    STATEMENT_COST +
    filterCost(args.filter) +
    (getField(args.filter, 'search') ? SEARCH_COST : 0) +
    skippingCost(args),
  // All fields below count once for each record.
  toChildren: (args) => ({ filtering: filterCost(args.filter) / getPageSize(args) }),
});

/** The cost of another statement about the same list. */
export const sameListCost = costs({
  work: (_args, { filtering }) => STATEMENT_COST + Number(filtering ?? 0),
});
