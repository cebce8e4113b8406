import { type ReactElement, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { UNDO_FOR, undo } from '../data/actions.ts';
import { Fault } from '../data/faults.ts';
import { failureText } from '../data/refusals.ts';
import { revert, revertAll, whyRefused } from '../data/reverting.ts';
import { type Session, useSession } from '../data/session.ts';
import { aboutRecord, dismissAbout, showToast } from '../data/toasts.ts';
import { type NameOf, showValue } from '../data/values.ts';
import type { LoggedChangeFragment } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { inLine } from '../words/format.ts';

/** Says that changes were taken back, and offers the way there again; a restored record stays. */
function tellRestored(
  session: Session,
  { action, kind, recordId }: LoggedChangeFragment,
  ids: readonly string[],
) {
  const about = aboutRecord(kind, recordId);
  const t = texts.history;
  if (action === 'DELETED')
    return showToast(kind === 'LINK' ? t.linksRestored(ids.length) : t.restored, { about });
  const run = () => void undo(session, ids, { about });
  return showToast(t.restored, { about, shownFor: UNDO_FOR, action: { name: texts.undo, run } });
}

/** Takes a change back. Returns why that was refused, or nothing. @throws Fault */
async function restoreOne(session: Session, change: LoggedChangeFragment): Promise<string> {
  const t = texts.history;
  const isDeletion = change.action === 'DELETED';
  const result = await revert(session, change.id);
  if (result.__typename === 'RevertedChange') {
    tellRestored(session, change, [result.change.id]);
    return '';
  }
  if (result.__typename === 'ConflictError') return isDeletion ? t.isThere : t.changedAgain;
  return whyRefused(session, change.id, result);
}

/** Takes equal changes of several records back. Returns why some were refused, or nothing. @throws Fault */
async function restoreAll(session: Session, changes: readonly LoggedChangeFragment[]): Promise<string> {
  const { changeIds, changedSince, refusals } = await revertAll(
    session,
    // The last is taken back first: groups have the newest first.
    changes.map(({ id }) => id).toReversed(),
  );
  const [first] = changes;
  if (first && changeIds.length > 0) tellRestored(session, first, changeIds);
  return [...(changedSince > 0 ? [texts.bulk.changedSince(changedSince)] : []), ...new Set(refusals)].join(
    ' ',
  );
}

/** The value that a change is taken back to; null unless it is one text. */
function valueBefore({ action, values, ...change }: LoggedChangeFragment, nameOf: NameOf): string | null {
  const rows = values.flatMap((value) => showValue({ ...change, action }, value, nameOf).rows);
  const isOne = action === 'UPDATED' && values.length === 1 && rows.length === 1;
  return isOne && rows[0]?.was ? inLine(rows[0].was) : null;
}

/** The button that takes a change back, or equal ones of several records, for those who may. Refusals stand beside it. */
export function Restore({
  changes,
  nameOf,
  describedBy,
}: {
  changes: readonly LoggedChangeFragment[];
  nameOf: NameOf;
  describedBy: string;
}): ReactElement | null {
  const session = useSession();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState('');
  // To take a creation back would delete the record: its own menu does that, and asks first.
  const open = changes.filter(({ isRevertable, action }) => isRevertable && action !== 'CREATED');
  const [first] = open;
  if (!session.canWrite || !first) return null;
  const restore = async () => {
    if (isBusy) return;
    setBusy(true);
    setRefusal('');
    dismissAbout(aboutRecord(first.kind, first.recordId));
    try {
      setRefusal(await (open.length === 1 ? restoreOne(session, first) : restoreAll(session, open)));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setRefusal(error.kind === 'session' ? '' : failureText(error));
    } finally {
      setBusy(false);
    }
  };
  const t = texts.history;
  return (
    <div className="restore">
      <Button
        look="text small"
        text={open.length === 1 ? t.restore(valueBefore(first, nameOf)) : t.restoreAll(open.length)}
        aria-disabled={isBusy}
        aria-describedby={describedBy}
        onClick={() => void restore()}
      />
      {first.action === 'DELETED' && first.kind === 'LINK' && (
        <small className="quiet">{t.withoutStatistics}</small>
      )}
      <span role="alert" className="error">
        {refusal}
      </span>
    </div>
  );
}
