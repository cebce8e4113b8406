import { useLocation, useSearch } from 'wouter';
import { localToday, months } from '../../controls/days.ts';
import type {
  ArchivedFilter,
  Direction,
  LinkFilter,
  LinkOrder,
  LinkOrderField,
  LinkRowFragment,
  LinkSearchField,
  LinkStatus,
} from '../../generated/documents.ts';
import { trimPasted } from '../../words/format.ts';
import { monthOf } from '../statistics/period.ts';

/** The ways tags of a filter count: links have one of them, all of them, or none. */
export const tagModes = ['any', 'all', 'none'] as const;
export type TagMode = (typeof tagModes)[number];

/** The state of the list of links; all of it is in the URL. */
export interface LinksState {
  readonly search: string;
  readonly searchBy: (typeof searchPlaces)[number];
  readonly status: LinkStatus | '';
  /** Empty for links that are not archived; of a search, for all. */
  readonly archived: (typeof archives)[number] | '';
  /** The id of a space; `none` for links without one. */
  readonly space: string;
  readonly domain: string;
  readonly pixel: string;
  /** The ids of tags. */
  readonly tags: readonly string[];
  readonly tagMode: TagMode;
  /** The days of creation, both included; or times, the last one excluded; or months by their names. */
  readonly since: string;
  readonly until: string;
  readonly order: LinkOrderField;
  readonly direction: Direction;
  /** The cursor before the page, or behind it. */
  readonly after: string;
  readonly before: string;
}

/** Titles are searched with everything else: alone, their accents would matter. */
export const searchPlaces = ['ANYWHERE', 'ALIAS', 'URL'] as const satisfies readonly LinkSearchField[];
/** The choices which archived links a list has. */
export const archives = ['ONLY', 'WITH'] as const satisfies readonly ArchivedFilter[];
const statuses: readonly LinkStatus[] = ['ACTIVE', 'DISABLED', 'EXPIRED'];
export const orderFields: readonly LinkOrderField[] = ['ID', 'CLICKS', 'TITLE', 'ALIAS', 'URL', 'UPDATED_AT'];

/** The direction in which people expect an order to begin. */
export const usualDirection = (order: LinkOrderField): Direction =>
  ['TITLE', 'ALIAS', 'URL'].includes(order) ? 'ASC' : 'DESC';

const findChoice = <Value extends string>(values: readonly Value[], text: string | null): Value | undefined =>
  values.find((one) => one.toUpperCase() === text?.toUpperCase());

/** The first or last day of a month that moves on with the calendar; a fixed day or time is itself. */
export function dayNow(text: string, end: 'from' | 'to'): string {
  const month = months.find((one) => one === text);
  return month ? monthOf(month, Date.parse(localToday()))[end] : text;
}

/** The local time at which a day begins, or so many days later; a time in UTC is itself. Null for an invalid day. */
function dayAt(text: string, later = 0): string | null {
  const day = dayNow(text, later ? 'to' : 'from');
  const isTime = day.endsWith('Z');
  const at = new Date(isTime ? day : `${day}T00:00`);
  if (!isTime) at.setDate(at.getDate() + later);
  return /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(day) && at.getTime() > 0 ? at.toISOString() : null;
}

/** Reads the state from a query string; invalid values count as absent. */
export function parseState(query: string): LinksState {
  const params = new URLSearchParams(query);
  const text = (name: string) => params.get(name) ?? '';
  const day = (name: string) => (dayAt(text(name)) === null ? '' : text(name));
  const order = findChoice(orderFields, params.get('order')) ?? 'ID';
  return {
    search: text('search'),
    searchBy: findChoice(searchPlaces, params.get('in')) ?? 'ANYWHERE',
    status: findChoice(statuses, params.get('status')) ?? '',
    archived: findChoice(archives, params.get('archived')) ?? '',
    space: text('space'),
    domain: text('domain'),
    pixel: text('pixel'),
    tags: [...new Set(text('tags').match(/\d+/g))],
    tagMode: findChoice(tagModes, params.get('tagged')) ?? 'any',
    since: day('since'),
    until: day('until'),
    order,
    direction: findChoice(['ASC', 'DESC'] as const, params.get('direction')) ?? usualDirection(order),
    after: text('after'),
    before: text('before'),
  };
}

