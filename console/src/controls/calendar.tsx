import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { locale } from '../language.ts';
import { texts } from '../texts.ts';
import { IconButton } from './button.tsx';
import { addDays, addMonths, columnOf, FIRST_DAY, LAST_DAY, weeksAround } from './days.ts';

const timeZone = 'UTC';
const monthName = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone });
const wholeDay = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone });

interface CalendarProps {
  /** The first and the last chosen day, as `2026-12-24`; empty if there is none. */
  readonly from: string;
  readonly to?: string;
  readonly today: string;
  /** The day to begin at; by default, the last chosen one. */
  readonly begin?: string | undefined;
  readonly min?: string;
  readonly max?: string;
  /** True to begin in the grid. */
  readonly autoFocus?: boolean;
  onDay(day: string): void;
}

/** The days of a month, of which one is chosen. Arrow keys, Home, End, PageUp and PageDown move among them. */
export function Calendar(props: CalendarProps): ReactElement {
  const { from, to = from, today, begin, min = FIRST_DAY, max = LAST_DAY, autoFocus = false, onDay } = props;
  const within = (day: string) => (day < min ? min : day > max ? max : day);
  const [at, setAt] = useState(within(begin ?? (to || from || today)));
  const grid = useRef<HTMLTableElement>(null);
  const hasFocus = useRef(autoFocus);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each move to another day
  useEffect(() => {
    if (hasFocus.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [at]);
  const move = (day: string, isByKey = false) => {
    hasFocus.current = isByKey;
    setAt(within(day));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey } = event;
    const column = columnOf(at);
    const days = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7, Home: -column, End: 6 - column }[
      key
    ];
    const months = { PageUp: -1, PageDown: 1 }[key];
    if (days === undefined && months === undefined) return;
    event.preventDefault();
    move(months ? addMonths(at, months * (shiftKey ? 12 : 1)) : addDays(at, days ?? 0), true);
  };
  const t = texts.controls;
  const weeks = weeksAround(at);
  const name = monthName.format(new Date(at));
  const turn = (months: number, label: string, icon: 'back' | 'next') => {
    const to = within(addMonths(at, months));
    const isEnd = to.slice(0, 7) === at.slice(0, 7);
    return <IconButton icon={icon} name={label} disabled={isEnd} onClick={() => move(to)} />;
  };
  const isChosen = (day: string) => from !== '' && day >= from && day <= to;
  const look = (day: string) =>
    [
      day.slice(0, 7) !== at.slice(0, 7) && 'other',
      isChosen(day) && 'in',
      (day === from || day === to) && 'edge',
    ]
      .filter(Boolean)
      .join(' ');
  return (
    <div className="calendar">
      <header>
        {turn(-1, t.previousMonth, 'back')}
        <b aria-live="polite">{name}</b>
        {turn(1, t.nextMonth, 'next')}
      </header>
      <table ref={grid} aria-label={name}>
        <thead>
          <tr>
            {weeks[0]?.map((day) => (
              <th key={day} scope="col">
                {weekday.format(new Date(day))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day} className={look(day)}>
                  <button
                    type="button"
                    tabIndex={day === at ? 0 : -1}
                    data-begin={(autoFocus && day === at) || undefined}
                    aria-label={wholeDay.format(new Date(day))}
                    aria-current={day === today ? 'date' : undefined}
                    aria-pressed={isChosen(day)}
                    disabled={day < min || day > max}
                    onKeyDown={onKeyDown}
                    onClick={() => {
                      move(day, true);
                      onDay(day);
                    }}
                  >
                    {Number(day.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
