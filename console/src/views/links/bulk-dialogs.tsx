import type { ReactElement } from 'react';
import { Button } from '../../controls/button.tsx';
import { Dialog } from '../../controls/dialog.tsx';
import { UNDO_FOR } from '../../data/actions.ts';
import type { BulkAction, BulkUpdate, Told } from '../../data/many-links.ts';
import type { LinkRowFragment } from '../../generated/documents.ts';
import { lazily } from '../../parts/lazily.tsx';
import { texts } from '../../texts.ts';
import type { Selection } from './selection.ts';
import type { Bulk } from './use-bulk.ts';

const BulkTags = lazily(async () => (await import('./bulk-tags.tsx')).BulkTags, null);

const BulkExpiry = lazily(async () => (await import('./bulk-expiry.tsx')).BulkExpiry, null);

const BulkSpace = lazily(async () => (await import('./bulk-space.tsx')).BulkSpace, null);

const BulkUtm = lazily(async () => (await import('./bulk-utm.tsx')).BulkUtm, null);

interface DialogProps {
  readonly bulk: Bulk;
  readonly selection: Selection;
  readonly count: number;
}

/** The dialogs of the bar: the one that was opened, a question before an action, and the links that it could not change. */
export function BulkDialogs({
  links,
  ...props
}: DialogProps & { links: readonly LinkRowFragment[] }): ReactElement {
  const { bulk } = props;
  return (
    <>
      {bulk.asked && <Question {...props} asked={bulk.asked} />}
      <Opened {...props} />
      {bulk.failed.length > 0 && (
        <Dialog title={texts.bulk.failed(bulk.failed.length)} onClose={bulk.closeFailed}>
          <ul className="failures">
            {bulk.failed.map(({ id, message }) => (
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

function actionVerb(action: BulkAction): string {
  const t = texts.links;
  if (!('update' in action)) return t.delete;
  if ('archived' in action.update) return action.update.archived ? t.archive : t.unarchive;
  if (!('disabled' in action.update)) return texts.delete;
  return action.update.disabled ? t.disable : t.enable;
}

function Question({ bulk, selection, count, asked }: DialogProps & { asked: BulkAction }): ReactElement {
  const t = texts.bulk;
  const verb = actionVerb(asked);
  const clicks = selection.isAll ? null : selection.links.reduce((sum, one) => sum + one.clicks, 0);
  return (
    <Dialog title={t.ask(verb, count)} onClose={bulk.cancel}>
      {'delete' in asked && <p>{t.deleteWarning(clicks, bulk.isUndoable ? UNDO_FOR / 1_000 : null)}</p>}
      <div className="buttons end">
        <Button look="quiet" text={texts.cancel} onClick={bulk.cancel} />
        <Button
          look={'delete' in asked ? 'danger' : undefined}
          text={t.confirm(verb, count)}
          onClick={() => bulk.confirm(asked)}
        />
      </div>
    </Dialog>
  );
}

function Opened({ bulk, selection, count }: DialogProps): ReactElement | null {
  const props = { count, onClose: () => bulk.open(null) };
  const onUpdate = (update: BulkUpdate, told?: Told) => void bulk.run({ update }, told);
  if (bulk.opened === 'space') return <BulkSpace {...props} onUpdate={onUpdate} />;
  if (bulk.opened === 'tags') return <BulkTags {...props} onUpdate={onUpdate} />;
  if (bulk.opened === 'expiry') return <BulkExpiry {...props} onUpdate={onUpdate} />;
  if (bulk.opened === null) return null;
  return (
    <BulkUtm
      {...props}
      read={(signal) => bulk.read(signal)}
      onDone={({ failed }) => bulk.goOn(selection.isAll, failed)}
    />
  );
}
