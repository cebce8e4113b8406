import { redirectStatuses } from '../domain/link/fields.ts';
import { privacyWords } from '../domain/transfer/values.ts';
import { describeChoice, type JsonSchema } from '../engine/rest/form/field.ts';
import {
  describeFields,
  integerType,
  list,
  object,
  orNull,
  recordAnswer,
  textType,
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
function makeSpeller(values: Readonly<Record<string, string>>): (value: string) => string {
  const spellings = new Map(Object.entries(values).map(([spelling, value]) => [value, spelling]));
  return (value) => spellings.get(value) ?? value;
}
const spellState = makeSpeller(states);
const spellPrivacy = makeSpeller(privacies);
const spellTargetType = makeSpeller(targetTypes);
const spellPlatform = makeSpeller(platforms);

const enumSchema = (values: Readonly<Record<string, unknown>>): JsonSchema =>
  describeChoice(new Map(Object.entries(values)), {});
const named = { id: integerType, name: textType };
const pairs = (key: JsonSchema): JsonSchema => list(object({ key, value: textType }));
const { plain, cell, part, optional } = describeFields<LinkRowFragment, LinkFieldsFragment>(schema, 'Link');

const fields = {
  id: cell(integerType, ({ id }) => Number(id)),
  url: plain('url'),
  alias: plain('alias'),
  short_url: plain('shortUrl'),
  title: plain('title'),
  domain_id: cell(integerType, ({ domain }) => Number(domain.id)),
  domain: part(object(named), ({ domain: { id, name } }) => ({ id: Number(id), name })),
  space_id: cell(orNull(integerType), ({ space }) => space && Number(space.id)),
  space: part(
    orNull(object({ ...named, color: integerType })),
    ({ space }) => space && { id: Number(space.id), name: space.name, color: space.color },
  ),
  pixel_ids: part(list(integerType), ({ pixels }) => pixels.map(({ id }) => Number(id))),
  pixels: part(list(object({ ...named, type: textType, value: textType })), ({ pixels }) =>
    pixels.map(({ id, name, type, value }) => ({
      id: Number(id),
      name,
      type: type.toLowerCase().replaceAll('_', '-'),
      value,
    })),
  ),
  tag_ids: part(list(integerType), ({ tags }) => tags.map(({ id }) => Number(id))),
  tags: part(list(object(named)), ({ tags }) => tags.map(({ id, name }) => ({ id: Number(id), name }))),
  has_password: plain('hasPassword'),
  disabled: cell({ type: 'integer', enum: [0, 1] }, ({ disabled }) => Number(disabled)),
  forward_query: part({ type: 'integer', enum: [0, 1] }, ({ forwardsQuery }) => Number(forwardsQuery)),
  privacy: cell(enumSchema(privacies), ({ privacy }) => Number(spellPrivacy(privacy))),
  has_privacy_password: plain('hasPrivacyPassword'),
  expiration_url: cell(orNull(textType), ({ expiration }) => expiration.url),
  expiration_date: cell(
    orNull({ type: 'string', format: 'date' }),
    ({ expiration }) => expiration.at?.slice(0, 10) ?? null,
  ),
  expiration_time: cell(orNull(textType), ({ expiration }) => expiration.at?.slice(11, 16) ?? null),
  expiration_clicks: cell(orNull(integerType), ({ expiration }) => expiration.clicks),
  ends_at: cell(
    orNull({ ...timestamp, description: 'expiration_date and expiration_time as one time, in UTC.' }),
    ({ expiration }) => expiration.at,
  ),
  target_type: cell(enumSchema(targetTypes), ({ targeting }) => Number(spellTargetType(targeting.type))),
  country: part(pairs(textType), ({ targeting }) =>
    targeting.countries.map(({ country, url }) => ({ key: country, value: url })),
  ),
  platform: part(pairs(enumSchema(platforms)), ({ targeting }) =>
    targeting.platforms.map(({ platform, url }) => ({ key: spellPlatform(platform), value: url })),
  ),
  language: part(pairs(textType), ({ targeting }) =>
    targeting.languages.map(({ language, url }) => ({ key: language, value: url })),
  ),
  rotation: part(list(object({ value: textType })), ({ targeting }) =>
    targeting.rotation.map((url) => ({ value: url })),
  ),
  clicks: plain('clicks'),
  last_clicked_at: plain('lastClickedAt'),
  state: cell({ ...enumSchema(states), description: '1 active, 2 expired, 3 disabled.' }, ({ status }) =>
    Number(spellState(status)),
  ),
  created_at: plain('createdAt'),
  updated_at: plain('updatedAt'),
  // Columns of CSV are read by their place, too: new ones come last.
  notes: plain('notes'),
  starts_at: cell(
    orNull({ ...timestamp, description: 'When the link begins, in UTC.' }),
    ({ startsAt }) => startsAt,
  ),
  archived: cell({ type: 'integer', enum: [0, 1] }, ({ archived }) => Number(archived)),
  redirect_status: cell({ type: 'integer', enum: redirectStatuses }, ({ redirectStatus }) => redirectStatus),
  // The specification lists the fields of a link. A client that sets this one gets it, too.
  external_id: optional('externalId'),
};

export const linkAnswer = recordAnswer<LinkRowFragment, LinkFieldsFragment>(fields);

type FileRow = LinkRowFragment & { readonly tags: readonly { readonly name: string }[] };

const file = describeFields<FileRow>(schema, 'Link');
/** A time in UTC as spreadsheets know it. */
const timeCell = (at: (row: FileRow) => string | null) =>
  file.cell(textType, (row) => at(row)?.slice(0, 16).replace('T', ' ') ?? null);

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
  Notes: file.plain('notes'),
  Space: file.cell(textType, ({ space }) => space?.name ?? null),
  Tags: file.cell(textType, ({ tags }) => tags.map(({ name }) => name).join(', ')),
  Status: file.cell(textType, ({ status }) => statusWords[status]),
  Clicks: file.plain('clicks'),
  'Last clicked at': timeCell(({ lastClickedAt }) => lastClickedAt),
  'Created at': timeCell(({ createdAt }) => createdAt),
  'Updated at': timeCell(({ updatedAt }) => updatedAt),
  'Expires at': timeCell(({ expiration }) => expiration.at),
  'Expiration clicks': file.cell(textType, ({ expiration }) => expiration.clicks),
  'Expiration URL': file.cell(textType, ({ expiration }) => expiration.url),
  'Starts at': timeCell(({ startsAt }) => startsAt),
  Archived: file.cell(textType, ({ archived }) => (archived ? 'yes' : 'no')),
  'Redirect status': file.plain('redirectStatus'),
  Privacy: file.cell(textType, ({ privacy }) => privacyWords[privacy]),
  'Has password': file.cell(textType, ({ hasPassword }) => (hasPassword ? 'yes' : 'no')),
  Destinations: file.cell(textType, ({ targeting }) => destinations[targeting.type]),
}).csv(RestLinkFileDocument, ({ links }) => links);
