import { type ReactElement, useState } from 'react';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { texts } from '../../texts.ts';
import { fromLocalInput, INCOMPLETE } from '../../words/format.ts';
import { ExpiryField } from '../link-form/expiry-field.tsx';

/** Asks when the selected links expire. */
export function BulkExpiry({
  count,
  onClose,
  onUpdate,
}: {
  count: number;
  onClose: () => void;
  onUpdate: (update: { expiration: { at: string | null } }) => void;
}): ReactElement {
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
            <button
              type="button"
              className="button quiet small"
              onClick={() => update(new Date().toISOString())}
            >
              {t.endNow}
            </button>
            <button type="button" className="button quiet small" onClick={() => update(null)}>
              {t.removeExpiry}
            </button>
          </div>
        </>
      )}
    </FormDialog>
  );
}
