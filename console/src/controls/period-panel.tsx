import { type ReactElement, useState } from 'react';
import { Calendar } from './calendar.tsx';
import { DayField } from './day-field.tsx';

/** Days of a period, both included, as `2026-12-24`; an end may be empty. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

export interface PanelProps extends Days {
  /** The usual periods, under their names. */
  readonly presets: readonly { readonly name: string; readonly of: Days }[];
  /** The labels of both ends. */
  readonly names: Readonly<Record<keyof Days, string>>;
  readonly today: string;
  readonly onDays: (days: Days) => void;
  readonly onClose: () => void;
}

/** The usual periods, two typed days, and a calendar on which two presses choose both ends. */
export function PeriodPanel({ presets, names, from, to, today, onDays, onClose }: PanelProps): ReactElement {
  /** The first end, while the second one is awaited. */
  const [begin, setBegin] = useState<string | null>(null);
  const choose = (days: Days) => {
    onDays(days);
    onClose();
  };
  const onDay = (day: string) => {
    if (begin === null) setBegin(day);
    else choose(day < begin ? { from: day, to: begin } : { from: begin, to: day });
  };
  const typed = (end: keyof Days) => (
    <DayField
      label={names[end]}
      day={end === 'from' ? from : to}
      onDay={(day) => {
        setBegin(null);
        onDays({ from, to, [end]: day });
      }}
    />
  );
  const preset = presets.findIndex(({ of }) => of.from === from && of.to === to);
  return (
    <div className="period">
      <div className="presets">
        {presets.map(({ name, of }, index) => (
          <button
            key={name}
            type="button"
            aria-pressed={index === preset}
            // biome-ignore lint/a11y/noAutofocus: somebody has just opened the panel
            autoFocus={index === Math.max(preset, 0)}
            data-begin={index === Math.max(preset, 0) || undefined}
            onClick={() => choose(of)}
          >
            {name}
          </button>
        ))}
      </div>
      <div>
        <div className="range">
          {typed('from')}
          {typed('to')}
        </div>
        <Calendar
          key={begin ?? `${from} ${to}`}
          from={begin ?? from}
          to={begin ?? (to || from)}
          today={today}
          autoFocus={begin !== null}
          onDay={onDay}
        />
      </div>
    </div>
  );
}
