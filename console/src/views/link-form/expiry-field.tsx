import { type ReactElement, type SyntheticEvent, useEffect, useRef } from 'react';
import { type FormProps, INCOMPLETE } from '../../data/link-fields.ts';
import { Field } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { timeZone } from '../../words/format.ts';

/** Without it, browsers take years of more than four digits. */
const LAST_MOMENT = '9999-12-31T23:59';

/** The expiry of a link. An incomplete date is reported, since browsers show it but give it no value. */
export function ExpiryField({
  fields: { expiresAt },
  error,
  onChange,
}: {
  fields: Pick<FormProps['fields'], 'expiresAt'>;
  error: string | undefined;
  onChange: (patch: { expiresAt: string }) => void;
}): ReactElement {
  const ref = useRef<HTMLInputElement>(null);
  // What was discarded must not stay in sight.
  useEffect(() => {
    if (expiresAt === '' && ref.current?.validity.badInput) ref.current.value = '';
  }, [expiresAt]);
  const read = ({ currentTarget: { value, validity } }: SyntheticEvent<HTMLInputElement>) => {
    const entered = validity.badInput ? INCOMPLETE : value;
    if (entered !== expiresAt) onChange({ expiresAt: entered });
  };
  const t = texts.form;
  const isPast = Date.parse(expiresAt) <= Date.now();
  return (
    <Field
      label={t.expiresAt}
      hint={t.inZone(timeZone)}
      warning={expiresAt === INCOMPLETE ? t.incompleteExpiry : isPast ? t.pastExpiry : null}
      error={error}
    >
      {(parts) => (
        <input
          {...parts}
          ref={ref}
          type="datetime-local"
          max={LAST_MOMENT}
          value={expiresAt === INCOMPLETE ? '' : expiresAt}
          onChange={read}
          // A change from one part to another is no change of the value.
          onKeyUp={read}
          onBlur={read}
        />
      )}
    </Field>
  );
}
