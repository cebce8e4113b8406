import { type ReactElement, type SyntheticEvent, useEffect, useRef } from 'react';
import { Field } from '../parts/field.tsx';
import { texts } from '../texts.ts';
import { INCOMPLETE, timeZone } from '../words/format.ts';

/** Without it, browsers take years of more than four digits. */
const LAST_MOMENT = '9999-12-31T23:59';

/** A date and time. An incomplete one is reported, since browsers show it but give it no value. */
export function MomentField({
  label,
  value,
  warning,
  error,
  onText,
}: {
  label: string;
  /** A local time, as of `datetime-local`, or `INCOMPLETE`. */
  value: string;
  warning?: string | null;
  error: string | undefined;
  onText: (text: string) => void;
}): ReactElement {
  const ref = useRef<HTMLInputElement>(null);
  // What was discarded must not stay in sight.
  useEffect(() => {
    if (value === '' && ref.current?.validity.badInput) ref.current.value = '';
  }, [value]);
  const read = ({ currentTarget: { value: text, validity } }: SyntheticEvent<HTMLInputElement>) => {
    const entered = validity.badInput ? INCOMPLETE : text;
    if (entered !== value) onText(entered);
  };
  const t = texts.form;
  return (
    <Field
      label={label}
      hint={t.inZone(timeZone)}
      warning={value === INCOMPLETE ? t.incompleteExpiry : warning}
      error={error}
    >
      {(parts) => (
        <input
          {...parts}
          ref={ref}
          type="datetime-local"
          max={LAST_MOMENT}
          value={value === INCOMPLETE ? '' : value}
          onChange={read}
          // A change from one part to another is no change of the value.
          onKeyUp={read}
          onBlur={read}
        />
      )}
    </Field>
  );
}
