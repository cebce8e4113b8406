import type { ObjectRef } from '@pothos/core';
import { type Edges, MAX_EDGES, PAGE_SIZES, type Page } from '../domain/list.ts';
import { builder, type Types } from './builder.ts';

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
    hasNextPage: t.boolean({ description: 'Whether more follows.', resolve: (edges) => edges.hasNextPage() }),
    hasPreviousPage: t.boolean({
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
      edges: t.field({ type: [Edge], description: 'The records, in order.', resolve: ({ edges }) => edges }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'What comes before and after.',
        resolve: (edges) => edges,
      }),
      totalCount: t.int({
        description: `How many ${plural} the whole list has; computed only when asked for.`,
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
      items: t.field({ type: [item], description: 'The records, in order.', resolve: ({ items }) => items }),
      total: t.exposeInt('total', { description: `How many ${plural} there are on all pages.` }),
      page: t.exposeInt('page', { description: 'The number of this page, from 1.' }),
      perPage: t.exposeInt('perPage', { description: 'How many a full page has.' }),
      pageCount: t.exposeInt('pageCount', { description: 'How many pages there are; at least 1.' }),
    }),
  });
}
