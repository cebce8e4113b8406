import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import { Redirect, Link as To, useLocation, useSearch } from 'wouter';
import { CURRENT_ROW, DESTINATION, focusSoon, isFocusFree, lastLink } from '../../app/focus.ts';
import { ViewAhead } from '../../app/places.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { Button } from '../../controls/button.tsx';
import { Menu } from '../../controls/menu.tsx';
import { Later, Sheet } from '../../controls/sheet.tsx';
import { Tabs as TabBar } from '../../controls/tabs.tsx';
import { aboutToGo } from '../../data/actions.ts';
import { useEnding } from '../../data/ending.ts';
import { namedUrl } from '../../data/link-fields.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { useEditState } from '../../data/use-edit-state.ts';
import { ChangesDocument, LinkDocument, type LinkWholeFragment } from '../../generated/documents.ts';
import { Address, addressText } from '../../parts/address.tsx';
import { Back } from '../../parts/back.tsx';
import { SpaceBadge, StatusBadge, TagBadges, TargetsBadge } from '../../parts/badge.tsx';
import { Changes } from '../../parts/changes.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { Empty, Skeleton, Unread } from '../../parts/notice.tsx';
import { QrDialog } from '../../parts/qr-lazily.tsx';
import { useTitle } from '../../parts/title.ts';
import { texts } from '../../texts.ts';
import { shortUrlText } from '../../words/format.ts';
import { linkActions } from '../links/link-actions.ts';
import { EditLink } from './edit-link.tsx';

const Statistics = lazily(
  async () => (await import('../statistics/statistics.tsx')).Statistics,
  <Skeleton rows={4} />,
);

const Explain = lazily(async () => (await import('./explain.tsx')).Explain, <Skeleton rows={2} />);

const tabs = ['edit', 'statistics', 'history', 'test'] as const;
type Tab = (typeof tabs)[number];

/** The title of a link's page; while the link is not known yet, that of the list. */
function titleParts(link: LinkWholeFragment | null | undefined, tab: Tab | undefined): string[] {
  if (link === undefined) return [texts.places.links];
  if (link === null) return [texts.link.none];
  const name = shortUrlText(link.shortUrl);
  return tab === undefined || tab === 'edit' ? [name] : [texts.link.tabs[tab], name];
}

/** A link over the list: its form, with tabs that lead to its page. */
export function LinkSheet({ id, onClose }: { id: string; onClose: () => void }): ReactElement {
  const { canWrite } = useSession();
  useEffect(() => focusSoon(DESTINATION, () => document.activeElement?.matches('.panel') === true), []);
  const title = canWrite ? texts.links.edit : texts.links.details;
  return (
    <Sheet title={title} undecided=".save-bar .button.quiet" onClose={onClose}>
      <Later>
        <LinkView id={id} tab={undefined} isOver />
      </Later>
    </Sheet>
  );
}

interface LinkViewProps {
  readonly id: string;
  readonly tab: string | undefined;
  readonly isOver?: boolean;
}

/** @param isOver true over the list, which needs no way back */
export function LinkView({ id, tab: asked, isOver = false }: LinkViewProps): ReactElement {
  const { data, fault, isLoading, again } = useRead(
    LinkDocument,
    { id },
    {
      on: ({ kind, recordId }) =>
        (kind === 'LINK' || kind === 'CLICKS') && (recordId === null || recordId === id),
    },
  );
  useEnding(data?.link ? [data.link] : [], isLoading, again);
  const gone = useSyncExternalStore(aboutToGo.subscribe, aboutToGo.get);
  const query = useSearch();
  const back = `/links${query === '' ? '' : `?${query}`}`;
  const tab = tabs.find((one) => one === (asked ?? 'edit'));
  const [, navigate] = useLocation();
  useTitle(...titleParts(data?.link, tab));
  useEffect(() => {
    lastLink.set(id);
    return () => focusSoon(CURRENT_ROW, isFocusFree);
  }, [id]);
  if (gone.has(id)) return <Redirect to={back} />;
  if (tab === undefined) return <Redirect to={`/links/${id}`} />;
  if (!data) return isOver || fault ? <Unread fault={fault} again={again} rows={4} /> : <ViewAhead />;
  const { link } = data;
  return (
    <>
      {!isOver && <Back to={back} text={texts.link.back} />}
      {link === null ? (
        <Missing id={id} />
      ) : (
        <>
          <Head link={link} onDelete={() => navigate(back)} />
          <Tabs tab={tab} query={query} link={link} again={again} />
        </>
      )}
    </>
  );
}

