import { useLocation, useSearch } from 'wouter';
import type {
  Direction,
  LinkFilter,
  LinkOrder,
  LinkOrderField,
  LinkSearchField,
  LinkStatus,
} from '../../generated/documents.ts';
import { trimPasted } from '../../parts/format.ts';

/** Where a search looks: in one field, or in each of them. */
export type SearchPlace = LinkSearchField | 'ANYWHERE';

/** What the list of links shows; all of it stands in the URL. */
export interface LinksState {
  readonly search: string;
  readonly searchBy: SearchPlace;
  readonly status: LinkStatus | '';
  /** The id of a space; `none` for links without one. */
  readonly space: string;
  readonly domain: string;
  readonly pixel: string;
  readonly order: LinkOrderField;
  readonly direction: Direction;
  /** The cursor before the page, or behind it. */
  readonly after: string;
  readonly before: string;
}

export const searchPlaces: readonly SearchPlace[] = ['ANYWHERE', 'TITLE', 'ALIAS', 'URL'];
const statuses: readonly LinkStatus[] = ['ACTIVE', 'DISABLED', 'EXPIRED'];
export const orderFields: readonly LinkOrderField[] = ['ID', 'CLICKS', 'TITLE', 'ALIAS', 'URL', 'UPDATED_AT'];

/** The direction in which people expect an order to begin. */
export const usualDirection = (order: LinkOrderField): Direction =>
  ['TITLE', 'ALIAS', 'URL'].includes(order) ? 'ASC' : 'DESC';

const oneOf = <Value extends string>(values: readonly Value[], text: string | null): Value | undefined =>
  values.find((one) => one === text?.toUpperCase());

/** Reads the state from a query string; what is not valid there counts as absent. */
export function stateOf(query: string): LinksState {
  const params = new URLSearchParams(query);
  const text = (name: string) => params.get(name) ?? '';
  const order = oneOf(orderFields, params.get('order')) ?? 'ID';
  return {
    search: text('search'),
    searchBy: oneOf(searchPlaces, params.get('in')) ?? 'ANYWHERE',
    status: oneOf(statuses, params.get('status')) ?? '',
    space: text('space'),
    domain: text('domain'),
    pixel: text('pixel'),
    order,
    direction: oneOf(['ASC', 'DESC'] as const, params.get('direction')) ?? usualDirection(order),
    after: text('after'),
    before: text('before'),
  };
}

/** The query string of a state, with its question mark; empty for the usual one. */
export function queryOf(state: LinksState): string {
  const params = new URLSearchParams();
  const put = (name: string, value: string) => value !== '' && params.set(name, value);
  put('search', state.search);
  if (state.search !== '' && state.searchBy !== 'ANYWHERE') put('in', state.searchBy.toLowerCase());
  put('status', state.status.toLowerCase());
  put('space', state.space);
  put('domain', state.domain);
  put('pixel', state.pixel);
  if (state.order !== 'ID') put('order', state.order.toLowerCase());
  if (state.direction !== usualDirection(state.order)) put('direction', state.direction.toLowerCase());
  put('after', state.after);
  put('before', state.before);
  const query = params.toString();
  return query === '' ? '' : `?${query}`;
}

/** Whether the search looks in every field, which is three lists. */
export const looksAnywhere = ({ search, searchBy }: LinksState): boolean =>
  search.trim() !== '' && searchBy === 'ANYWHERE';

/** A short URL, with or without its scheme, or only its path; what follows its alias does not matter, as a plus or a query. */
const shortUrl = /^((?:https?:\/\/)?[^\s/?#]+\/|\/)?([\w-]+)\/?\+?(?:[?#].*)?$/i;

/** What a search text may mean: a short URL with its host, and an alias. */
export function meaningOf(search: string): { readonly shortUrl: string | null; readonly alias: string } {
  const text = trimPasted(search);
  const [, host = '/', alias = text] = shortUrl.exec(text) ?? [];
  return { shortUrl: host === '/' ? null : `${host}${alias}`, alias };
}

/** The filter of a state; a search that looks anywhere needs one for each field. */
export function filterOf(state: LinksState, field = state.searchBy): LinkFilter {
  const { search } = state;
  return {
    ...(search.trim() !== '' &&
      field !== 'ANYWHERE' && {
        search: field === 'ALIAS' ? meaningOf(search).alias : search.trim(),
        searchBy: field,
      }),
    ...(state.status !== '' && { status: state.status }),
    ...(state.space === 'none' ? { withoutSpace: true } : state.space !== '' && { spaceId: state.space }),
    ...(state.domain !== '' && { domainId: state.domain }),
    ...(state.pixel !== '' && { pixelId: state.pixel }),
  };
}

const statusNumbers: Readonly<Record<LinkStatus, string>> = { ACTIVE: '1', EXPIRED: '2', DISABLED: '3' };

/** What to download for the links of a state that looks in one field. */
export function fileOf(state: LinksState): { readonly kind: 'links' } & Readonly<Record<string, string>> {
  const { search, searchBy } = filterOf(state);
  const all = {
    ...{ search: search ?? '', search_by: search ? (searchBy ?? '').toLowerCase() : '' },
    status: state.status && statusNumbers[state.status],
    space_id: state.space === 'none' ? '0' : state.space,
    ...{ domain_id: state.domain, pixel_id: state.pixel },
    // v1 has no order by the time of changes.
    ...(state.order !== 'UPDATED_AT' && {
      ...{ sort_by: state.order.toLowerCase(), sort: state.direction.toLowerCase() },
    }),
  };
  return { kind: 'links', ...Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')) };
}

export const orderOf = ({ order, direction }: LinksState): LinkOrder => ({ field: order, direction });

export const isFiltered = (state: LinksState): boolean =>
  looksAnywhere(state) || Object.keys(filterOf(state)).length > 0;

/** The state in the URL, and a function that changes it: any change but one of the page begins at the first page. */
export function useLinksState(): [
  LinksState,
  (patch: Partial<LinksState>, how?: { replace?: boolean }) => void,
] {
  const query = useSearch();
  const [, navigate] = useLocation();
  const state = stateOf(query);
  const set = (patch: Partial<LinksState>, { replace = false } = {}) =>
    // Without a path of its own, wouter would keep the old query string.
    navigate(`/${queryOf({ ...state, after: '', before: '', ...patch })}`, { replace });
  return [state, set];
}
