import type { ReactElement } from 'react';
import { MomentField } from '../../controls/moment-field.tsx';
import type { FormProps } from '../../data/link-fields.ts';
import { AreaField, SelectField } from '../../parts/field.tsx';
import { tiedTo } from '../../parts/tied.ts';
import { texts } from '../../texts.ts';

const statuses = ['301', '302', '307', '308'];

/** The start of a link, the status of its redirect, and its notes. */
export function StartField({ fields, errors, onChange }: FormProps): ReactElement {
  const t = texts.form;
  const names = texts.link.names;
  const tied = tiedTo<'startsAt' | 'notes'>(fields, onChange);
  return (
    <>
      <div className="pair">
        <MomentField label={names.startsAt} {...tied('startsAt', errors)} />
        <SelectField
          label={names.redirectStatus}
          hint={t.statusHint}
          value={fields.redirectStatus}
          options={statuses.map((value) => ({ value, text: value }))}
          onValue={(value) => onChange({ redirectStatus: value })}
          error={errors.redirectStatus}
        />
      </div>
      <AreaField
        label={names.notes}
        hint={t.notesHint}
        {...tied('notes', errors)}
        rows={4}
        maxLength={5_000}
      />
    </>
  );
}
