import { z } from 'zod';
import { withDefault } from '../domain/input.ts';
import { createLinkInput, updateLinkInput } from '../domain/link/input.ts';
import { linkPageInput } from '../domain/link/list.ts';
import { qrCodeInput, qrCodePng, qrCodeSvg } from '../domain/link/qr-code.ts';
import {
  type CreateLinkInput,
  RestCreateLinkDocument,
  RestDeleteLinkDocument,
  RestLinkDocument,
  RestLinkPageDocument,
  RestLinkQrDocument,
  RestLinkRowsDocument,
  type RestLinkRowsQueryVariables,
  RestUpdateLinkDocument,
} from '../generated/documents.ts';
import { type Answer, notFound, success } from './answer.ts';
import { expirationDate, expirationTime } from './form/expiration.ts';
import {
  choice,
  type Field,
  type Fields,
  flag,
  integer,
  meaningsOf,
  recordId,
  scalar,
  text,
} from './form/field.ts';
import { entries, idList } from './form/field-list.ts';
import { linkAnswer, platforms, privacies, states, targetTypes } from './link-answer.ts';
import { encodePage } from './page.ts';
import { recordOf } from './result.ts';
import { route, withoutFields } from './route.ts';

const fields = {
  url: { ...text('url'), example: 'https://example.com/summer' },
  alias: { ...text('alias'), example: 'summer-sale' },
  title: { ...text('title'), example: 'Summer sale' },
  password: text('password'),
  space_id: recordId('spaceId'),
  pixel_ids: {
    ...idList('pixelIds'),
    about:
      'The ids of the pixels that the link fires, at most 50; replaces all of them. In a form: ' +
      '`pixel_ids[]=1&pixel_ids[]=2` or `pixel_ids=1,2`.' +
      ' Of a name without brackets that is repeated, only the last value counts.',
  },
  disabled: {
    ...flag('disabled'),
    about: 'Whether the link is disabled: 0 no, 1 yes; `false` and `true` work too.',
  },
  privacy: {
    ...choice('privacy', privacies),
    about: `Who may see the statistics: ${meaningsOf(privacies)}.`,
  },
  privacy_password: {
    ...text('privacyPassword'),
    about: 'The password for the statistics, 1 to 128 characters; required if privacy is 2.',
  },
  expiration_url: text('expiration.url'),
  expiration_date: expirationDate,
  expiration_time: expirationTime,
  expiration_clicks: integer('expiration.clicks'),
  target_type: {
    ...choice('targeting.type', targetTypes),
    decodesEmpty: false,
    about: `How the link chooses a target: ${meaningsOf(targetTypes)}; 0 if absent from a new link.`,
  },
  country: entries('targeting.countries', { key: 'country', value: 'url' }),
  platform: entries('targeting.platforms', { key: 'platform', value: 'url' }, platforms),
  language: entries('targeting.languages', { key: 'language', value: 'url' }),
  rotation: entries('targeting.rotation', { value: '' }),
} satisfies Fields;

const domainId: Field = {
  ...recordId('domainId'),
  about: "The id of your own or a shared domain; the service's own by default. It cannot change.",
};

/** The same; or a domain in the form of an answer, so that answers can be sent back. */
const domain: Field = {
  ...domainId,
  decode: (value, context) => scalar(value instanceof Map ? value.get('id') || value : value, context),
};

// If both are sent, the second one counts.
const createFields = { ...fields, domain, domain_id: domainId };

/** In an update, for clients that send back whole answers; only the link's own domain is accepted. */
const hidden = { describe: () => null };
const updateFields = { ...fields, domain: { ...domain, ...hidden }, domain_id: { ...domainId, ...hidden } };

const listFields = {
  search: text('filter.search'),
  search_by: {
    ...choice('filter.searchBy', { title: 'TITLE', alias: 'ALIAS', url: 'URL' }),
    about: 'The field that is searched.',
  },
  status: {
    ...choice('filter.status', { 0: undefined, ...states }),
    about: `Only links in this state: 0 all, ${meaningsOf(states)}.`,
  },
  space_id: {
    path: ['filter', 'spaceId'],
    about: 'Only links in this space; 0 for links without a space.',
    describe: () => ({ type: 'integer', minimum: 0 }),
    decode(value, context) {
      if (value !== '0') return scalar(value, context);
      context.assign('filter.withoutSpace', true);
    },
  } satisfies Field,
  domain_id: recordId('filter.domainId'),
  pixel_id: recordId('filter.pixelId'),
  sort_by: choice('orderBy.field', {
    id: 'ID',
    clicks: 'CLICKS',
    title: 'TITLE',
    alias: 'ALIAS',
    url: 'URL',
  }),
  sort: choice('orderBy.direction', { desc: 'DESC', asc: 'ASC' }),
  per_page: integer('perPage'),
  page: integer('page'),
};

const qrFields = {
  size: { ...integer('size'), about: 'The width and height in pixels.' },
  ecc: {
    ...choice('errorCorrection', { L: 'L', M: 'M', Q: 'Q', H: 'H' }),
    decodesEmpty: false,
    about: 'How much of the code may be damaged or covered: L 7 percent, M 15, Q 25, H 30.',
  },
  margin: { ...integer('margin'), about: 'The margin in modules, the dots of the code. Readers expect 4.' },
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
  route({
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
      types: ['image/svg+xml', 'image/png'],
    },
  }),
];
