import { type ReactElement, type ReactNode, useRef, useState } from 'react';
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
import {
  ChoicesDocument,
  type LinkFilter,
  type LinkRowFragment,
  LinksExactTotalDocument,
} from '../../generated/documents.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { atNearMoment, inDigits, timeZone } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { texts } from '../../texts.ts';
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
  if (action === null || 'delete' in action) return texts.delete;
  if (!('disabled' in action.update)) return texts.bulk.move;
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
  const [isUtm, setUtm] = useState(false);
  const stop = useRef(new AbortController());
  /** The name of the space that was just made. */
  const made = useRef('');
  const [isNaming, setNaming] = useState(false);
  const [isTagging, setTagging] = useState(false);
  const [isEnding, setEnding] = useState(false);
  const spaces = useRead(ChoicesDocument, {}, { on: ['SPACE'] }).data?.spaces.nodes ?? [];
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
      if (!('spaceId' in update)) return t.done(done);
      const { spaceId } = update;
      return t.moved(done, spaceId && (spaces.find(({ id }) => id === spaceId)?.name ?? made.current));
    };

  const run = async (action: BulkAction, told?: (count: number) => string) => {
    stop.current = new AbortController();
    const { signal } = stop.current;
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
      setFailed(result.failed);
      // Whoever changed some links often goes on with them; other links than before may match now.
      if (result.failed.length === 0 && (selection.isAll || 'delete' in action)) selection.clear();
    });
    setProgress(null);
    announceKinds('LINK');
  };

  const isUndoable = !selection.isAll && count <= BATCH;
  const perform = (action: BulkAction) => {
    if ('update' in action || !isUndoable) return void run(action);
    deleteLater(session, selection.links);
    selection.clear();
  };
  /** Asks first where links change that nobody has looked at, or several are deleted. */
  const begin = (action: BulkAction) =>
    selection.isAll || ('delete' in action && count > 1) ? setAsked(action) : perform(action);

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
      <select
        className="filter"
        aria-label={t.space}
        value=""
        onChange={({ target: { value } }) =>
          value === 'new' ? setNaming(true) : begin({ update: { spaceId: value === 'none' ? null : value } })
        }
      >
        <option value="" disabled>
          {`${t.move} …`}
        </option>
        <option value="none">{t.noSpace}</option>
        <option value="new">{t.newSpace}</option>
        {spaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <button type="button" className="button quiet small" onClick={() => setTagging(true)}>
        {texts.tags.bulk}
      </button>
      <button
        type="button"
        className="button quiet small"
        onClick={() => begin({ update: { disabled: true } })}
      >
        {texts.links.disable}
      </button>
      <button
        type="button"
        className="button quiet small"
        onClick={() => begin({ update: { disabled: false } })}
      >
        {texts.links.enable}
      </button>
      <button type="button" className="button quiet small" onClick={() => setEnding(true)}>
        {texts.form.expiry}
      </button>
      <button type="button" className="button quiet small" onClick={() => setUtm(true)}>
        {texts.utm.bulk}
      </button>
      <button type="button" className="button quiet small danger" onClick={() => begin({ delete: true })}>
        {texts.delete}
      </button>
      <button
        type="button"
        className="bare"
        aria-label={t.clear}
        title={t.clear}
        onClick={() => selection.clear()}
      >
        <Icon name="close" />
      </button>
      {asked && (
        <Dialog title={t.ask(verb, count)} onClose={() => setAsked(null)}>
          {'delete' in asked && (
            <p>
              {t.deleteWarning(
                selection.isAll ? null : inDigits(selection.links.reduce((sum, one) => sum + one.clicks, 0)),
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
      {isNaming && (
        <BulkSpace
          onClose={() => setNaming(false)}
          onMade={({ id, name }) => {
            made.current = name;
            begin({ update: { spaceId: id } });
          }}
        />
      )}
      {isTagging && (
        <BulkTags
          count={count}
          onClose={() => setTagging(false)}
          onUpdate={(update, told) => void run({ update }, told)}
        />
      )}
      {isEnding && (
        <BulkExpiry
          count={count}
          onClose={() => setEnding(false)}
          onUpdate={(update) => void run({ update })}
        />
      )}
      {isUtm && (
        <BulkUtm
          count={count}
          read={async (signal) =>
            selection.isAll && filter !== null
              ? linksThatMatch(session, filter, () => undefined, signal)
              : linksChosen(session, selection.links)
          }
          onDone={(result) => {
            setUtm(false);
            setFailed(result.failed);
            if (result.failed.length === 0) selection.clear();
          }}
          onClose={() => setUtm(false)}
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
