import { type Reading, useRead } from '../../data/read.ts';
import {
  type LinkOrder,
  type LinkOrderField,
  type LinkRowFragment,
  LinksAnywhereDocument,
  LinksDocument,
  type LinksQuery,
} from '../../generated/documents.ts';
import { withoutScheme } from '../../parts/format.ts';
import { filterOf, type LinksState, looksAnywhere, meaningOf, orderOf } from './links-state.ts';

const PAGE = 50;

type LinkPages = Reading<unknown> & {
  readonly nodes: readonly LinkRowFragment[] | undefined;
  /** The link whose short URL is searched. */
  readonly exact: LinkRowFragment | undefined;
  readonly pageInfo: LinksQuery['links']['pageInfo'] | undefined;
  /** Whether there are more links than can be shown. */
  readonly isCut: boolean;
};

const keys: Readonly<Record<LinkOrderField, (link: LinkRowFragment) => string | number | undefined>> = {
  ID: ({ id }) => Number(id),
  CLICKS: ({ clicks }) => clicks,
  TITLE: ({ title }) => title?.toLowerCase(),
  ALIAS: ({ alias }) => alias.toLowerCase(),
  URL: ({ url }) => url.toLowerCase(),
  UPDATED_AT: ({ updatedAt }) => updatedAt,
};

/** Compares links as the API orders them. */
function comparing({
  field,
  direction,
}: LinkOrder): (one: LinkRowFragment, other: LinkRowFragment) => number {
  const sign = direction === 'ASC' ? 1 : -1;
  const keyOf = keys[field ?? 'ID'];
  return (one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    if (a === b) return sign * (Number(one.id) - Number(other.id));
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
    return a < b ? -sign : sign;
  };
}

/** The links of a state: a page of a list, or what a search finds in each field, of which the link with that short URL is first. */
export function useLinks(state: LinksState): LinkPages {
  const { after, before } = state;
  const anywhere = looksAnywhere(state);
  const on = ['LINK', 'SPACE'] as const;
  const orderBy = orderOf(state);
  const range = before === '' ? { first: PAGE, ...(after !== '' && { after }) } : { last: PAGE, before };
  const page = useRead(
    LinksDocument,
    { ...range, filter: filterOf(state), orderBy },
    { on, pause: anywhere },
  );
  const { shortUrl } = meaningOf(state.search);
  // A link that the filters exclude is not shown.
  const hasHost = shortUrl !== null && Object.keys(filterOf(state, 'ANYWHERE')).length === 0;
  const variables = {
    title: filterOf(state, 'TITLE'),
    alias: filterOf(state, 'ALIAS'),
    url: filterOf(state, 'URL'),
    ...{ shortUrl: shortUrl ?? '', hasHost, orderBy },
  };
  const found = useRead(LinksAnywhereDocument, variables, { on, pause: !anywhere });
  if (!anywhere)
    return {
      ...page,
      nodes: page.data?.links.nodes,
      exact: undefined,
      pageInfo: page.data?.links.pageInfo,
      isCut: false,
    };
  const lists = found.data ? [found.data.aliases, found.data.titles, found.data.urls] : undefined;
  // An alias alone is not meant by a text with a host.
  const host = shortUrl === null ? '' : withoutScheme(shortUrl).toLowerCase();
  const isMeant = (link: LinkRowFragment) => withoutScheme(link.shortUrl).toLowerCase().includes(host);
  const aliases = found.data?.aliases.nodes.filter(isMeant) ?? [];
  const exact = found.data?.exact ?? undefined;
  const all =
    found.data && [...aliases, ...found.data.titles.nodes, ...found.data.urls.nodes].sort(comparing(orderBy));
  const byId = new Map([...(exact ? [exact] : []), ...(all ?? [])].map((link) => [link.id, link]));
  return {
    ...found,
    // What was there before stays until there is something.
    nodes: all ? [...byId.values()] : page.data?.links.nodes,
    exact,
    pageInfo: undefined,
    isCut: lists?.some(({ pageInfo }) => pageInfo.hasNextPage) ?? false,
  };
}
