import { type ReactElement, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { aboutToGo } from '../../data/actions.ts';
import { type Reading, useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import {
  type LinkRowFragment,
  LinksAnywhereDocument,
  LinksDocument,
  type LinksQuery,
} from '../../generated/documents.ts';
import { Empty, FaultNotice, Skeleton } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { BulkBar } from './bulk-bar.tsx';
import { LinkRow } from './link-row.tsx';
import { filterOf, isFiltered, type LinksState, looksAnywhere, orderOf, queryOf } from './links-state.ts';
import { useSelection } from './selection.ts';

const PAGE = 50;

type LinkPages = Reading<unknown> & {
  readonly nodes: readonly LinkRowFragment[] | undefined;
  readonly pageInfo: LinksQuery['links']['pageInfo'] | undefined;
  /** Whether there are more links than can be shown. */
  readonly isCut: boolean;
};

/** The links of a state: a page of a list, or what a search finds in each field. */
function useLinks(state: LinksState): LinkPages {
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
  const filters = {
    title: filterOf(state, 'TITLE'),
    alias: filterOf(state, 'ALIAS'),
    url: filterOf(state, 'URL'),
  };
  const found = useRead(LinksAnywhereDocument, { ...filters, orderBy }, { on, pause: !anywhere });
  if (!anywhere)
    return { ...page, nodes: page.data?.links.nodes, pageInfo: page.data?.links.pageInfo, isCut: false };
  const lists = found.data ? [found.data.aliases, found.data.titles, found.data.urls] : undefined;
  const all = lists?.flatMap(({ nodes }) => nodes).map((link) => [link.id, link] as const);
  return {
    ...found,
    // What was there before stays until there is something.
    nodes: all ? [...new Map(all).values()] : page.data?.links.nodes,
    pageInfo: undefined,
    isCut: lists?.some(({ pageInfo }) => pageInfo.hasNextPage) ?? false,
  };
}

export function LinksPage({
  state,
  set,
}: {
  state: LinksState;
  set: (patch: Partial<LinksState>) => void;
}): ReactElement {
  const { canWrite } = useSession();
  const { nodes, pageInfo, isCut, fault, isLoading, again } = useLinks(state);
  const gone = useSyncExternalStore(aboutToGo.subscribe, aboutToGo.get);
  const links = (nodes ?? []).filter(({ id }) => !gone.has(id));
  const selection = useSelection(links, JSON.stringify([state.search, state.searchBy, filterOf(state)]));
  const [current, setCurrent] = useState<string | null>(null);
  const turn = (patch: Partial<LinksState>) => {
    set(patch);
    scrollTo({ top: 0 });
  };
  if (fault && nodes === undefined) return <FaultNotice fault={fault} again={again} />;
  if (nodes === undefined) return <Skeleton />;
  return (
    <>
      {fault && <FaultNotice fault={fault} again={again} />}
      {canWrite && (
        <BulkBar selection={selection} links={links} filter={looksAnywhere(state) ? null : filterOf(state)} />
      )}
      {links.length === 0 && !isLoading ? (
        <Nothing state={state} />
      ) : (
        <LinkList
          links={links}
          isLoading={isLoading}
          query={queryOf(state)}
          selection={selection}
          current={current}
          onCurrent={setCurrent}
        />
      )}
      {isCut && <p className="hint">{texts.links.onlyFirst}</p>}
      {(pageInfo?.hasNextPage || pageInfo?.hasPreviousPage) && (
        <nav className="pager" aria-label={texts.pages.all}>
          <button
            type="button"
            className="button quiet"
            disabled={!pageInfo.hasPreviousPage}
            onClick={() => turn({ before: pageInfo.startCursor ?? '' })}
          >
            {texts.pages.previous}
          </button>
          <button
            type="button"
            className="button quiet"
            disabled={!pageInfo.hasNextPage}
            onClick={() => turn({ after: pageInfo.endCursor ?? '' })}
          >
            {texts.pages.next}
          </button>
        </nav>
      )}
    </>
  );
}

function Nothing({ state }: { state: LinksState }): ReactElement {
  const t = texts.links;
  if (!isFiltered(state)) return <Empty title={t.none}>{t.noneYet}</Empty>;
  return (
    <Empty title={t.noMatch}>
      {state.search !== '' ? t.searchedIn(texts.search.fields[state.searchBy]) : t.filtered}
    </Empty>
  );
}

/** The rows, of which arrow keys move the focus. */
function LinkList({
  links,
  isLoading,
  query,
  selection,
  current,
  onCurrent,
}: {
  links: readonly LinkRowFragment[];
  isLoading: boolean;
  query: string;
  selection: ReturnType<typeof useSelection>;
  current: string | null;
  onCurrent: (id: string) => void;
}): ReactElement {
  const list = useRef<HTMLUListElement>(null);
  const focusable = links.some(({ id }) => id === current) ? current : (links[0]?.id ?? null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // Outside of any control, an arrow enters the list.
      if (event.key === 'ArrowDown' && document.activeElement === document.body)
        list.current?.querySelector<HTMLElement>('li[tabindex="0"]')?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <ul ref={list} className="rows" aria-busy={isLoading}>
      {links.map((link) => (
        <LinkRow
          key={link.id}
          link={link}
          query={query}
          isFocusable={link.id === focusable}
          isSelected={selection.has(link.id)}
          onSelect={(range) => selection.toggle(link.id, range)}
          onFocus={() => onCurrent(link.id)}
        />
      ))}
    </ul>
  );
}
