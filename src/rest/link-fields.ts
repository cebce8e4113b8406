import { z } from 'zod';
import { MIDNIGHT, redirectStatuses } from '../domain/link/fields.ts';
import {
  choice,
  type Field,
  type Fields,
  flag,
  integerField,
  listMeanings,
  recordId,
  scalar,
  textField,
} from '../engine/rest/form/field.ts';
import { entries, idList } from '../engine/rest/form/field-list.ts';
import { platforms, privacies, states, targetTypes } from './link-answer.ts';

/** A time of day, as HH:MM: seconds would be stored, but never shown. */
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

const DATE = z.iso.date();

/** The date, combined with `expiration_time`, in UTC. */
const expirationDate: Field = {
  path: ['expiration', 'at'],
  about:
    'The date on which the link expires, YYYY-MM-DD in UTC. It goes together with `expiration_time`, in updates too: ' +
    'a date alone means 00:00. Cleared, it clears the time too.',
  describe: () => ({ type: 'string', format: 'date' }),
  decode(value, context) {
    const day = scalar(value, context);
    if (day === undefined) return undefined;
    if (!DATE.safeParse(day).success) context.refuse('must be a real date, as YYYY-MM-DD');
    const time = context.sent.get('expiration_time');
    const known = typeof time === 'string' && TIME.test(time);
    return DATE.safeParse(day).success ? `${day}T${known ? time : '00:00'}Z` : undefined;
  },
};

/** Used by `expiration_date`, whose empty value clears both. Cleared alone, it is midnight of the stored date. */
const expirationTime: Field = {
  path: [],
  about:
    'The time on that date, HH:MM in UTC. It goes together with `expiration_date`, in updates too: a time alone is ' +
    'refused. Cleared alone, it becomes 00:00.',
  decodesEmpty: true,
  describe: () => ({ type: 'string', pattern: TIME.source }),
  decode(value, context) {
    const { sent, emptyClears, refuse, assign } = context;
    const time = scalar(value, context);
    if (time === undefined) return;
    const date = sent.get('expiration_date');
    if (time === '') {
      if (date === undefined) assign('expiration.at', MIDNIGHT);
      return;
    }
    if (!TIME.test(time)) refuse('must be a time of day, as HH:MM, from 00:00 to 23:59');
    else if (date === undefined || (date === '' && !emptyClears)) refuse('needs expiration_date as well');
  },
};

const fields = {
  url: { ...textField('url'), example: 'https://example.com/summer' },
  alias: { ...textField('alias'), example: 'summer-sale' },
  title: { ...textField('title'), example: 'Summer sale' },
  notes: textField('notes'),
  external_id: { ...textField('externalId'), example: 'product-4711' },
  password: textField('password'),
  space_id: recordId('spaceId'),
  pixel_ids: {
    ...idList('pixelIds'),
    about:
      'The ids of the pixels that the link fires, at most 50; replaces all of them. In a form: ' +
      '`pixel_ids[]=1&pixel_ids[]=2` or `pixel_ids=1,2`.' +
      ' Of a name without brackets that is repeated, only the last value counts.',
  },
  tag_ids: {
    ...idList('tagIds'),
    about:
      'The ids of the tags of the link, at most 50; replaces all of them. It is written as `pixel_ids` is.',
  },
  disabled: {
    ...flag('disabled'),
    about: 'Whether the link is disabled: 0 no, 1 yes; `false` and `true` work too.',
  },
  forward_query: {
    ...flag('forwardsQuery'),
    about: 'Whether the query of a visit goes on to the destination: 0 no, 1 yes.',
  },
  privacy: {
    ...choice('privacy', privacies),
    about: `Who may see the statistics: ${listMeanings(privacies)}.`,
  },
  privacy_password: {
    ...textField('privacyPassword'),
    about: 'The password for the statistics, 1 to 128 characters; required if privacy is 2.',
  },
  starts_at: {
    ...textField('startsAt'),
    about:
      'When the link begins, in ISO 8601 with an offset from UTC: until then, it does not exist for visitors. ' +
      'It must begin before it expires. A time without seconds does not change a stored time within that minute.',
    describe: () => ({ type: 'string', format: 'date-time' }),
  } satisfies Field,
  archived: {
    ...flag('archived'),
    about: 'Whether the link is archived: 0 no, 1 yes. Visitors see no difference.',
  },
  redirect_status: {
    ...choice('redirectStatus', Object.fromEntries(redirectStatuses.map((status) => [status, status]))),
    about: 'The HTTP status of the redirect to the destination. After a password it is always 303.',
  },
  expiration_url: textField('expiration.url'),
  expiration_date: expirationDate,
  expiration_time: expirationTime,
  expiration_clicks: integerField('expiration.clicks'),
  target_type: {
    ...choice('targeting.type', targetTypes),
    decodesEmpty: false,
    about: `How the link chooses a target: ${listMeanings(targetTypes)}; 0 if absent from a new link.`,
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

/** The id of a domain, or a domain in the form of an answer, so that clients can send answers back. */
const domain: Field = {
  ...domainId,
  decode: (value, context) => scalar(value instanceof Map ? value.get('id') || value : value, context),
};

// If both are sent, the second one counts.
export const createFields = { ...fields, domain, domain_id: domainId };

/** In an update, for clients that send back whole answers; only the link's own domain is accepted. */
const hidden = { describe: () => null };
export const updateFields = {
  ...fields,
  domain: { ...domain, ...hidden },
  domain_id: { ...domainId, ...hidden },
};

export const listFields = {
  search: textField('filter.search'),
  search_by: {
    ...choice('filter.searchBy', { title: 'TITLE', alias: 'ALIAS', url: 'URL' }),
    about: 'The field that is searched.',
  },
  status: {
    ...choice('filter.status', { 0: undefined, ...states }),
    about: `Only links in this state: 0 all, ${listMeanings(states)}.`,
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
  tag_id: {
    ...recordId('filter.tags.all'),
    about: 'Only links with this tag.',
    decode: (value, context) => [scalar(value, context) ?? ''],
    nameBelow: () => [],
  } satisfies Field,
  sort_by: choice('orderBy.field', {
    id: 'ID',
    clicks: 'CLICKS',
    title: 'TITLE',
    alias: 'ALIAS',
    url: 'URL',
  }),
  sort: choice('orderBy.direction', { desc: 'DESC', asc: 'ASC' }),
  per_page: integerField('perPage'),
  page: integerField('page'),
};
