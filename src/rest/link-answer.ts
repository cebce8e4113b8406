import { privacyWords } from '../domain/transfer/values.ts';
import { describeChoice, type JsonSchema } from '../engine/rest/form/field.ts';
import {
  fieldsOf,
  integer,
  list,
  object,
  orNull,
  recordAnswer,
  text,
  timestamp,
} from '../engine/rest/record.ts';
import {
  type LinkFieldsFragment,
  type LinkRowFragment,
  RestLinkFileDocument,
} from '../generated/documents.ts';
import { schema } from '../schema/index.ts';

export const states = { 1: 'ACTIVE', 2: 'EXPIRED', 3: 'DISABLED' } as const;
export const privacies = { 0: 'PUBLIC', 1: 'PRIVATE', 2: 'PASSWORD' } as const;
/** The specification of v1 has languages but leaves their number, 3, out. */
export const targetTypes = { 0: 'NONE', 1: 'COUNTRY', 2: 'PLATFORM', 3: 'LANGUAGE', 4: 'ROTATION' } as const;
export const platforms = {
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

const oneOf = (values: Readonly<Record<string, unknown>>): JsonSchema =>
  describeChoice(new Map(Object.entries(values)), {});
const named = { id: integer, name: text };
const pairs = (key: JsonSchema): JsonSchema => list(object({ key, value: text }));
const { plain, cell, part } = fieldsOf<LinkRowFragment, LinkFieldsFragment>(schema, 'Link');

const fields = {
  id: cell(integer, ({ id }) => Number(id)),
  url: plain('url'),
  alias: plain('alias'),
  short_url: plain('shortUrl'),
  title: plain('title'),
  domain_id: cell(integer, ({ domain }) => Number(domain.id)),
  domain: part(object(named), ({ domain: { id, name } }) => ({ id: Number(id), name })),
  space_id: cell(orNull(integer), ({ space }) => space && Number(space.id)),
  space: part(
    orNull(object({ ...named, color: integer })),
    ({ space }) => space && { id: Number(space.id), name: space.name, color: space.color },
  ),
  pixel_ids: part(list(integer), ({ pixels }) => pixels.map(({ id }) => Number(id))),
  pixels: part(list(object({ ...named, type: text, value: text })), ({ pixels }) =>
    pixels.map(({ id, name, type, value }) => ({
      id: Number(id),
      name,
      type: type.toLowerCase().replaceAll('_', '-'),
      value,
    })),
  ),
  tag_ids: part(list(integer), ({ tags }) => tags.map(({ id }) => Number(id))),
  tags: part(list(object(named)), ({ tags }) => tags.map(({ id, name }) => ({ id: Number(id), name }))),
  has_password: plain('hasPassword'),
  disabled: cell({ type: 'integer', enum: [0, 1] }, ({ disabled }) => Number(disabled)),
  forward_query: part({ type: 'integer', enum: [0, 1] }, ({ forwardsQuery }) => Number(forwardsQuery)),
  privacy: cell(oneOf(privacies), ({ privacy }) => Number(privacyOf(privacy))),
  has_privacy_password: plain('hasPrivacyPassword'),
  expiration_url: cell(orNull(text), ({ expiration }) => expiration.url),
  expiration_date: cell(
    orNull({ type: 'string', format: 'date' }),
    ({ expiration }) => expiration.at?.slice(0, 10) ?? null,
  ),
  expiration_time: cell(orNull(text), ({ expiration }) => expiration.at?.slice(11, 16) ?? null),
  expiration_clicks: cell(orNull(integer), ({ expiration }) => expiration.clicks),
  ends_at: cell(
    orNull({ ...timestamp, description: 'expiration_date and expiration_time as one time, in UTC.' }),
    ({ expiration }) => expiration.at,
  ),
  target_type: cell(oneOf(targetTypes), ({ targeting }) => Number(targetTypeOf(targeting.type))),
  country: part(pairs(text), ({ targeting }) =>
    targeting.countries.map(({ country, url }) => ({ key: country, value: url })),
  ),
  platform: part(pairs(oneOf(platforms)), ({ targeting }) =>
    targeting.platforms.map(({ platform, url }) => ({ key: platformOf(platform), value: url })),
  ),
  language: part(pairs(text), ({ targeting }) =>
    targeting.languages.map(({ language, url }) => ({ key: language, value: url })),
  ),
  rotation: part(list(object({ value: text })), ({ targeting }) =>
    targeting.rotation.map((url) => ({ value: url })),
  ),
  clicks: plain('clicks'),
  last_clicked_at: plain('lastClickedAt'),
  state: cell({ ...oneOf(states), description: '1 active, 2 expired, 3 disabled.' }, ({ status }) =>
    Number(stateOf(status)),
  ),
  created_at: plain('createdAt'),
  updated_at: plain('updatedAt'),
};

export const linkAnswer = recordAnswer<LinkRowFragment, LinkFieldsFragment>(fields);

type FileRow = LinkRowFragment & { readonly tags: readonly { readonly name: string }[] };

const file = fieldsOf<FileRow>(schema, 'Link');
/** A time in UTC as spreadsheets know it. */
const timeCell = (at: (row: FileRow) => string | null) =>
  file.cell(text, (row) => at(row)?.slice(0, 16).replace('T', ' ') ?? null);

const statusWords = { ACTIVE: 'Active', DISABLED: 'Disabled', EXPIRED: 'Expired' } as const;

const destinations = {
  NONE: 'The same for everybody',
  COUNTRY: 'By country',
  PLATFORM: 'By system',
  LANGUAGE: 'By language',
  ROTATION: 'In rotation',
} as const;

/** For people, in words, and for an import: its columns have these names, too, but it does not read the last one. */
export const linkFile = recordAnswer({
  'Short URL': file.plain('shortUrl'),
  URL: file.plain('url'),
  Title: file.plain('title'),
  Space: file.cell(text, ({ space }) => space?.name ?? null),
  Tags: file.cell(text, ({ tags }) => tags.map(({ name }) => name).join(', ')),
  Status: file.cell(text, ({ status }) => statusWords[status]),
  Clicks: file.plain('clicks'),
  'Last clicked at': timeCell(({ lastClickedAt }) => lastClickedAt),
  'Created at': timeCell(({ createdAt }) => createdAt),
  'Updated at': timeCell(({ updatedAt }) => updatedAt),
  'Expires at': timeCell(({ expiration }) => expiration.at),
  'Expiration clicks': file.cell(text, ({ expiration }) => expiration.clicks),
  'Expiration URL': file.cell(text, ({ expiration }) => expiration.url),
  Privacy: file.cell(text, ({ privacy }) => privacyWords[privacy]),
  'Has password': file.cell(text, ({ hasPassword }) => (hasPassword ? 'yes' : 'no')),
  Destinations: file.cell(text, ({ targeting }) => destinations[targeting.type]),
}).csv(RestLinkFileDocument, ({ links }) => links);
