import type { ReactElement } from 'react';
import { texts } from '../../texts.ts';
import { DayField } from '../statistics/day-field.tsx';
import { monthOf } from '../statistics/period.ts';
import type { LinksState } from './links-state.ts';

type Days = Pick<LinksState, 'since' | 'until'>;

interface FilterProps {
  readonly state: LinksState;
  set(patch: Days): void;
}

/** The choices, in local days, not in UTC. “This month” has no end. */
function choices(): Record<keyof typeof texts.filters.times, Days> {
  const now = Date.now() - new Date().getTimezoneOffset() * 60_000;
  const [present, past] = [monthOf('this', now), monthOf('last', now)];
  return {
    any: { since: '', until: '' },
    thisMonth: { since: present.from, until: '' },
    lastMonth: { since: past.from, until: past.to },
    own: { since: past.from, until: present.to },
  };
}

/** A choice of the time in which links were created. */
export function TimeFilter({ state: { since, until }, set }: FilterProps): ReactElement {
  const times = choices();
  const names = Object.keys(times) as (keyof typeof times)[];
  const chosen = names.find((one) => times[one].since === since && times[one].until === until) ?? 'own';
  return (
    <select
      className={chosen === 'any' ? 'filter' : 'filter set'}
      aria-label={texts.filters.time}
      value={chosen}
      onChange={({ target: { value } }) => set(times[names.find((one) => one === value) ?? 'any'])}
    >
      {names.map((one) => (
        <option key={one} value={one}>
          {texts.filters.times[one]}
        </option>
      ))}
    </select>
  );
}

/** The days of the filter, which can be changed. */
export function ChosenTime({ state: { since, until }, set }: FilterProps): ReactElement | null {
  if (since === '' && until === '') return null;
  const { created } = texts.filters;
  return (
    <fieldset className="chosen" aria-label={texts.filters.time}>
      <DayField label={created.from} day={since} onDay={(day) => set({ since: day, until })} />
      <DayField label={created.to} day={until} onDay={(day) => set({ since, until: day })} />
    </fieldset>
  );
}
