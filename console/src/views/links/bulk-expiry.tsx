import { type ReactElement, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { texts } from '../../texts.ts';
import { fromLocalInput, INCOMPLETE } from '../../words/format.ts';
import { ExpiryField } from '../link-form/expiry-field.tsx';
import type { BulkDialogProps } from './use-bulk.ts';

/** Asks when the selected links expire. */
export function BulkExpiry({
  count,
  onClose,
  onUpdate,
}: BulkDialogProps<{ expiration: { at: string | null } }>): ReactElement {
  const [expiresAt, setExpiresAt] = useState('');
  const t = texts.bulk;
  const update = (at: string | null) => {
    onUpdate({ expiration: { at } });
    onClose();
  };
  const submit = async () => {
    // The field says what is missing.
    if (expiresAt === INCOMPLETE) return { __typename: 'ValidationError' };
    onUpdate({ expiration: { at: fromLocalInput(expiresAt) } });
    return { __typename: 'Link' };
  };
  return (
    <FormDialog
      title={t.expiryTitle(count)}
      action={t.setExpiry}
      isEmpty={expiresAt === ''}
      onClose={onClose}
      onSubmit={submit}
    >
      {() => (
        <>
          <ExpiryField
            fields={{ expiresAt }}
            error={undefined}
            onChange={(patch) => setExpiresAt(patch.expiresAt)}
          />
          <div className="buttons">
            <Button look="quiet small" text={t.endNow} onClick={() => update(new Date().toISOString())} />
            <Button look="quiet small" text={t.removeExpiry} onClick={() => update(null)} />
          </div>
        </>
      )}
    </FormDialog>
  );
}
