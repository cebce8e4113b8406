import { type ReactElement, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { CURRENT_ROW, focusNow, focusRow, isFocusFree } from '../../app/focus.ts';
import { onShortcut } from '../../app/shortcuts.ts';
import { attempt, deleteLater, UNDO_FOR } from '../../data/actions.ts';
import { BATCH, type Progress } from '../../data/batches.ts';
import { announceKinds } from '../../data/bus.ts';
import {
  type BulkAction,
  type BulkResult,
  type BulkUpdate,
  changeMany,
  changesBy,
  deleteMany,
  linksChosen,
  linksThatMatch,
  MANY,
} from '../../data/many-links.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { type LinkFilter, type LinkRowFragment, LinksExactTotalDocument } from '../../generated/documents.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { texts } from '../../texts.ts';
import { atNearMoment, inDigits, timeZone } from '../../words/format.ts';
import type { Selection } from './selection.ts';
import { useTotal } from './use-links.ts';

const BulkTags = lazily(async () => (await import('./bulk-tags.tsx')).BulkTags, null);

const BulkExpiry = lazily(async () => (await import('./bulk-expiry.tsx')).BulkExpiry, null);

const BulkSpace = lazily(async () => (await import('./bulk-space.tsx')).BulkSpace, null);

const BulkUtm = lazily(async () => (await import('./bulk-utm.tsx')).BulkUtm, null);

interface ListProps {
  readonly selection: Selection;
  readonly links: readonly LinkRowFragment[];
  readonly filter: LinkFilter;
}

interface BarProps extends ListProps {
  /** How many links the filter has; cut where it has more than are counted. */
  readonly total: number;
  readonly isCut: boolean;
  /** How many are selected. */
  readonly count: number;
}

interface BulkProps extends ListProps {
  /** What tells the list apart from others. */
  readonly list: string;
  /** Whether the links are those of another list yet. */
  readonly isLoading: boolean;
  /** What can be done with the list. */
  readonly children: ReactNode;
}

function verbOf(action: BulkAction | null): string {
  if (action === null || !('update' in action && 'disabled' in action.update)) return texts.delete;
  return action.update.disabled ? texts.links.disable : texts.links.enable;
}

/** How many links there are, or are selected, and what can be done with them. */
export function BulkBar({ list, isLoading, children, ...props }: BulkProps): ReactElement {
  const { selection, links, filter } = props;
  const { canWrite } = useSession();
  const { total: counted, isCut, isLoading: isCounting } = useTotal(filter);
  // Whoever selects all of them wants to know how many they are.
  const exact = useRead(LinksExactTotalDocument, { filter }, { pause: !(selection.isAll && isCut) });
  const total = exact.data?.linkPage.total ?? counted ?? 0;
  const told = counted === null ? '' : texts.tags.total(counted, isCut);
  const isSelecting = selection.links.length > 0 || selection.isAll;
  const hidden = selection.links.filter(({ id }) => links.every((one) => one.id !== id)).length;
  const count = selection.isAll ? total : selection.links.length;
  // What was asked for later may come first: both change together, so that a number is heard once.
  const known = useRef({ list, told });
  if (!isLoading && !isCounting) known.current = { list, told };
  const t = texts.bulk;
  return (
    <section
      className={isSelecting ? 'bulk' : links.length === 0 ? 'unseen' : 'above-links'}
      aria-label={isSelecting ? t.name : undefined}
    >
      {/* It is there before its text is, and gets it anew for another list: so it is heard, also if the number is the same. */}
      <b className={isSelecting ? undefined : 'quiet'} role="status">
        <span key={known.current.list}>{isSelecting ? t.selected(count, hidden) : known.current.told}</span>
      </b>
      {isSelecting ? (
        <Bar {...props} {...{ total, isCut, count }} />
      ) : (
        <>
          {canWrite && links.length > 0 && (
            <button type="button" className="button text small" onClick={() => selection.togglePage()}>
              {t.page}
            </button>
          )}
          <span className="grow" />
          {links.length > 0 && children}
        </>
      )}
    </section>
  );
}

function Bar({ selection, links, filter, total, isCut, count }: BarProps): ReactElement {
  const session = useSession();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [asked, setAsked] = useState<BulkAction | null>(null);
  const [failed, setFailed] = useState<BulkResult['failed']>([]);
  /** Which dialog is open. */
  const [opened, setOpened] = useState<'space' | 'tags' | 'expiry' | 'utm' | null>(null);
  const close = () => setOpened(null);
  const stop = useRef(new AbortController());
  /** The button that was pressed last. */
  const pressed = useRef(CURRENT_ROW);
  const isPage = links.length > 0 && links.every(({ id }) => selection.has(id));
  const t = texts.bulk;
  const verb = verbOf(asked);
  /** Says what was done to so many links. */
  const toldOf =
    (update: BulkUpdate) =>
    (done: number): string => {
      if ('expiration' in update) {
        const { at } = update.expiration;
        if (at === null) return t.endless(done);
        return Date.parse(at) <= Date.now() ? t.ended(done) : t.ends(done, atNearMoment(at), timeZone);
      }
      if ('disabled' in update) return update.disabled ? t.disabled(done) : t.enabled(done);
      return t.done(done);
    };

  /** Goes on at the button that was pressed if links are still selected, else in the list: where nobody went elsewhere meanwhile. */
  const goOn = (clears: boolean, unchanged: BulkResult['failed'] = []) => {
    flushSync(() => {
      setProgress(null);
      close();
      if (clears && unchanged.length === 0) selection.clear();
    });
    if (isFocusFree() && !focusNow(pressed.current)) focusNow(CURRENT_ROW);
    setFailed(unchanged);
  };
  const leave = useEffectEvent((event: KeyboardEvent) => {
    if (progress === null) onShortcut(event, { Escape: () => goOn(true) });
  });
  useEffect(() => {
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, []);

  const run = async (action: BulkAction, told?: (count: number) => string) => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    let unchanged: BulkResult['failed'] = [];
    let isDone = false;
    await attempt(MANY, async () => {
      const chosen = selection.isAll
        ? await linksThatMatch(
            session,
            filter,
            (found) => setProgress({ done: 0, of: Math.max(found, total) }),
            signal,
          )
        : 'delete' in action
          ? selection.links
          : await linksChosen(session, selection.links);
      const options = { onProgress: setProgress, signal };
      const result =
        'delete' in action
          ? await deleteMany(
              session,
              chosen.map(({ id }) => id),
              options,
            )
          : await changeMany(
              session,
              changesBy(action.update, chosen),
              options,
              told ?? toldOf(action.update),
            );
      unchanged = result.failed;
      isDone = true;
    });
    // Whoever changed some links often goes on with them; other links than before may match now.
    goOn(isDone && (selection.isAll || 'delete' in action), unchanged);
    announceKinds('LINK');
  };

  const isUndoable = !selection.isAll && count <= BATCH;
  const perform = (action: BulkAction) => {
    if ('update' in action || !isUndoable) return void run(action);
    deleteLater(session, selection.links, focusRow);
    goOn(true);
  };
  /** Asks first where links change that nobody has looked at, or several are deleted. */
  const begin = (action: BulkAction) =>
    selection.isAll || ('delete' in action && count > 1) ? setAsked(action) : perform(action);

  const deeds = [
    { id: 'bulk-move', name: t.move, act: () => setOpened('space') },
    { id: 'bulk-tags', name: texts.tags.bulk, act: () => setOpened('tags') },
    { id: 'bulk-disable', name: texts.links.disable, act: () => begin({ update: { disabled: true } }) },
    { id: 'bulk-enable', name: texts.links.enable, act: () => begin({ update: { disabled: false } }) },
    { id: 'bulk-expiry', name: texts.form.expiry, act: () => setOpened('expiry') },
    { id: 'bulk-utm', name: texts.utm.bulk, act: () => setOpened('utm') },
    { id: 'bulk-delete', name: texts.delete, act: () => begin({ delete: true }), danger: true },
  ];

  if (progress)
    return <ProgressBar progress={progress} name={t.working} onStop={() => stop.current.abort()} />;
  return (
    <>
      {!isPage && (
        <button type="button" className="button text" onClick={() => selection.togglePage()}>
          {t.page}
        </button>
      )}
      {isPage && !selection.isAll && total > links.length && (
        <button type="button" className="button text" onClick={() => selection.selectAll()}>
          {isCut ? texts.tags.allOfMany : t.all(inDigits(total))}
        </button>
      )}
      <span className="grow" />
      {!selection.isAll && (
        <CopyButton
          text={selection.links.map(({ shortUrl }) => shortUrl).join('\n')}
          label={texts.copy}
          wide
        />
      )}
      {deeds.map(({ id, name, act, danger }) => (
        <button
          key={id}
          id={id}
          type="button"
          className={danger ? 'button quiet small danger' : 'button quiet small'}
          onClick={() => {
            pressed.current = `#${id}`;
            act();
          }}
        >
          {name}
        </button>
      ))}
      <button type="button" className="bare" aria-label={t.clear} title={t.clear} onClick={() => goOn(true)}>
        <Icon name="close" />
      </button>
      {asked && (
        <Dialog title={t.ask(verb, count)} onClose={() => setAsked(null)}>
          {'delete' in asked && (
            <p>
              {t.deleteWarning(
                selection.isAll ? null : selection.links.reduce((sum, one) => sum + one.clicks, 0),
                isUndoable ? UNDO_FOR / 1_000 : null,
              )}
            </p>
          )}
          <div className="buttons end">
            <button type="button" className="button quiet" onClick={() => setAsked(null)}>
              {texts.cancel}
            </button>
            <button
              type="button"
              className={'delete' in asked ? 'button danger' : 'button'}
              onClick={() => {
                setAsked(null);
                perform(asked);
              }}
            >
              {t.confirm(verb, count)}
            </button>
          </div>
        </Dialog>
      )}
      {opened === 'space' && (
        <BulkSpace count={count} onClose={close} onUpdate={(update, told) => void run({ update }, told)} />
      )}
      {opened === 'tags' && (
        <BulkTags count={count} onClose={close} onUpdate={(update, told) => void run({ update }, told)} />
      )}
      {opened === 'expiry' && (
        <BulkExpiry count={count} onClose={close} onUpdate={(update) => void run({ update })} />
      )}
      {opened === 'utm' && (
        <BulkUtm
          count={count}
          read={async (signal) =>
            selection.isAll && filter !== null
              ? linksThatMatch(session, filter, () => undefined, signal)
              : linksChosen(session, selection.links)
          }
          onDone={(result) => goOn(selection.isAll, result.failed)}
          onClose={close}
        />
      )}
      {failed.length > 0 && (
        <Dialog title={t.failed(failed.length)} onClose={() => setFailed([])}>
          <ul className="failures">
            {failed.map(({ id, message }) => (
              <li key={id}>
                <b>{links.find((link) => link.id === id)?.alias ?? `#${id}`}</b> {message}
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}