/** The query string of a state, with its question mark; empty for the usual one. */
export function toQuery(state: LinksState): string {
  const params = new URLSearchParams();
  const put = (name: string, value: string) => value !== '' && params.set(name, value);
  put('search', state.search);
  if (state.search !== '' && state.searchBy !== 'ANYWHERE') put('in', state.searchBy.toLowerCase());
  put('status', state.status.toLowerCase());
  put('archived', state.archived.toLowerCase());
  put('space', state.space);
  put('domain', state.domain);
  put('pixel', state.pixel);
  put('tags', state.tags.join());
  if (state.tags.length > 0 && state.tagMode !== 'any') put('tagged', state.tagMode);
  put('since', state.since);
  put('until', state.until);
  if (state.order !== 'ID') put('order', state.order.toLowerCase());
  if (state.direction !== usualDirection(state.order)) put('direction', state.direction.toLowerCase());
  put('after', state.after);
  put('before', state.before);
  const query = params.toString();
  return query === '' ? '' : `?${query}`;
}

export const looksAnywhere = ({ search, searchBy }: LinksState): boolean =>
  search.trim() !== '' && searchBy === 'ANYWHERE';

/** A short URL, with or without its scheme, or only its path; anything behind the alias is ignored, such as a plus or a query. */
const shortUrl =
  /^(?:https?:\/\/)?([^\s/?#]+\/|\/)((?:[\p{L}\p{M}\p{N}\p{So}\p{Sk}\w.%/-]|\u200d)*?)\/?\+?(?:[?#].*)?$/iu;

/** The alias of a short URL as the service keeps it. */
function decoded(alias: string): string {
  try {
    return decodeURIComponent(alias)
      .replaceAll(/[\ufe0e\ufe0f]/g, '')
      .normalize('NFC');
  } catch {
    return alias;
  }
}

/** The host and the alias of a short URL, which may be half typed; the host of a path alone is empty. Null for other texts. */
export function parseShortUrl(search: string): { readonly host: string; readonly alias: string } | null {
  const [, host, alias = ''] = shortUrl.exec(trimPasted(search)) ?? [];
  return host === undefined ? null : { host: host.slice(0, -1).toLowerCase(), alias: decoded(alias) };
}

/** The most words of a search anywhere. */
const MAX_WORDS = 8;

/** Returns the filter of a search. On a host of the account it is an alias: no text of a link contains host and alias. */
function toSearchFilter({ search, searchBy, domain }: LinksState, domains: readonly Named[]): LinkFilter {
  const text = trimPasted(search);
  if (text === '') return {};
  const short = parseShortUrl(text);
  if (searchBy === 'ALIAS') return { search: short?.alias || text, searchBy };
  if (searchBy !== 'ANYWHERE') return { search: text, searchBy };
  const alias = short?.alias ? ({ search: short.alias, searchBy: 'ALIAS' } as const) : {};
  if (short?.host === '' && short.alias) return alias;
  const own = domains.find(({ id, name }) => name.toLowerCase() === short?.host && (domain || id) === id);
  if (own) return { ...alias, domainId: own.id };
  return { search: text.split(/\s+/).slice(0, MAX_WORDS).join(' '), searchBy };
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The alias that is searched: of a short URL, or the whole text if it could be one. */
export function searchedAlias({ search, searchBy }: LinksState): string | null {
  if (searchBy === 'URL') return null;
  const text = trimPasted(search);
  return (
    parseShortUrl(text)?.alias ||
    (/^(?:[\p{L}\p{M}\p{N}\p{So}\p{Sk}\w-]|\u200d)+$/u.test(text) ? decoded(text) : null)
  );
}

/** The most domains on which the short URL of an alias is looked up. */
export const MOST_EXACT = 5;

/** The short URLs with exactly the alias that is searched: on the host that is searched, or on all domains. */
export function searchedShortUrls(state: LinksState, domains: readonly Named[]): string[] {
  const alias = searchedAlias(state);
  if (alias === null || state.after !== '' || state.before !== '') return [];
  const host = parseShortUrl(state.search)?.host;
  const hosts = host
    ? [host]
    : domains.filter(({ id }) => (state.domain || id) === id).map(({ name }) => name);
  return hosts.slice(0, MOST_EXACT).map((one) => `${one}/${alias}`);
}

type Conditioned = Pick<LinkRowFragment, 'alias' | 'status' | 'space' | 'tags' | 'createdAt'> & {
  readonly domain: { readonly id: string };
  readonly archived?: boolean;
};

/** True if a link meets the conditions besides the search. A row does not have pixels. */
export function meets(link: Conditioned, state: LinksState): boolean {
  const { status, archived, space, domain, pixel, tags, tagMode, since, until } = conditionsIn(state);
  const has = (id: string) => link.tags.some((tag) => tag.id === id);
  return (
    (status === '' || link.status === status) &&
    (archived !== 'ONLY' || link.archived === true) &&
    (space === '' || (space === 'none' ? link.space === null : link.space?.id === space)) &&
    (domain === '' || link.domain.id === domain) &&
    pixel === '' &&
    (tags.length === 0 || { any: tags.some(has), all: tags.every(has), none: !tags.some(has) }[tagMode]) &&
    (since === null || Date.parse(link.createdAt) >= Date.parse(since)) &&
    (until === null || Date.parse(link.createdAt) < Date.parse(until))
  );
}

/** The conditions, with their days as times; null if there is none. */
const conditionsIn = (state: LinksState) => ({
  ...state,
  since: dayAt(state.since),
  until: dayAt(state.until, 1),
});

/** Puts the links whose alias is searched first: those that were looked up, and those of the page, whatever their case. */
export function aliasFirst<Row extends Conditioned & { readonly id: string }>(
  nodes: readonly Row[],
  exact: readonly Row[],
  state: LinksState,
): Row[] {
  const alias = searchedAlias(state)?.toLowerCase();
  if (alias === undefined || state.after !== '' || state.before !== '') return [...nodes];
  const found = exact.filter((link) => link.alias.toLowerCase() === alias && meets(link, state));
  const rest = nodes.filter(({ id }) => !found.some((link) => link.id === id));
  const isAlias = (link: Row) => link.alias.toLowerCase() === alias;
  return [...found, ...rest.filter(isAlias), ...rest.filter((link) => !isAlias(link))];
}

/** The conditions besides the search. */
const toConditions = (state: LinksState): LinkFilter => ({
  ...(state.status !== '' && { status: state.status }),
  ...(state.archived !== '' && { archived: state.archived }),
  ...(state.space === 'none' ? { withoutSpace: true } : state.space !== '' && { spaceId: state.space }),
  ...(state.domain !== '' && { domainId: state.domain }),
  ...(state.pixel !== '' && { pixelId: state.pixel }),
  ...(state.tags.length > 0 && { tags: { [state.tagMode]: [...state.tags] } }),
  ...(state.since !== '' && { createdFrom: dayAt(state.since) }),
  ...(state.until !== '' && { createdUntil: dayAt(state.until, 1) }),
});

/** The filter of a state, in an account with these domains. */
export const toFilter = (state: LinksState, domains: readonly Named[]): LinkFilter => ({
  ...toConditions(state),
  ...toSearchFilter(state, domains),
});

/** The filter for a file, which has archived links unless the filter says otherwise: those of the list. */
export const asShown = (filter: LinkFilter): LinkFilter =>
  filter.search ? filter : { archived: 'WITHOUT', ...filter };

export const toOrder = ({ order, direction }: LinksState): LinkOrder => ({ field: order, direction });

export const hasConditions = (state: LinksState): boolean => Object.keys(toConditions(state)).length > 0;

/** The state that shows all links. */
export const unfiltered = {
  search: '',
  status: '',
  archived: '',
  space: '',
  domain: '',
  pixel: '',
  tags: [],
  since: '',
  until: '',
} as const satisfies Partial<LinksState>;

export const isFiltered = (state: LinksState): boolean => state.search.trim() !== '' || hasConditions(state);

/** The state in the URL, and a function that changes it: any change but one of the page begins at the first page. */
export function useLinksState(): [
  LinksState,
  (patch: Partial<LinksState>, how?: { replace?: boolean }) => void,
] {
  const query = useSearch();
  const [, navigate] = useLocation();
  const state = parseState(query);
  const set = (patch: Partial<LinksState>, { replace = false } = {}) =>
    // Without a path, wouter would keep the old query string.
    navigate(`/links${toQuery({ ...state, after: '', before: '', ...patch })}`, { replace });
  return [state, set];
}
