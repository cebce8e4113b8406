import { type ReactElement, useState } from 'react';
import { Calendar } from './calendar.tsx';
import { DayField } from './day-field.tsx';
import { addDays, type Days } from './days.ts';

export interface PanelProps extends Days {
  /** The usual periods, under their names. */
  readonly presets: readonly { readonly name: string; readonly of: Days }[];
  /** The index of the one that is chosen; -1 for other days. */
  readonly preset: number;
  /** The labels of both ends. */
  readonly names: Readonly<Record<'from' | 'to', string>>;
  /** The last day that can be chosen in the calendar. */
  readonly today: string;
  readonly onDays: (days: Days) => void;
  readonly onClose: () => void;
}

/** The most days of a month that are too few to show it. */
const FEW = 7;

/** The last day, or the one before its month where that has only a few days of a longer period; undefined if an end is open. */
function beginAt({ from, to }: Days): string | undefined {
  if (from === '' || to === '') return undefined;
  const first = `${to.slice(0, 8)}01`;
  return from < first && to < addDays(first, FEW) ? addDays(first, -1) : to;
}

/** The usual periods, two typed days, and a calendar on which two presses choose both ends. */
export function PeriodPanel({
  presets,
  names,
  from,
  to,
  preset,
  today,
  onDays,
  onClose,
}: PanelProps): ReactElement {
  /** The first end, while the second one is awaited. */
  const [begin, setBegin] = useState<string | null>(null);
  const choose = (chosen: Days) => {
    onDays(chosen);
    onClose();
  };
  const onDay = (day: string) => {
    if (begin === null) setBegin(day);
    else choose(day < begin ? { from: day, to: begin } : { from: begin, to: day });
  };
  const typed = (end: 'from' | 'to') => (
    <DayField
      label={names[end]}
      day={end === 'from' ? from : to}
      onDay={(day) => {
        setBegin(null);
        if (day !== (end === 'from' ? from : to)) onDays({ from, to, [end]: day });
      }}
    />
  );
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
          {...{ today, max: today }}
          begin={begin === null && preset >= 0 ? beginAt({ from, to }) : undefined}
          autoFocus={begin !== null}
          onDay={onDay}
        />
      </div>
    </div>
  );
}
