import type { InputRef, ObjectRef } from '@pothos/core';
import { costs, listCost, sameListCost } from '../engine/graphql/cost/costs.ts';
import { type Connection, MAX_EDGES, PAGE_SIZES, type Page } from '../engine/lists/pagination.ts';
import { inSlices } from '../engine/tools/time-slices.ts';
import { builder, type Types } from './builder.ts';
import { enumType } from './domain-types.ts';

const Direction = enumType('Direction', 'The direction of an order.', {
  ASC: 'Ascending: smallest, oldest or alphabetically first.',
  DESC: 'Descending: largest, newest or alphabetically last.',
});

const PageInfo = builder.objectRef<Connection<unknown>>('PageInfo').implement({
  description: 'The position of a page within the whole list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description:
        'Whether there are more records after this page; with `first` and `before`, only those before `before` count.',
      extensions: sameListCost,
      resolve: (edges) => edges.hasNextPage(),
    }),
    hasPreviousPage: t.boolean({
      extensions: sameListCost,
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

const edgesArgs = builder.args((t) => ({
  first: t.int({
    description: `The number of records from the start, or after \`after\`: 0 to ${MAX_EDGES}; 20 by default.`,
  }),
  after: t.string({ description: 'Only records after this cursor.' }),
  last: t.int({
    description: `The number of records from the end, or before \`before\`: 0 to ${MAX_EDGES}.`,
  }),
  before: t.string({ description: 'Only records before this cursor.' }),
}));

/**
 * The fields with a list that is paginated by cursor, all but their descriptions and resolvers.
 * @param ofTotal an addition to the description of its total
 */
export function defineConnection<Row>(
  name: string,
  plural: string,
  node: ObjectRef<Types, Row>,
  ofTotal = '',
) {
  const Edge = builder.objectRef<{ readonly cursor: string; readonly node: Row }>(`${name}Edge`).implement({
    description: `One of the ${plural} of a connection, with its cursor.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description:
          'The position in this order, for `after` and `before`. It stays valid when records are added or deleted.',
      }),
      // TypeScript cannot follow Pothos' conditional type of a result through the type parameter.
      node: t.expose('node' as never, { type: node, description: 'The record.' }),
    }),
  });
  const type = builder.objectRef<Connection<Row>>(`${name}Connection`).implement({
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
        extensions: sameListCost,
        resolve: (connection) => connection.total(),
      }),
    }),
  });
  return { type, extensions: listCost, args: edgesArgs };
}

const pageArgs = builder.args((t) => ({
  page: t.int({
    defaultValue: 1,
    description: 'The page number, from 1. Pages after the last one are empty.',
  }),
  perPage: t.int({ defaultValue: 10, description: `The page size: ${PAGE_SIZES.join(', ')}.` }),
}));

/** The fields with a list that is paginated by page number, all but their descriptions and resolvers. */
export function definePage<Row>(name: string, plural: string, item: ObjectRef<Types, Row>) {
  const type = builder.objectRef<Page<Row>>(`${name}Page`).implement({
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
  return { type, extensions: listCost, args: pageArgs };
}

/** The input type of a list's order. `about` follows its description. */
export function defineOrder<Field extends string>(
  name: string,
  plural: string,
  fields: Readonly<Record<Field, string>>,
  defaults: { readonly field: Field; readonly direction: 'ASC' | 'DESC' },
  about = '',
) {
  return builder.inputType(`${name}Order`, {
    description: `The order of ${plural}.${about}`,
    fields: (t) => ({
      field: t.field({
        type: enumType(`${name}OrderField`, `The fields by which ${plural} can be ordered.`, fields),
        required: true,
        // One of the enum's values; TypeScript cannot follow the type parameter.
        defaultValue: defaults.field as never,
        description: 'The field to order by.',
      }),
      direction: t.field({
        type: Direction,
        required: true,
        defaultValue: defaults.direction,
        description: 'The direction.',
      }),
    }),
  });
}

/** The arguments `filter` and `orderBy` of a list. */
export function defineSelection<Filter extends object, Field extends string>(
  name: string,
  plural: string,
  filter: InputRef<Filter>,
  fields: Readonly<Record<Field | 'ID', string>>,
  direction: 'ASC' | 'DESC' = 'DESC',
) {
  const ties = ' Ties are broken by id, in the same direction.';
  const Order = defineOrder<Field | 'ID'>(name, plural, fields, { field: 'ID', direction }, ties);
  return builder.args((t) => ({
    filter: t.field({ type: filter, description: `A filter; all ${plural} by default.` }),
    orderBy: t.field({
      type: Order,
      description: `The order; ${direction === 'DESC' ? 'newest' : 'oldest'} first by default.`,
    }),
  }));
}
