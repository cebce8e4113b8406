import { createLinkInput, updateLinkInput } from '../domain/link/input.ts';
import { linkPageInput } from '../domain/link/list.ts';
import {
  type CreateLinkInput,
  RestCreateLinkDocument,
  RestDeleteLinkDocument,
  RestLinkDocument,
  RestLinkPageDocument,
  RestLinkRowsDocument,
  type RestLinkRowsQueryVariables,
  RestUpdateLinkDocument,
} from '../generated/documents.ts';
import { notFound, success } from './answer.ts';
import { linkAnswer } from './link-answer.ts';
import { createFields, listFields, updateFields } from './link-fields.ts';
import { qrRoute } from './link-qr.ts';
import { encodePage } from './page.ts';
import { recordOf } from './result.ts';
import { route, withoutFields } from './route.ts';

export const linkRoutes = [
  route({
    methods: ['GET'],
    path: '/links',
    fields: listFields,
    schema: linkPageInput,
    document: RestLinkPageDocument,
    variables: (input) => input,
    encode: ({ linkPage }, url) => encodePage(linkPage, linkAnswer.encode, url),
    csv: {
      columns: linkAnswer.columns,
      document: RestLinkRowsDocument,
      variables: ({ filter, orderBy }, _id, after) =>
        ({ filter, orderBy, after }) as RestLinkRowsQueryVariables,
      partOf({ links: { edges, pageInfo } }) {
        const rows = edges.map(({ node }) => linkAnswer.encodeRow(node));
        return { rows, next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
      },
    },
  }),
  route({
    methods: ['POST'],
    path: '/links',
    fields: createFields,
    schema: createLinkInput,
    document: RestCreateLinkDocument,
    // A missing URL is the domain's error, not GraphQL's.
    variables: (input) => ({ input: { url: '', ...input } satisfies CreateLinkInput }),
    encode: ({ createLink }) => success({ data: linkAnswer.encode(recordOf(createLink)) }, 201),
  }),
  route({
    methods: ['GET'],
    path: '/links/:id',
    ...withoutFields,
    document: RestLinkDocument,
    variables: (_input, id) => ({ id }),
    encode: ({ link }) => (link ? success({ data: linkAnswer.encode(link) }) : notFound),
  }),
  route({
    methods: ['PUT', 'PATCH'],
    path: '/links/:id',
    fields: updateFields,
    schema: updateLinkInput,
    document: RestUpdateLinkDocument,
    variables: (input, id) => ({ id, input }),
    encode: ({ updateLink }) => success({ data: linkAnswer.encode(recordOf(updateLink)) }),
  }),
  route({
    methods: ['DELETE'],
    path: '/links/:id',
    ...withoutFields,
    document: RestDeleteLinkDocument,
    variables: (_input, id) => ({ id }),
    encode: ({ deleteLink }) =>
      success({ id: Number(recordOf(deleteLink).id), object: 'link', deleted: true }),
  }),
  qrRoute,
];
