import { type ReactElement, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { Router, useLocation, useRouter } from 'wouter';
import { navigate as go } from 'wouter/use-browser-location';
import { CURRENT_ROW, focusNow, isFocusFree, lastLink, rowId } from '../../app/focus.ts';
import { overList } from '../../app/over-list.ts';
import { aboutToGo } from '../../data/actions.ts';
import { useCounted } from '../../data/counted.ts';
import { listDrafts } from '../../data/drafts.ts';
import { hasEnded, useEnding } from '../../data/ending.ts';
import { useSession } from '../../data/session.ts';
import { type LinkRowFragment, LinksTotalDocument } from '../../generated/documents.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { DownloadButton } from '../../parts/download.tsx';
import { Empty, Unread } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { ago } from '../../words/format.ts';
import { BulkBar } from './bulk-bar.tsx';
import { DoneLately } from './done-lately.tsx';
import { LinkRow, type RowActions } from './link-row.tsx';
import {
  asShown,
  hasConditions,
  isFiltered,
  type LinksState,
  looksAnywhere,
  toOrder,
  toQuery,
  unfiltered,
} from './links-state.ts';
import { useSelection } from './selection.ts';
import { useLinks } from './use-links.ts';

export function LinksPage({
  state,
  set,
  entered,
  onEntered,
}: {
  state: LinksState;
  set: (patch: Partial<LinksState>) => void;
  /** The search whose first result gets the focus once it is read. */
  entered: string | null;
  onEntered: () => void;
}): ReactElement {
  const { client, accountId } = useSession();
  const [, navigate] = useLocation();
  const { nodes, exact, pageInfo, sparklines, filter, isOnlyTitles, fault, isLoading, again } =
    useLinks(state);
  const gone = useSyncExternalStore(aboutToGo.subscribe, aboutToGo.get);
  const links = (nodes ?? []).filter(({ id }) => !gone.has(id));
  useEnding(links, isLoading, again);
  useCounted(
    accountId,
    links.map(({ id }) => id),
    again,
  );
  const selection = useSelection(links, JSON.stringify([state.search, filter]));
  const goOn = useEffectEvent(() => {
    onEntered();
    const only = exact ?? (links.length === 1 ? links[0] : undefined);
    if (only) navigate(`/links/${only.id}${toQuery(state)}`, { state: overList });
    else focusNow(CURRENT_ROW);
  });
  const isReady = entered !== null && entered === state.search && !isLoading && nodes !== undefined;
  useEffect(() => {
    if (isReady) goOn();
  }, [isReady]);
  const turn = (patch: Partial<LinksState>) => {
    set(patch);
    scrollTo({ top: 0 });
  };
  const countRecords = async () => {
    const { data } = await client.query(LinksTotalDocument, { filter }).toPromise();
    return data?.links.totalCount ?? 0;
  };
  return (
    <>
      {fault && nodes && <Unread fault={fault} again={again} isKept />}
      {isOnlyTitles && (
        <p className="notice" role="status">
          {texts.links.onlyTitles}
        </p>
      )}
      <BulkBar
        list={toQuery(state)}
        isLoading={isLoading}
        selection={selection}
        links={links}
        going={(nodes?.length ?? 0) - links.length}
        filter={filter}
      >
        {isFiltered(state) && <CopyButton text={location.href} label={texts.links.copyList} wide small />}
        <DownloadButton
          // By itself, a file has archived links, too.
          body={{ kind: 'links', filter: asShown(filter), orderBy: toOrder(state) }}
          countRecords={countRecords}
        />
      </BulkBar>
      {nodes === undefined ? (
        <Unread fault={fault} again={again} />
      ) : links.length === 0 && !isLoading && !fault ? (
        <Nothing state={state} set={set} />
      ) : (
        <LinkList
          links={links}
          sparklines={sparklines}
          isLoading={isLoading}
          query={toQuery(state)}
          selection={selection}
        />
      )}
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
      <DoneLately />
    </>
  );
}

/** The reason why no link is shown. “Looked everywhere” is only said of a search of all texts. */
function Nothing({ state, set }: Pick<Parameters<typeof LinksPage>[0], 'state' | 'set'>): ReactElement {
  const { canWrite } = useSession();
  const t = texts.links;
  if (!isFiltered(state))
    return (
      <Empty
        title={t.none}
        create={canWrite ? t.first : undefined}
        onCreate={() => document.getElementById('new-link')?.click()}
      >
        {canWrite && t.noneYet}
      </Empty>
    );
  const why = () => {
    if (state.search.trim() === '') return t.filtered;
    if (!looksAnywhere(state)) return t.searchedOne(texts.search.fields[state.searchBy]);
    return hasConditions(state) ? t.searchedSome : t.searchedAll;
  };
  return (
    <Empty
      title={t.noMatch}
      create={hasConditions(state) ? texts.filters.clearAll : texts.filters.clearSearch}
      onCreate={() => set(unfiltered)}
    >
      {why()}
    </Empty>
  );
}

const noClicks: readonly number[] = [];

/** Leads somewhere, and follows no address: 150 links of rows would be rendered again at each. */
const nowhere = (): ['', typeof go] => ['', go];

/** The rows; arrow keys move the focus among them. */
function LinkList({
  links,
  sparklines,
  isLoading,
  query,
  selection,
}: {
  links: readonly LinkRowFragment[];
  sparklines: ReadonlyMap<string, readonly number[]>;
  isLoading: boolean;
  query: string;
  selection: ReturnType<typeof useSelection>;
}): ReactElement {
  const drafts = listDrafts(useSession());
  const { base } = useRouter();
  const [, navigate] = useLocation();
  const [current, setCurrent] = useState<string | null>(lastLink.get);
  const focusable = links.some(({ id }) => id === current) ? current : (links[0]?.id ?? null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // From the search, a button above the list, or outside of any control, an arrow enters the list.
      const isAbove = document.activeElement?.matches('#search, .bulk button');
      if (event.key !== 'ArrowDown' || !(isAbove || isFocusFree())) return;
      event.preventDefault();
      focusNow(CURRENT_ROW);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const now: RowActions = {
    onSelect: selection.toggle,
    onExtend: (id, step) => {
      const to = links[links.findIndex((link) => link.id === id) + step];
      if (to === undefined) return;
      selection.extend(id, to.id);
      focusNow(`#${rowId(to.id)}`);
    },
    onFocus: (id) => {
      // This list is gone while a search finds nothing.
      lastLink.set(id);
      setCurrent(id);
    },
    navigate,
  };
  const latest = useRef(now);
  latest.current = now;
  const [list] = useState<RowActions>(() => ({
    onSelect: (...of) => latest.current.onSelect(...of),
    onExtend: (...of) => latest.current.onExtend(...of),
    onFocus: (...of) => latest.current.onFocus(...of),
    navigate: (...of) => latest.current.navigate(...of),
  }));
  return (
    <Router base={base} hook={nowhere}>
      <ul className="rows" aria-busy={isLoading}>
        {links.map((link) => (
          <LinkRow
            key={link.id}
            link={link}
            sparkline={sparklines.get(link.id) ?? noClicks}
            query={query}
            isCurrent={link.id === focusable}
            isSelected={selection.has(link.id)}
            isDraft={drafts.includes(link.id)}
            isOver={hasEnded(link)}
            age={ago(link.createdAt)}
            list={list}
          />
        ))}
      </ul>
    </Router>
  );
}
