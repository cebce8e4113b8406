import { z } from 'zod';
import { createLinkInput, updateLinkInput } from '../domain/link/fields.ts';
import { linkPageInput } from '../domain/link/find-links.ts';
import { qrCodeInput, qrCodePng, qrCodeSvg } from '../domain/link/qr-code.ts';
import { type Answer, encodePage, notFound, success } from '../engine/rest/answer.ts';
import type { Csv } from '../engine/rest/csv-answer.ts';
import { choice, type Fields, integerField } from '../engine/rest/form/field.ts';
import { defineRecord } from '../engine/rest/record.ts';
import { needText, route, withoutFields } from '../engine/rest/route.ts';
import { withDefault } from '../engine/rules/input.ts';
import {
  type CreateLinkInput,
  type LinkFilter,
  RestCreateLinkDocument,
  RestDeleteLinkDocument,
  RestLinkDocument,
  RestLinkPageDocument,
  RestLinkQrDocument,
  RestLinkRowsDocument,
  RestUpdateLinkDocument,
} from '../generated/documents.ts';
import { linkAnswer } from './link-answer.ts';
import { createFields, listFields, updateFields } from './link-fields.ts';

const qrFields = {
  size: { ...integerField('size'), about: 'The width and height in pixels.' },
  ecc: {
    ...choice('errorCorrection', { L: 'L', M: 'M', Q: 'Q', H: 'H' }),
    decodesEmpty: false,
    about: 'How much of the code may be damaged or covered: L 7 percent, M 15, Q 25, H 30.',
  },
  margin: {
    ...integerField('margin'),
    about: 'The margin in modules, the dots of the code. Readers expect 4.',
  },
  format: {
    ...choice('format', { svg: 'svg', png: 'png' }),
    decodesEmpty: false,
    about: 'The type of the image.',
  },
} satisfies Fields;

const qrInput = qrCodeInput.extend({ format: withDefault(z.enum(['svg', 'png']), 'svg') });

/** The short URL as an image. */
function encodeQrCode(shortUrl: string, unparsed: unknown): Answer {
  const { format, ...input } = qrInput.parse(unparsed);
  const content =
    format === 'png'
      ? { type: 'image/png', data: qrCodePng(shortUrl, input) }
      : { type: 'image/svg+xml', data: qrCodeSvg(shortUrl, input) };
  return { status: 200, body: {}, content };
}

/** A filter of links that leaves out no archived ones, unless it says so. */
function withArchived(filter: unknown): LinkFilter {
  return { archived: 'WITH', ...(typeof filter === 'object' && filter) };
}

/** A list of links as CSV, with the archived ones. */
export function withArchivedRows<Data>(csv: Csv<Data, Record<string, unknown>>): typeof csv {
  return {
    ...csv,
    variables: ({ filter, ...input }, ...rest) =>
      csv.variables({ ...input, filter: withArchived(filter) }, ...rest),
  };
}

const qrRoute = route({
  methods: ['GET'],
  path: '/links/:id/qr',
  fields: qrFields,
  schema: qrInput,
  document: RestLinkQrDocument,
  variables: (_input, id) => ({ id }),
  encode: ({ link }, _url, input) => (link ? encodeQrCode(link.shortUrl, input) : notFound),
  file: {
    operationId: 'showLinkQr',
    summary: 'Show the QR code of a link',
    description: 'Shows the short URL as an image, which cameras can read.',
    types: ['image/svg+xml', 'image/png'],
  },
});

export const linkRoutes = [
  route({
    methods: ['GET'],
    path: '/links',
    fields: listFields,
    schema: linkPageInput,
    document: RestLinkPageDocument,
    // Those that are archived are v1's, too.
    variables: ({ filter, ...input }) => ({ ...input, filter: withArchived(filter) }),
    encode: ({ linkPage }, url) => encodePage(linkPage, linkAnswer.encode, url),
    csv: withArchivedRows(linkAnswer.csv(RestLinkRowsDocument, ({ links }) => links)),
  }),
  route({
    methods: ['POST'],
    path: '/links',
    fields: createFields,
    schema: createLinkInput,
    document: RestCreateLinkDocument,
    variables: (input) => ({ input: { ...input, url: needText(input.url) } satisfies CreateLinkInput }),
    encode: ({ createLink }) => success({ data: linkAnswer.encode(defineRecord(createLink)) }, 201),
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
    encode: ({ updateLink }) => success({ data: linkAnswer.encode(defineRecord(updateLink)) }),
  }),
  route({
    methods: ['DELETE'],
    path: '/links/:id',
    ...withoutFields,
    document: RestDeleteLinkDocument,
    variables: (_input, id) => ({ id }),
    encode: ({ deleteLink }) =>
      success({ id: Number(defineRecord(deleteLink).id), object: 'link', deleted: true }),
  }),
  qrRoute,
];
