import { type Reading, useRead } from '../../data/read.ts';
import {
  ChoicesDocument,
  type LinkFilter,
  type LinkRowFragment,
  LinksDocument,
  type LinksQuery,
  LinksTotalDocument,
} from '../../generated/documents.ts';
import {
  aliasFirst,
  type LinksState,
  looksAnywhere,
  parseShortUrl,
  searchedAlias,
  searchedShortUrls,
  toFilter,
  toOrder,
} from './links-state.ts';

const PAGE = 50;

type LinkPages = Reading<unknown> & {
  readonly nodes: readonly LinkRowFragment[] | undefined;
  /** The link whose alias or short URL is searched, if it is the only one. */
  readonly exact: LinkRowFragment | undefined;
  readonly pageInfo: LinksQuery['links']['pageInfo'] | undefined;
  /** The clicks of the last days of the page's links, by their ids. */
  readonly sparklines: ReadonlyMap<string, readonly number[]>;
  readonly filter: LinkFilter;
  /** True if only titles are searched, since the service cannot search everything yet. */
  readonly isOnlyTitles: boolean;
};

/** A page of the links of a state. Those with the alias or short URL that is searched come first. */
export function useLinks(state: LinksState, size = PAGE): LinkPages {
  const { after, before } = state;
  const choices = useRead(ChoicesDocument, {}, { on: ['DOMAIN'] });
  const domains = choices.data?.domains.nodes ?? [];
  const on = ['LINK', 'SPACE', 'TAG'] as const;
  const range = before === '' ? { first: size, ...(after !== '' && { after }) } : { last: size, before };
  const filter = toFilter(state, domains);
  const titles = { ...filter, searchBy: 'TITLE' } as const;
  const [url1 = '', url2 = '', url3 = '', url4 = '', url5 = ''] = searchedShortUrls(state, domains);
  const variables = {
    ...{ ...range, orderBy: toOrder(state), url1, url2, url3, url4, url5 },
    ...{ has1: url1 !== '', has2: url2 !== '', has3: url3 !== '', has4: url4 !== '', has5: url5 !== '' },
  };
  // The domains are needed first: they tell where an alias may be, and if a text begins with one of their hosts.
  const isAlias =
    searchedAlias(state) !== null || (looksAnywhere(state) && parseShortUrl(state.search) !== null);
  const pause = isAlias && choices.data === undefined && choices.fault === null;
  const page = useRead(LinksDocument, { ...variables, filter }, { on, pause });
  const isOnlyTitles = filter.searchBy === 'ANYWHERE' && page.fault?.code === 'UNAVAILABLE';
  const byTitle = useRead(LinksDocument, { ...variables, filter: titles }, { on, pause: !isOnlyTitles });
  const shown = isOnlyTitles ? byTitle : page;
  const { exact1, exact2, exact3, exact4, exact5, links } = shown.data ?? {};
  const lookedUp = [exact1, exact2, exact3, exact4, exact5].filter((one) => one != null);
  const exact = aliasFirst([], lookedUp, state);
  return {
    ...shown,
    nodes: links && aliasFirst(links.nodes, lookedUp, state),
    exact: exact.length === 1 ? exact[0] : undefined,
    pageInfo: shown.data?.links.pageInfo,
    sparklines: new Map(links?.nodes.map(({ id, sparkline }) => [id, sparkline])),
    filter: isOnlyTitles ? titles : filter,
    isLoading: shown.isLoading || pause,
    isOnlyTitles,
  };
}

/** The number of results at which the service stops to count. */
const MAX_COUNTED = 1_000;

/** The number of links of a filter, or null until it is known; `isCut` if there may be more. */
export function useTotal(filter: LinkFilter): {
  readonly total: number | null;
  readonly isCut: boolean;
  /** True while the number is still that of another filter. */
  readonly isLoading: boolean;
} {
  const { data, isLoading } = useRead(LinksTotalDocument, { filter }, { on: ['LINK'] });
  const total = data?.links.totalCount ?? null;
  return { total, isCut: filter.search != null && total === MAX_COUNTED, isLoading };
}
