import { type ReactElement, type SyntheticEvent, useEffect, useRef } from 'react';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { lazily } from '../parts/lazily.tsx';
import { texts } from '../texts.ts';
import { INCOMPLETE, timeZone } from '../words/format.ts';
import { isDay, LAST_DAY } from './days.ts';
import { Popover } from './popover.tsx';

const Panel = lazily(
  async () => (await import('./moment-panel.tsx')).MomentPanel,
  <div className="calendar" />,
);

interface MomentFieldProps {
  readonly label: string;
  /** A local time, as of `datetime-local`, or `INCOMPLETE`. */
  readonly value: string;
  readonly hint?: string;
  readonly warning?: string | null;
  readonly error?: string | undefined;
  /** The time of a day that is chosen while no time is. */
  readonly usualTime?: string;
  onText(text: string): void;
}

/** A date and time, typed or by a calendar. An incomplete one is reported, since browsers show it but give it no value. */
export function MomentField(props: MomentFieldProps): ReactElement {
  const { label, value, hint = texts.form.inZone(timeZone), warning, error, usualTime = '00:00' } = props;
  const { onText } = props;
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
  const day = value.slice(0, 10);
  return (
    <Field
      label={label}
      hint={hint}
      warning={value === INCOMPLETE ? t.incompleteExpiry : warning}
      error={error}
    >
      {(parts) => (
        <div className="moment">
          <input
            {...parts}
            ref={ref}
            type="datetime-local"
            max={`${LAST_DAY}T23:59`}
            value={value === INCOMPLETE ? '' : value}
            onChange={read}
            // A change from one part to another is no change of the value.
            onKeyUp={read}
            onBlur={read}
          />
          <Popover label={texts.controls.calendar} button={<Icon name="calendar" />} onNear={Panel.preload}>
            {(close) => (
              <Panel
                day={isDay(day) ? day : ''}
                time={value.slice(11) || usualTime}
                onMoment={(...moment) => onText(moment.join('T'))}
                onClose={close}
              />
            )}
          </Popover>
        </div>
      )}
    </Field>
  );
}
