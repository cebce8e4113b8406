import { z } from 'zod';
import { withDefault } from '../domain/input.ts';
import { createLinkInput, updateLinkInput } from '../domain/link/input.ts';
import { linkPageInput } from '../domain/link/list.ts';
import { qrCodeInput, qrCodePng, qrCodeSvg } from '../domain/link/qr-code.ts';
import {
  type CreateLinkInput,
  type LinkFieldsFragment,
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
import { csv } from './csv.ts';
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
import { encodePage } from './page.ts';
import { recordOf } from './result.ts';
import { route, withoutFields } from './route.ts';

export const states = { 1: 'ACTIVE', 2: 'EXPIRED', 3: 'DISABLED' } as const;
export const privacies = { 0: 'PUBLIC', 1: 'PRIVATE', 2: 'PASSWORD' } as const;
/** The specification of v1 has languages but leaves their number, 3, out. */
export const targetTypes = { 0: 'NONE', 1: 'COUNTRY', 2: 'PLATFORM', 3: 'LANGUAGE', 4: 'ROTATION' } as const;
const platforms = {
  iOS: 'IOS',
  Android: 'ANDROID',
  Windows: 'WINDOWS',
  'OS X': 'OS_X',
  Linux: 'LINUX',
  Ubuntu: 'UBUNTU',
  'Chrome OS': 'CHROME_OS',
} as const;

/** v1's spelling of each value. */
function spellingsOf(values: Readonly<Record<string, string>>): (value: string) => string {
  const spellings = new Map(Object.entries(values).map(([spelling, value]) => [value, spelling]));
  return (value) => spellings.get(value) ?? value;
}
const stateOf = spellingsOf(states);
const privacyOf = spellingsOf(privacies);
const targetTypeOf = spellingsOf(targetTypes);
const platformOf = spellingsOf(platforms);

const fields = {
  url: { ...text('url'), example: 'https://example.com/summer' },
  alias: { ...text('alias'), example: 'summer-sale' },
  title: { ...text('title'), about: 'The title, at most 255 characters.', example: 'Summer sale' },
  password: {
    ...text('password'),
    about: 'The password that visitors must enter, 1 to 128 characters.',
  },
  space_id: { ...recordId('spaceId'), about: 'The id of the space of the link.' },
  pixel_ids: {
    ...idList('pixelIds'),
    about: 'The ids of the pixels that the link fires; replaces all of them.',
  },
  disabled: { ...flag('disabled'), about: 'Whether the link is disabled: 0 no, 1 yes.' },
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
    about: `How the link chooses a target: ${meaningsOf(targetTypes)}.`,
  },
  country: entries('targeting.countries', { key: 'country', value: 'url' }),
  platform: entries('targeting.platforms', { key: 'platform', value: 'url' }, platforms),
  language: entries('targeting.languages', { key: 'language', value: 'url' }),
  rotation: entries('targeting.rotation', { value: '' }),
} satisfies Fields;

/** The id of a domain; or a domain in the form of an answer, so that answers can be sent back. */
const domainId: Field = {
  ...recordId('domainId'),
  about: "The id of the domain of the link; the service's own by default.",
  decodesEmpty: false,
  decode: (value, reading) => {
    const id = value instanceof Map ? value.get('id') : value;
    return id === undefined ? undefined : scalar(id, reading);
  },
};

// If both are sent, the second one counts.
const createFields = { ...fields, domain: domainId, domain_id: domainId };

/** In an update, for clients that send back whole answers; only the link's own domain is accepted. */
const sameDomain: Field = { ...domainId, describe: () => null };
const updateFields = { ...fields, domain: sameDomain, domain_id: sameDomain };

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
    decode(value, reading) {
      if (value !== '0') return scalar(value, reading);
      reading.assign('filter.withoutSpace', true);
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

function encodeLink(link: LinkFieldsFragment) {
  const { domain, space, pixels, expiration, targeting } = link;
  return {
    id: Number(link.id),
    url: link.url,
    alias: link.alias,
    short_url: link.shortUrl,
    title: link.title,
    domain_id: Number(domain.id),
    domain: { id: Number(domain.id), name: domain.name },
    space_id: space && Number(space.id),
    space: space && { id: Number(space.id), name: space.name, color: space.color },
    pixel_ids: pixels.map(({ id }) => Number(id)),
    pixels: pixels.map(({ id, name, type, value }) => ({
      id: Number(id),
      name,
      type: type.toLowerCase().replaceAll('_', '-'),
      value,
    })),
    has_password: link.hasPassword,
    disabled: Number(link.disabled),
    privacy: Number(privacyOf(link.privacy)),
    has_privacy_password: link.hasPrivacyPassword,
    expiration_url: expiration.url,
    expiration_date: expiration.at?.slice(0, 10) ?? null,
    expiration_time: expiration.at?.slice(11, 16) ?? null,
    expiration_clicks: expiration.clicks,
    ends_at: expiration.at,
    target_type: Number(targetTypeOf(targeting.type)),
    country: targeting.countries.map(({ country, url }) => ({ key: country, value: url })),
    platform: targeting.platforms.map(({ platform, url }) => ({
      key: platformOf(platform),
      value: url,
    })),
    language: targeting.languages.map(({ language, url }) => ({ key: language, value: url })),
    rotation: targeting.rotation.map((url) => ({ value: url })),
    clicks: link.clicks,
    last_clicked_at: link.lastClickedAt,
    state: Number(stateOf(link.status)),
    created_at: link.createdAt,
    updated_at: link.updatedAt,
  };
}

/** The fields of a link that are neither lists nor records, in order. */
const columns = [
  ...[
    'id',
    'url',
    'alias',
    'short_url',
    'title',
    'domain_id',
    'space_id',
    'has_password',
    'disabled',
    'privacy',
  ],
  ...['has_privacy_password', 'expiration_url', 'expiration_date', 'expiration_time', 'expiration_clicks'],
  ...['ends_at', 'target_type', 'clicks', 'last_clicked_at', 'state', 'created_at', 'updated_at'],
];

const noTargets = { countries: [], platforms: [], languages: [], rotation: [] };

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
    encode: ({ linkPage }, url) => encodePage(linkPage, encodeLink, url),
    csv: csv({
      columns,
      document: RestLinkRowsDocument,
      variables: ({ filter, orderBy }, _id, after) =>
        ({ filter, orderBy, after }) as RestLinkRowsQueryVariables,
      partOf({ links: { edges, pageInfo } }) {
        const rows = edges.map(({ node }) =>
          encodeLink({ ...node, pixels: [], targeting: { ...node.targeting, ...noTargets } }),
        );
        return { rows, next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
      },
    }),
  }),
  route({
    methods: ['POST'],
    path: '/links',
    fields: createFields,
    schema: createLinkInput,
    document: RestCreateLinkDocument,
    // As for a space's name.
    variables: (input) => ({ input: { url: '', ...input } satisfies CreateLinkInput }),
    encode: ({ createLink }) => success({ data: encodeLink(recordOf(createLink)) }, 201),
  }),
  route({
    methods: ['GET'],
    path: '/links/:id',
    ...withoutFields,
    document: RestLinkDocument,
    variables: (_input, id) => ({ id }),
    encode: ({ link }) => (link ? success({ data: encodeLink(link) }) : notFound),
  }),
  route({
    methods: ['PUT', 'PATCH'],
    path: '/links/:id',
    fields: updateFields,
    schema: updateLinkInput,
    document: RestUpdateLinkDocument,
    variables: (input, id) => ({ id, input }),
    encode: ({ updateLink }) => success({ data: encodeLink(recordOf(updateLink)) }),
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
