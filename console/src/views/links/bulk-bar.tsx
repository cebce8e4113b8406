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
import { atNearMoment, inDigits } from '../../parts/format.ts';
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

interface BulkProps {
  /** What can be done with the list. */
  readonly children: ReactNode;
  readonly selection: Selection;
  readonly links: readonly LinkRowFragment[];
  readonly filter: LinkFilter;
}

function verbOf(action: BulkAction | null): string {
  if (action === null || 'delete' in action) return texts.delete;
  if (!('disabled' in action.update)) return texts.bulk.move;
  return action.update.disabled ? texts.links.disable : texts.links.enable;
}

/** What can be done to the selected links, or to all that match; before any is selected, how many there are. */
export function BulkBar(props: BulkProps): ReactElement | null {
  const { selection, links, filter, children } = props;
  const { canWrite } = useSession();
  const { total, isCut } = useTotal(filter);
  if (selection.links.length > 0 || selection.isAll) return <Bar {...props} />;
  return (
    // How many there are is heard, even if there are none.
    <div className={links.length === 0 ? 'unseen' : 'above-links'}>
      <span className="quiet" role="status">
        {total !== null && texts.tags.total(total, isCut)}
      </span>
      {canWrite && links.length > 0 && (
        <button type="button" className="button text small" onClick={() => selection.togglePage()}>
          {texts.bulk.page}
        </button>
      )}
      <span className="grow" />
      {links.length > 0 && children}
    </div>
  );
}

function Bar({ selection, links, filter }: Omit<BulkProps, 'children'>): ReactElement {
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
  const { total: counted, isCut } = useTotal(filter);
  // Whoever selects all of them wants to know how many they are.
  const exact = useRead(LinksExactTotalDocument, { filter }, { pause: !(selection.isAll && isCut) });
  const total = exact.data?.linkPage.total ?? counted ?? 0;
  const spaces = useRead(ChoicesDocument, {}, { on: ['SPACE'] }).data?.spaces.nodes ?? [];
  const count = selection.isAll ? total : selection.links.length;
  const isPage = links.length > 0 && links.every(({ id }) => selection.has(id));
  const t = texts.bulk;
  const verb = verbOf(asked);
  /** Says what was done to so many links. */
  const toldOf =
    (update: BulkUpdate) =>
    (done: number): string => {
      if ('addTagIds' in update) return t.tagged(done);
      if ('removeTagIds' in update) return t.untagged(done);
      if ('expiration' in update) {
        const { at } = update.expiration;
        if (at === null) return t.endless(done);
        return Date.parse(at) <= Date.now() ? t.ended(done) : t.ends(done, atNearMoment(at));
      }
      if ('disabled' in update) return update.disabled ? t.disabled(done) : t.enabled(done);
      const { spaceId } = update;
      return t.moved(done, spaceId && (spaces.find(({ id }) => id === spaceId)?.name ?? made.current));
    };

  const run = async (action: BulkAction) => {
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
          : await changeMany(session, changesBy(action.update, chosen), options, toldOf(action.update));
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
    return (
      <div className="bulk">
        <ProgressBar progress={progress} name={t.working} onStop={() => stop.current.abort()} />
      </div>
    );
  return (
    <section className="bulk" aria-label={t.name}>
      <b role="status">{t.selected(count)}</b>
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
          onUpdate={(update) => void run({ update })}
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
    </section>
  );
}
