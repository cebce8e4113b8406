import type { ReactElement } from 'react';
import { MomentField } from '../../controls/moment-field.tsx';
import type { FormProps } from '../../data/link-fields.ts';
import { texts } from '../../texts.ts';

/** The expiry of a link. */
export function ExpiryField({
  fields: { expiresAt },
  error,
  onChange,
}: {
  fields: Pick<FormProps['fields'], 'expiresAt'>;
  error: string | undefined;
  onChange: (patch: { expiresAt: string }) => void;
}): ReactElement {
  const t = texts.form;
  return (
    <MomentField
      label={t.expiresAt}
      value={expiresAt}
      warning={Date.parse(expiresAt) <= Date.now() ? t.pastExpiry : null}
      error={error}
      usualTime="23:59"
      onText={(text) => onChange({ expiresAt: text })}
    />
  );
}
