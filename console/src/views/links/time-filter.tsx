import type { ReactElement } from 'react';
import { localToday, months } from '../../controls/days.ts';
import { PeriodPicker } from '../../controls/period-picker.tsx';
import { texts } from '../../texts.ts';
import { atMoment, toLocalInput } from '../../words/format.ts';
import { monthOf } from '../statistics/period.ts';
import { dayNow, type LinksState } from './links-state.ts';

/** Returns the local day of a time, or of a month; a day is itself. */
const localDay = (at: string, end: 'from' | 'to'): string =>
  at.endsWith('Z') ? toLocalInput(at).slice(0, 10) : dayNow(at, end);

/** A choice of the time in which links were created, in local days, not in UTC. “This month” has no end. */
export function TimeFilter({
  state: { since, until },
  set,
}: {
  state: LinksState;
  set: (patch: Pick<LinksState, 'since' | 'until'>) => void;
}): ReactElement {
  const today = localToday();
  const now = Date.parse(today);
  const days = {
    ...{ from: localDay(since, 'from'), to: localDay(until, 'to') },
    days: months.find((month) => month === since),
  };
  const t = texts.filters;
  return (
    <PeriodPicker
      label={t.time}
      isSet={since !== '' || until !== ''}
      presets={[
        // The links of an import, in the time in which it made them.
        ...(since.endsWith('Z') ? [{ name: atMoment(since), of: days }] : []),
        { name: t.times.any, of: { from: '', to: '' } },
        { name: t.times.thisMonth, of: { ...monthOf('this-month', now), to: '' } },
        { name: t.times.lastMonth, of: monthOf('last-month', now) },
      ]}
      {...days}
      names={t.created}
      today={today}
      onDays={({ from, to, days: month }) =>
        set({ since: String(month ?? from), until: to && String(month ?? to) })
      }
    />
  );
}
