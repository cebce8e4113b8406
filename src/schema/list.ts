import type { InputRef, ObjectRef } from '@pothos/core';
import { type Connection, DEFAULT_EDGES, MAX_EDGES, PAGE_SIZES, type Page } from '../domain/list.ts';
import { inSlices } from '../shared/slices.ts';
import { builder, type Types } from './builder.ts';
import { describedValues } from './described-values.ts';
import { type ArgumentValues, costs, countOf, fieldOf, STATEMENT_COST } from './server/cost.ts';

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
const ofSameList = costs({ work: (_args, { filtering }) => STATEMENT_COST + Number(filtering ?? 0) });

export const Direction = builder.enumType('Direction', {
  description: 'The direction of an order.',
  values: {
    ASC: { description: 'Ascending: smallest, oldest or alphabetically first.' },
    DESC: { description: 'Descending: largest, newest or alphabetically last.' },
  } as const,
});

const PageInfo = builder.objectRef<Connection<unknown>>('PageInfo').implement({
  description: 'The position of a page within the whole list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description:
        'Whether there are more records after this page; with `first` and `before`, only those before `before` count.',
      extensions: ofSameList,
      resolve: (edges) => edges.hasNextPage(),
    }),
    hasPreviousPage: t.boolean({
      extensions: ofSameList,
      description:
        'Whether there are records before this page; with `last` and `after`, only those after `after` count.',
      resolve: (edges) => edges.hasPreviousPage(),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first edge; null if there are no edges.',
      resolve: ({ edges }) => edges.at(0)?.cursor,
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last edge; null if there are no edges.',
      resolve: ({ edges }) => edges.at(-1)?.cursor,
    }),
  }),
});

/**
 * The connection and edge types of a list.
 * @param ofTotal an addition to the description of its total
 */
export function connectionOf<Row>(name: string, plural: string, node: ObjectRef<Types, Row>, ofTotal = '') {
  const Edge = builder.objectRef<{ cursor: string; node: Row }>(`${name}Edge`).implement({
    description: `One of the ${plural} of a connection, with its cursor.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description:
          'The position in this order, for `after` and `before`. It stays valid when records are added or deleted.',
      }),
      // TypeScript cannot follow Pothos' conditional type of a result through the type parameter.
      node: t.field({ type: node, description: 'The record.', resolve: (edge) => edge.node as never }),
    }),
  });
  return builder.objectRef<Connection<Row>>(`${name}Connection`).implement({
    description: `A page of ${plural}, paginated by cursor.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: 'The records, in order.',
        extensions: costs({ size: 1 }),
        resolve: ({ edges }, _args, { isHeavy, signal }) => (isHeavy ? inSlices(edges, signal) : edges),
      }),
      nodes: t.field({
        type: [node],
        description: 'The records without their cursors, in order.',
        extensions: costs({ size: 1 }),
        resolve: ({ edges }, _args, { isHeavy, signal }) => {
          const rows = edges.map((edge) => edge.node);
          return (isHeavy ? inSlices(rows, signal) : rows) as never; // Pothos cannot know the type of a generic row.
        },
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Information about the page.',
        extensions: costs({ toChildren: (_args, fromParent) => fromParent }),
        resolve: (edges) => edges,
      }),
      totalCount: t.int({
        description: `The number of ${plural} in the whole list; computed only if selected.${ofTotal}`,
        extensions: ofSameList,
        resolve: (connection) => connection.total(),
      }),
    }),
  });
}

/** The description of the filter by the last change. */
export const updatedSince =
  'Only records that were changed at this time or later: ISO 8601 with an offset from UTC. Deletions are in `changes`.';

export const edgesArgs = builder.args((t) => ({
  first: t.int({
    description: `The number of records from the start, or after \`after\`: 0 to ${MAX_EDGES}; 20 by default.`,
  }),
  after: t.string({ description: 'Only records after this cursor.' }),
  last: t.int({
    description: `The number of records from the end, or before \`before\`: 0 to ${MAX_EDGES}.`,
  }),
  before: t.string({ description: 'Only records before this cursor.' }),
}));

export const pageArgs = builder.args((t) => ({
  page: t.int({
    defaultValue: 1,
    description: 'The page number, from 1. Pages after the last one are empty.',
  }),
  perPage: t.int({ defaultValue: 10, description: `The page size: ${PAGE_SIZES.join(', ')}.` }),
}));

/** The type of a numbered page. */
export function pageOf<Row>(name: string, plural: string, item: ObjectRef<Types, Row>) {
  return builder.objectRef<Page<Row>>(`${name}Page`).implement({
    description: `A page of ${plural}, by page number.`,
    fields: (t) => ({
      items: t.field({
        type: [item],
        description: 'The records, in order.',
        extensions: costs({ size: 1 }),
        resolve: ({ items }, _args, { isHeavy, signal }) => (isHeavy ? inSlices(items, signal) : items),
      }),
      total: t.exposeInt('total', { description: `The number of ${plural} on all pages.` }),
      page: t.exposeInt('page', { description: 'The page number, from 1.' }),
      perPage: t.exposeInt('perPage', { description: 'The page size.' }),
      pageCount: t.exposeInt('pageCount', { description: 'The number of pages; at least 1.' }),
    }),
  });
}

/** The input type of a list's order, and the arguments `filter` and `orderBy`. */
export function selectionOf<Filter extends object, Field extends string>(
  name: string,
  plural: string,
  filter: InputRef<Filter>,
  fields: Readonly<Record<Field | 'ID', string>>,
  defaultDirection: 'ASC' | 'DESC' = 'DESC',
) {
  const OrderField = builder.enumType(`${name}OrderField`, {
    description: `The fields by which ${plural} can be ordered.`,
    values: describedValues<Field | 'ID'>(fields),
  });
  const Order = builder.inputType(`${name}Order`, {
    description: `The order of ${plural}. Ties are broken by id, in the same direction.`,
    fields: (t) => ({
      field: t.field({
        type: OrderField,
        required: true,
        // One of the enum's values; TypeScript cannot follow the type parameter.
        defaultValue: 'ID' as never,
        description: 'The field to order by.',
      }),
      direction: t.field({
        type: Direction,
        required: true,
        defaultValue: defaultDirection,
        description: 'The direction.',
      }),
    }),
  });
  return builder.args((t) => ({
    filter: t.field({ type: filter, description: `A filter; all ${plural} by default.` }),
    orderBy: t.field({
      type: Order,
      description: `The order; ${defaultDirection === 'DESC' ? 'newest' : 'oldest'} first by default.`,
    }),
  }));
}
