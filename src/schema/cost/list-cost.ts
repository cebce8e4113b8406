import { DEFAULT_EDGES, MAX_EDGES, PAGE_SIZES } from '../../domain/pagination.ts';
import { type ArgumentValues, costs, countOf, fieldOf, STATEMENT_COST } from './field-cost.ts';

/** The cost of what a statement reads without returning it: for a filter, and for a search. */
const FILTER_COST = 1_000;
const SEARCH_COST = 9_000;
/** How many skipped rows cost 1, and how many are counted: few accounts have more. */
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
const sizeOf = ({ first, last, perPage }: ArgumentValues): number =>
  countOf(perPage, MAX_EDGES) ?? countOf(first, MAX_EDGES) ?? countOf(last, MAX_EDGES) ?? DEFAULT_EDGES;

/**
 * The cost of a list: its fields count once for each possible record. The field with its records then needs no size of its
 * own. With a filter, its total and the pages around it cost as much as the filter.
 */
export const listCost = costs({
  size: sizeOf,
  work: (args) =>
    STATEMENT_COST +
    filterCost(args.filter) +
    (fieldOf(args.filter, 'search') ? SEARCH_COST : 0) +
    skippingCost(args),
  // All fields below count once for each record.
  toChildren: (args) => ({ filtering: filterCost(args.filter) / sizeOf(args) }),
});

/** The cost of another statement about the same list. */
export const sameListCost = costs({
  work: (_args, { filtering }) => STATEMENT_COST + Number(filtering ?? 0),
});
