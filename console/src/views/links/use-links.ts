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
  filterOf,
  hasConditions,
  type LinksState,
  looksAnywhere,
  orderOf,
  shortUrlOf,
} from './links-state.ts';

const PAGE = 50;

type LinkPages = Reading<unknown> & {
  readonly nodes: readonly LinkRowFragment[] | undefined;
  /** The link whose short URL is searched. */
  readonly exact: LinkRowFragment | undefined;
  readonly pageInfo: LinksQuery['links']['pageInfo'] | undefined;
  readonly filter: LinkFilter;
  /** Whether only titles are searched, since the service cannot search everything yet. */
  readonly isOnlyTitles: boolean;
};

/** A page of the links of a state. The link with the short URL that is searched is the first one. */
export function useLinks(state: LinksState): LinkPages {
  const { after, before } = state;
  const choices = useRead(ChoicesDocument, {}, { on: ['DOMAIN'] });
  const short = looksAnywhere(state) ? shortUrlOf(state.search) : null;
  const on = ['LINK', 'SPACE', 'TAG'] as const;
  const range = before === '' ? { first: PAGE, ...(after !== '' && { after }) } : { last: PAGE, before };
  const filter = filterOf(state, choices.data?.domains.nodes ?? []);
  const titles = { ...filter, searchBy: 'TITLE' } as const;
  // A link that the filters exclude is not shown.
  const isShort = Boolean(short?.host && short.alias) && !hasConditions(state) && !(after || before);
  const shortUrl = `${short?.host}/${short?.alias}`;
  const variables = { ...range, orderBy: orderOf(state), isShort, shortUrl };
  // Whether a text has a host of the account is not known before.
  const pause = short !== null && choices.data === undefined && choices.fault === null;
  const page = useRead(LinksDocument, { ...variables, filter }, { on, pause });
  const isOnlyTitles = filter.searchBy === 'ANYWHERE' && page.fault?.code === 'UNAVAILABLE';
  const byTitle = useRead(LinksDocument, { ...variables, filter: titles }, { on, pause: !isOnlyTitles });
  const shown = isOnlyTitles ? byTitle : page;
  const exact = shown.data?.exact ?? undefined;
  const nodes = shown.data?.links.nodes;
  return {
    ...shown,
    nodes: exact && nodes ? [exact, ...nodes.filter(({ id }) => id !== exact.id)] : nodes,
    exact,
    pageInfo: shown.data?.links.pageInfo,
    filter: isOnlyTitles ? titles : filter,
    isLoading: shown.isLoading || pause,
    isOnlyTitles,
  };
}

/** At how many links the service stops to count those that a search finds. */
const MAX_COUNTED = 1_000;

/** How many links a filter has, if that is known; `isCut` if there may be more. */
export function useTotal(filter: LinkFilter): {
  readonly total: number | null;
  readonly isCut: boolean;
  /** Whether the number is that of another filter yet. */
  readonly isLoading: boolean;
} {
  const { data, isLoading } = useRead(LinksTotalDocument, { filter }, { on: ['LINK'] });
  const total = data?.links.totalCount ?? null;
  return { total, isCut: filter.search != null && total === MAX_COUNTED, isLoading };
}
