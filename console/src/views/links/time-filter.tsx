import type { ReactElement } from 'react';
import { localToday } from '../../controls/days.ts';
import { PeriodPicker } from '../../controls/period-picker.tsx';
import { texts } from '../../texts.ts';
import { atMoment, toLocalInput } from '../../words/format.ts';
import { monthOf } from '../statistics/period.ts';
import type { LinksState } from './links-state.ts';

/** Returns the local day of a time, and a day itself. */
const localDay = (at: string): string => (at.endsWith('Z') ? toLocalInput(at).slice(0, 10) : at);

/** A choice of the time in which links were created, in local days, not in UTC. “This month” has no end. */
export function TimeFilter({
  state: { since, until },
  set,
}: {
  state: LinksState;
  set: (patch: Pick<LinksState, 'since' | 'until'>) => void;
}): ReactElement {
  const today = localToday();
  const [present, past] = [monthOf('this', Date.parse(today)), monthOf('last', Date.parse(today))];
  const days = { from: localDay(since), to: localDay(until) };
  const t = texts.filters;
  return (
    <PeriodPicker
      label={t.time}
      isSet={since !== '' || until !== ''}
      presets={[
        // The links of an import, in the time in which it made them.
        ...(since.endsWith('Z') ? [{ name: atMoment(since), of: days }] : []),
        { name: t.times.any, of: { from: '', to: '' } },
        { name: t.times.thisMonth, of: { from: present.from, to: '' } },
        { name: t.times.lastMonth, of: past },
      ]}
      {...days}
      names={t.created}
      today={today}
      onDays={({ from, to }) => set({ since: from, until: to })}
    />
  );
}
