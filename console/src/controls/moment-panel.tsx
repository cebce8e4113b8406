import type { ReactElement } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Calendar } from './calendar.tsx';
import { localToday } from './days.ts';

interface MomentPanelProps {
  /** Empty if none is chosen. */
  readonly day: string;
  readonly time: string;
  onMoment(day: string, time: string): void;
  onClose(): void;
}

/** A calendar with the time of its day below. */
export function MomentPanel({ day, time, onMoment, onClose }: MomentPanelProps): ReactElement {
  const t = texts.controls;
  const today = localToday();
  return (
    <>
      <Calendar from={day} today={today} autoFocus onDay={(chosen) => onMoment(chosen, time)} />
      <div className="time-of-day line">
        <label className="inline">
          {t.time}
          <input
            type="time"
            value={time}
            onChange={({ target: { value } }) => value !== '' && onMoment(day || today, value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              // The form around it is not sent.
              event.preventDefault();
              onClose();
            }}
          />
        </label>
        <Button look="quiet small" text={t.done} onClick={onClose} />
      </div>
    </>
  );
}
