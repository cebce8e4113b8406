import type { ReactElement } from 'react';
import { localToday } from '../../controls/days.ts';
import { PeriodPicker } from '../../controls/period-picker.tsx';
import { texts } from '../../texts.ts';
import { monthOf } from '../statistics/period.ts';
import type { LinksState } from './links-state.ts';

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
  const t = texts.filters;
  return (
    <PeriodPicker
      label={t.time}
      isSet={since !== '' || until !== ''}
      presets={[
        { name: t.times.any, of: { from: '', to: '' } },
        { name: t.times.thisMonth, of: { from: present.from, to: '' } },
        { name: t.times.lastMonth, of: past },
      ]}
      from={since}
      to={until}
      names={t.created}
      today={today}
      onDays={({ from, to }) => set({ since: from, until: to })}
    />
  );
}
