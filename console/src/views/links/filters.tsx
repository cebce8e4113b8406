import { type ReactElement, useState } from 'react';
import { useRead } from '../../data/read.ts';
import { ChoicesDocument, type LinkStatus } from '../../generated/documents.ts';
import { SavedViews } from '../../parts/saved-views.tsx';
import { texts } from '../../texts.ts';
import {
  archives,
  hasConditions,
  isFiltered,
  type LinksState,
  orderFields,
  toQuery,
  unfiltered,
  usualDirection,
} from './links-state.ts';
import { ChosenTags, TagFilter } from './tag-filter.tsx';
import { ChosenTime, TimeFilter } from './time-filter.tsx';

/** Each order in both directions, the expected one first. */
const sorts = orderFields.flatMap((field) =>
  usualDirection(field) === 'ASC'
    ? ([
        [field, 'ASC'],
        [field, 'DESC'],
      ] as const)
    : ([
        [field, 'DESC'],
        [field, 'ASC'],
      ] as const),
);

const statuses: readonly LinkStatus[] = ['ACTIVE', 'DISABLED', 'EXPIRED'];

interface Choice {
  readonly value: string;
  readonly text: string;
}

function Filter({
  name,
  any,
  value,
  choices,
  onValue,
}: {
  name: string;
  /** Its empty choice. */
  any: string;
  value: string;
  choices: readonly Choice[];
  onValue: (value: string) => void;
}): ReactElement {
  return (
    <select
      className={value === '' ? 'filter' : 'filter set'}
      aria-label={name}
      value={value}
      onChange={(event) => onValue(event.target.value)}
    >
      <option value="">{any}</option>
      {choices.map((one) => (
        <option key={one.value} value={one.value}>
          {one.text}
        </option>
      ))}
    </select>
  );
}

/** The filters, on a phone behind a button, and the order. */
export function Filters({
  state,
  set,
}: {
  state: LinksState;
  set: (patch: Partial<LinksState>) => void;
}): ReactElement {
  const { data } = useRead(ChoicesDocument, {}, { on: ['SPACE', 'DOMAIN', 'PIXEL'] });
  const named = (nodes: readonly { id: string; name: string }[] = []): Choice[] =>
    nodes.map(({ id, name }) => ({ value: id, text: name }));
  // A filter that the URL sets shows its value before its name is known.
  const withValue = (choices: Choice[], value: string): Choice[] =>
    value === '' || choices.some((one) => one.value === value)
      ? choices
      : [...choices, { value, text: `#${value}` }];
  const [isOpen, setOpen] = useState(() => hasConditions(state));
  const t = texts.filters;
  const spaces = [{ value: 'none', text: t.withoutSpace }, ...named(data?.spaces.nodes)];
  const domains = named(data?.domains.nodes);
  const pixels = named(data?.pixels.nodes);
  return (
    <div className={isOpen ? 'filters open' : 'filters'}>
      <button
        type="button"
        className={hasConditions(state) ? 'filter set' : 'filter'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t.title}
      </button>
      <div>
        <Filter
          name={t.status}
          any={t.any.status}
          value={state.archived || state.status}
          choices={[
            ...statuses.map((value) => ({ value, text: texts.status[value] })),
            ...archives.map((value) => ({ value, text: t.archives[value] })),
          ]}
          onValue={(value) =>
            set({
              status: statuses.find((one) => one === value) ?? '',
              archived: archives.find((one) => one === value) ?? '',
            })
          }
        />
        <Filter
          name={t.space}
          any={t.any.space}
          value={state.space}
          choices={withValue(spaces, state.space)}
          onValue={(space) => set({ space })}
        />
        <TagFilter state={state} set={set} />
        <TimeFilter state={state} set={set} />
        {(domains.length > 1 || state.domain !== '') && (
          <Filter
            name={t.domain}
            any={t.any.domain}
            value={state.domain}
            choices={withValue(domains, state.domain)}
            onValue={(domain) => set({ domain })}
          />
        )}
        {(pixels.length > 0 || state.pixel !== '') && (
          <Filter
            name={t.pixel}
            any={t.any.pixel}
            value={state.pixel}
            choices={withValue(pixels, state.pixel)}
            onValue={(pixel) => set({ pixel })}
          />
        )}
        {isFiltered(state) && (
          <button type="button" className="button text" onClick={() => set(unfiltered)}>
            {t.clear}
          </button>
        )}
        <ChosenTags state={state} set={set} />
        <ChosenTime state={state} set={set} />
      </div>
      <SavedViews view="LINKS" query={toQuery({ ...state, after: '', before: '' }).slice(1)} />
      <select
        className="filter"
        aria-label={t.order}
        value={sorts.findIndex(([field, way]) => field === state.order && way === state.direction)}
        onChange={(event) => {
          const [order, direction] = sorts[Number(event.target.value)] ?? ['ID', 'DESC'];
          set({ order, direction });
        }}
      >
        {sorts.map(([field, way], index) => (
          <option key={field + way} value={index}>
            {t.orders[field][way]}
          </option>
        ))}
      </select>
    </div>
  );
}
