import type { ReactElement } from 'react';
import { MomentField } from '../../controls/moment-field.tsx';
import type { FormProps } from '../../data/link-fields.ts';
import { Field, SelectField } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';

const statuses = ['301', '302', '307', '308'];

/** The start of a link, the status of its redirect, and its notes. */
export function StartField({ fields, errors, onChange }: FormProps): ReactElement {
  const t = texts.form;
  const names = texts.link.names;
  const { startsAt, notes, redirectStatus } = fields;
  return (
    <>
      <div className="pair">
        <MomentField
          label={names.startsAt}
          value={startsAt}
          error={errors.startsAt}
          onText={(text) => onChange({ startsAt: text })}
        />
        <SelectField
          label={names.redirectStatus}
          hint={t.statusHint}
          value={redirectStatus}
          options={statuses.map((value) => ({ value, text: value }))}
          onValue={(value) => onChange({ redirectStatus: value })}
          error={errors.redirectStatus}
        />
      </div>
      <Field label={names.notes} hint={t.notesHint} error={errors.notes}>
        {(parts) => (
          <textarea
            {...parts}
            rows={4}
            maxLength={5_000}
            value={notes}
            onChange={(event) => onChange({ notes: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