/** In place of a link that is not there: what it was and who deleted it, if the account had it, for those who may restore it. */
function Missing({ id }: { id: string }): ReactElement {
  const { data, fault } = useRead(
    ChangesDocument,
    { first: 1, filter: { kind: 'LINK', recordId: id } },
    { on: ({ kind, recordId }) => kind === 'LINK' && (recordId === null || recordId === id) },
  );
  const t = texts.link;
  if (!data && !fault) return <Skeleton rows={4} />;
  if (data?.changes.nodes[0]?.action !== 'DELETED') return <Empty title={t.none}>{t.noneWhy}</Empty>;
  return (
    <>
      <header className="head">
        <h1>{t.gone}</h1>
      </header>
      <Changes kind="LINK" recordId={id} />
    </>
  );
}

interface TabsProps {
  readonly tab: Tab;
  readonly query: string;
  readonly link: LinkWholeFragment;
  again(): void;
}

/** The tabs of the link. Typed texts stay while another tab is shown. */
function Tabs({ tab, query, link, again }: TabsProps): ReactElement {
  const session = useSession();
  const edit = useEditState(link, session);
  const tabPath = (one: Tab) =>
    `/links/${link.id}${one === 'edit' ? '' : `/${one}`}${query === '' ? '' : `?${query}`}`;
  return (
    <>
      <TabBar
        label={texts.link.tabs.all}
        items={tabs.map((key) => ({ key, name: texts.link.tabs[key], href: tabPath(key) }))}
        chosen={tab}
      />
      {tab === 'edit' && <EditLink link={link} edit={edit} again={again} />}
      {tab === 'statistics' && (
        <Statistics owner={{ kind: 'link', id: link.id, name: link.alias }} rules={link.rules} />
      )}
      {tab === 'history' && <Changes kind="LINK" recordId={link.id} />}
      {tab === 'test' && (
        <>
          {edit.isChanged && (
            <p className="notice">
              {texts.explain.unsaved} <To href={tabPath('edit')}>{texts.explain.toUnsaved}</To>
            </p>
          )}
          <Explain link={link} fields={edit.fields} onChange={session.canWrite ? edit.change : undefined} />
        </>
      )}
    </>
  );
}

function Head({ link, onDelete }: { link: LinkWholeFragment; onDelete: () => void }): ReactElement {
  const session = useSession();
  const [, navigate] = useLocation();
  const [isQr, setQr] = useState(false);
  const t = texts.links;
  const around = { session, query: '', navigate, onQr: () => setQr(true), onDelete };
  // The head and its tabs have the others.
  const actions = linkActions(link, around);
  const items = actions.filter(({ id }) => !['copy', 'qr', 'edit', 'statistics'].includes(id));
  const byKey = actions.flatMap(({ id, shortcut, run }) =>
    shortcut && run && id !== 'edit' ? [[shortcut, run]] : [],
  );
  useShortcuts(Object.fromEntries(byKey));
  return (
    <header className="head">
      <div>
        <div className="name line">
          <h1>
            <bdi>{shortUrlText(link.shortUrl)}</bdi>
          </h1>
          <CopyButton text={link.shortUrl} alone />
        </div>
        <p className="quiet cut" title={addressText(namedUrl(link))}>
          {link.title !== null && (
            <>
              <bdi>{link.title}</bdi> ·{' '}
            </>
          )}
          <Address of={namedUrl(link)} />
        </p>
        <p className="marks">
          <span className="badge">{t.clicks(link.clicks)}</span>
          <StatusBadge link={link} />
          <TargetsBadge link={link} />
          {link.space && <SpaceBadge space={link.space} />}
          <TagBadges tags={link.tags} />
        </p>
      </div>
      <div className="buttons">
        <Button look="quiet" icon="qr" text={t.qr} onClick={() => setQr(true)} />
        <Menu label={t.actionsOf(shortUrlText(link.shortUrl))} items={items} />
      </div>
      {isQr && <QrDialog shortUrl={link.shortUrl} onClose={() => setQr(false)} />}
    </header>
  );
}
