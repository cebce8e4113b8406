import type { InputRef, ObjectRef } from '@pothos/core';
import { DEFAULT_EDGES, type Edges, MAX_EDGES, PAGE_SIZES, type Page } from '../domain/list.ts';
import { inSlices } from '../slices.ts';
import { builder, type Types } from './builder.ts';
import { costs, fieldOf } from './cost.ts';
import { describedValues } from './described-values.ts';

/** What a statement costs, what reading on past many rows, what a condition that no index answers, and what a search. */
const STATEMENT = 10;
const ROWS_PAST = 100;
const NARROWING = 200;
const SEARCH = 6_000;

/**
 * What a list costs: its fields count as often as it has records at most, whose own lists then need not say how many they
 * hold.
 */
export const listCost = costs({
  size: ({ first, last, perPage }) =>
    Number([perPage, first, last].find((one) => typeof one === 'number') ?? DEFAULT_EDGES),
  work({ filter, orderBy, page }) {
    const { search, ...narrowing } = { search: undefined, ...(typeof filter === 'object' ? filter : {}) };
    const narrows =
      Object.values(narrowing).some((one) => one != null) || fieldOf(orderBy, 'field') === 'URL';
    const past = typeof page === 'number' && page > ROWS_PAST ? NARROWING : 0;
    return STATEMENT + (search ? SEARCH : 0) + (narrows ? NARROWING : 0) + past;
  },
});

export const Direction = builder.enumType('Direction', {
  description: 'Which end of an order comes first.',
  values: {
    ASC: { description: 'The smallest, oldest or first in the alphabet first.' },
    DESC: { description: 'The largest, newest or last in the alphabet first.' },
  } as const,
});

const PageInfo = builder.objectRef<Edges<unknown>>('PageInfo').implement({
  description: 'Where a stretch of a list stands in the whole.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether more follows.',
      extensions: costs({ work: STATEMENT }),
      resolve: (edges) => edges.hasNextPage(),
    }),
    hasPreviousPage: t.boolean({
      extensions: costs({ work: STATEMENT }),
      description: 'Whether anything comes before.',
      resolve: (edges) => edges.hasPreviousPage(),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first edge; null where there is none.',
      resolve: ({ edges }) => edges.at(0)?.cursor,
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last edge; null where there is none.',
      resolve: ({ edges }) => edges.at(-1)?.cursor,
    }),
  }),
});

type Connection<Row> = Edges<Row> & { total(): Promise<number> };

/** The connection and edge types of a list by cursor. */
export function connectionOf<Row>(name: string, plural: string, node: ObjectRef<Types, Row>) {
  const Edge = builder.objectRef<{ cursor: string; node: Row }>(`${name}Edge`).implement({
    description: `One of the ${plural} of a connection, with its place.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'Its place in this order, for `after` and `before`; stays right when rows come and go.',
      }),
      // TypeScript cannot follow Pothos' conditional type of a result through the type parameter.
      node: t.field({ type: node, description: 'The record itself.', resolve: (edge) => edge.node as never }),
    }),
  });
  return builder.objectRef<Connection<Row>>(`${name}Connection`).implement({
    description: `A stretch of the ${plural}, by cursor.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: 'The records, in order.',
        extensions: costs({ size: 1 }),
        resolve: ({ edges }, _args, { isHeavy }) => (isHeavy ? inSlices(edges) : edges),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'What comes before and after.',
        resolve: (edges) => edges,
      }),
      totalCount: t.int({
        description: `How many ${plural} the whole list has; computed only when asked for.`,
        extensions: costs({ work: STATEMENT }),
        resolve: (connection) => connection.total(),
      }),
    }),
  });
}

export const edgesArgs = builder.args((t) => ({
  first: t.int({
    description: `How many from the start, or after \`after\`: 0 to ${MAX_EDGES}; 20 by default.`,
  }),
  after: t.string({ description: 'Only what comes after this cursor.' }),
  last: t.int({ description: `How many from the end, or before \`before\`: 0 to ${MAX_EDGES}.` }),
  before: t.string({ description: 'Only what comes before this cursor.' }),
}));

export const pageArgs = builder.args((t) => ({
  page: t.int({ defaultValue: 1, description: 'Which page, from 1. Past the last one there is nothing.' }),
  perPage: t.int({ defaultValue: 10, description: `How many a page has: ${PAGE_SIZES.join(', ')}.` }),
}));

/** The type of a numbered page. */
export function pageOf<Row>(name: string, plural: string, item: ObjectRef<Types, Row>) {
  return builder.objectRef<Page<Row>>(`${name}Page`).implement({
    description: `One numbered page of the ${plural}.`,
    fields: (t) => ({
      items: t.field({
        type: [item],
        description: 'The records, in order.',
        extensions: costs({ size: 1 }),
        resolve: ({ items }, _args, { isHeavy }) => (isHeavy ? inSlices(items) : items),
      }),
      total: t.exposeInt('total', { description: `How many ${plural} there are on all pages.` }),
      page: t.exposeInt('page', { description: 'The number of this page, from 1.' }),
      perPage: t.exposeInt('perPage', { description: 'How many a full page has.' }),
      pageCount: t.exposeInt('pageCount', { description: 'How many pages there are; at least 1.' }),
    }),
  });
}

/** The input type of a list's order, and the arguments that say which records, in which order. */
export function selectionOf<Filter extends object, Field extends string>(
  name: string,
  plural: string,
  filter: InputRef<Filter>,
  fields: Readonly<Record<Field | 'ID', string>>,
  defaultDirection: 'ASC' | 'DESC' = 'DESC',
) {
  const OrderField = builder.enumType(`${name}OrderField`, {
    description: `What ${plural} can be ordered by.`,
    values: describedValues<Field | 'ID'>(fields),
  });
  const Order = builder.inputType(`${name}Order`, {
    description: `An order of ${plural}; ties are broken by id, in the same direction.`,
    fields: (t) => ({
      field: t.field({
        type: OrderField,
        required: true,
        // One of the enum's values, which TypeScript cannot follow through the type parameter.
        defaultValue: 'ID' as never,
        description: 'What to order by.',
      }),
      direction: t.field({
        type: Direction,
        required: true,
        defaultValue: defaultDirection,
        description: 'Which end comes first.',
      }),
    }),
  });
  return builder.args((t) => ({
    filter: t.field({ type: filter, description: `Which ${plural}; all of them by default.` }),
    orderBy: t.field({
      type: Order,
      description: `In which order; the ${defaultDirection === 'DESC' ? 'newest' : 'oldest'} first by default.`,
    }),
  }));
}
