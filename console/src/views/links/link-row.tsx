import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactElement,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { Link as To } from 'wouter';
import { rowId } from '../../app/focus.ts';
import { overList } from '../../app/over-list.ts';
import { shortcuts } from '../../app/shortcuts.ts';
import { Menu } from '../../controls/menu.tsx';
import type { MenuItem } from '../../controls/menu-item.tsx';
import { counted } from '../../data/counted.ts';
import { namedUrl } from '../../data/link-fields.ts';
import { useSession } from '../../data/session.ts';
import type { LinkRowFragment } from '../../generated/documents.ts';
import { Address, addressText, ShortUrl } from '../../parts/address.tsx';
import { OneLine, SpaceBadge, StatusBadge, TagBadges, TargetsBadge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { HostTile } from '../../parts/host-tile.tsx';
import { Icon } from '../../parts/icon.tsx';
import { QrDialog } from '../../parts/qr-lazily.tsx';
import { texts } from '../../texts.ts';
import { atMoment, inShort, shortUrlText } from '../../words/format.ts';
import { linkActions } from './link-actions.ts';

export interface LinkRowProps {
  readonly link: LinkRowFragment;
  /** The clicks of the last days, the present one last; empty if they are not known. */
  readonly sparkline: readonly number[];
  /** The query string of the list, for the way back. */
  readonly query: string;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  /** True if the browser has changes of it that are not saved. */
  readonly isDraft: boolean;
  /** True once its time is over. */
  readonly isOver: boolean;
  /** The time since it was made, in words. */
  readonly age: string;
  /** The actions of the list, the same ones at each render: a row is rendered again only if it changes itself. */
  readonly list: RowActions;
}

/** The actions of a list on its rows, by the ids of their links. */
export interface RowActions {
  onSelect(id: string, range: boolean): void;
  /** Called to move the end of the selection to the next row, or the one before. */
  onExtend(id: string, step: 1 | -1): void;
  onFocus(id: string): void;
  navigate(path: string, options?: { readonly state: unknown }): void;
}

function focusNeighbour(row: HTMLElement, key: string): boolean {
  const next = {
    ArrowDown: row.nextElementSibling,
    ArrowUp: row.previousElementSibling ?? document.getElementById('search'),
  }[key];
  if (!(next instanceof HTMLElement)) return false;
  next.focus();
  return true;
}

/** Width and height of a sparkline, in pixels. */
const SPARK = { width: 72, height: 20 };

/** The clicks of days as a line. The numbers beside it say what it shows. */
function Sparkline({ clicks }: { clicks: readonly number[] }): ReactElement | null {
  const most = Math.max(0, ...clicks);
  if (most === 0) return <span className="spark" />;
  const step = SPARK.width / Math.max(1, clicks.length - 1);
  const points = clicks.map(
    (count, day) =>
      `${(day * step).toFixed(1)},${(SPARK.height - 1 - (count / most) * (SPARK.height - 2)).toFixed(1)}`,
  );
  return (
    <svg className="spark" viewBox={`0 0 ${SPARK.width} ${SPARK.height}`} aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}

/** The clicks of a link as they were read, and those that were counted since then. */
function Clicks({
  link: { id, clicks, clicksIn },
  sparkline,
  href,
}: Pick<LinkRowProps, 'link' | 'sparkline'> & { href: string }): ReactElement {
  const today = useSyncExternalStore(counted.subscribe, () => counted.get().get(id)) ?? 0;
  // Those before today, by numbers of one answer: a click counts once, whichever answer has it first.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page of the link reads its clicks without the days
  const before = useMemo(() => clicks - (sparkline.at(-1) ?? Infinity), [sparkline]);
  const added = Math.max(0, before + today - clicks);
  const t = texts.links;
  return (
    <To href={href} className="clicks" tabIndex={-1} title={t.clicks(clicks + added)}>
      <b>{inShort(clicks + added)}</b> {t.clicksUnit(clicks + added)}
      <span className="quiet">{t.clicksIn(inShort(clicksIn + added))}</span>
    </To>
  );
}

export const LinkRow = memo(function LinkRow({
  link,
  sparkline,
  query,
  isCurrent,
  isSelected,
  isDraft,
  age,
  list: { onSelect, onExtend, onFocus, navigate },
}: LinkRowProps): ReactElement {
  const session = useSession();
  const { canWrite } = session;
  const [isQr, setQr] = useState(false);
  const address = `/links/${link.id}${query}`;
  const open = () => navigate(address, { state: overList });
  const statistics = `/links/${link.id}/statistics${query}`;
  const short = shortUrlText(link.shortUrl);
  const url = namedUrl(link);
  const t = texts.links;
  const actions: MenuItem[] = linkActions(link, { session, query, navigate, onQr: () => setQr(true) });
  const select = { name: isSelected ? t.unselect : t.select, icon: 'check', shortcut: 'x' } as const;
  if (canWrite) actions.splice(-1, 0, { ...select, run: () => onSelect(link.id, false) });
  const onKey = (event: KeyboardEvent<HTMLLIElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
    if (step && event.shiftKey && canWrite) {
      event.preventDefault();
      return onExtend(link.id, step);
    }
    if (focusNeighbour(event.currentTarget, event.key)) return event.preventDefault();
    const isOpening = event.key === 'Enter' && event.target === event.currentTarget;
    const byKey = shortcuts.areOn() ? actions.find(({ shortcut }) => shortcut === event.key)?.run : undefined;
    const meant = isOpening ? open : byKey;
    if (!meant) return;
    event.preventDefault();
    event.stopPropagation();
    meant();
  };
  const box = (event: MouseEvent) => onSelect(link.id, event.shiftKey);
  return (
    <li
      id={rowId(link.id)}
      className={`row${isSelected ? ' selected' : ''}${isCurrent ? ' current' : ''}`}
      tabIndex={-1}
      aria-label={link.title === null ? short : `${link.title}, ${short}`}
      onKeyDown={onKey}
      onFocus={() => onFocus(link.id)}
    >
      {canWrite && (
        <label className="hit">
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={t.selectOne(short)}
            onClick={box}
            onChange={() => undefined}
          />
        </label>
      )}
      <HostTile of={url} />
      <div className="what">
        <div className="first">
          <To href={address} state={overList} className="short">
            <ShortUrl of={link.shortUrl} />
          </To>
          <span className="to" title={addressText(url)}>
            <Address of={url} isCut />
          </span>
        </div>
        <div className="second">
          {link.title !== null && (
            <b>
              <To href={address} state={overList} tabIndex={-1}>
                <bdi>{link.title}</bdi>
              </To>
            </b>
          )}
          <OneLine>
            {isDraft && (
              <span className="badge warn" title={texts.link.unsaved}>
                {t.draft}
              </span>
            )}
            <StatusBadge link={link} />
            <TargetsBadge link={link} />
            {link.space && <SpaceBadge space={link.space} />}
            <TagBadges tags={link.tags} />
          </OneLine>
        </div>
      </div>
      <div className="figures">
        <Sparkline clicks={sparkline} />
        <Clicks link={link} sparkline={sparkline} href={statistics} />
        <time dateTime={link.createdAt} title={atMoment(link.createdAt)}>
          {age}
        </time>
      </div>
      <div className="deeds">
        <CopyButton text={link.shortUrl} inMenu />
        <button
          type="button"
          className="bare"
          tabIndex={-1}
          aria-label={t.qrOf(short)}
          data-tip={t.qr}
          onClick={() => setQr(true)}
        >
          <Icon name="qr" />
        </button>
        <Menu label={t.actionsOf(short)} items={actions} />
      </div>
      {isQr && <QrDialog shortUrl={link.shortUrl} onClose={() => setQr(false)} />}
    </li>
  );
});
