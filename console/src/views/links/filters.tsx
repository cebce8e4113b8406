import type { ReactElement } from 'react';
import { Button } from '../../controls/button.tsx';
import { FilterBar } from '../../controls/filter-bar.tsx';
import { Popover } from '../../controls/popover.tsx';
import { FilterSelect } from '../../controls/select.tsx';
import { useRead } from '../../data/read.ts';
import { ChoicesDocument, type LinkStatus } from '../../generated/documents.ts';
import { SelectField } from '../../parts/field.tsx';
import { SavedViews } from '../../parts/saved-views.tsx';
import { texts } from '../../texts.ts';
import {
  archives,
  hasConditions,
  type LinksState,
  orderFields,
  toQuery,
  unfiltered,
  usualDirection,
} from './links-state.ts';
import { ChosenTags, TagFilter } from './tag-filter.tsx';
import { TimeFilter } from './time-filter.tsx';

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

interface FilterProps {
  readonly name: string;
  /** Its empty choice. */
  readonly any: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  onValue(value: string): void;
}

function Filter({ name, any, choices, ...select }: FilterProps): ReactElement {
  return <FilterSelect {...select} label={name} options={[{ value: '', text: any }, ...choices]} />;
}

/** The filters, of which the rare ones wait in a panel, saved views and the order. */
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
  const t = texts.filters;
  const spaces = [{ value: 'none', text: t.withoutSpace }, ...named(data?.spaces.nodes)];
  const domains = named(data?.domains.nodes);
  const pixels = named(data?.pixels.nodes);
  const hasDomains = domains.length > 1 || state.domain !== '';
  const hasPixels = pixels.length > 0 || state.pixel !== '';
  const isRareSet = state.domain !== '' || state.pixel !== '';
  const sort = sorts.findIndex(([field, way]) => field === state.order && way === state.direction);
  return (
    <FilterBar
      end={
        <>
          <SavedViews view="LINKS" query={toQuery({ ...state, after: '', before: '' }).slice(1)} />
          <FilterSelect
            label={t.order}
            isSet={false}
            value={String(sort)}
            options={sorts.map(([field, way], index) => ({
              value: String(index),
              text: t.orders[field][way],
            }))}
            onValue={(index) => {
              const [order, direction] = sorts[Number(index)] ?? ['ID', 'DESC'];
              set({ order, direction });
            }}
          />
        </>
      }
    >
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
      <TimeFilter state={state} set={set} />
      {/* Those that wait for data come last and move nothing. */}
      <TagFilter state={state} set={set} />
      <ChosenTags state={state} set={set} />
      {(hasDomains || hasPixels) && (
        <Popover label={t.more} look={isRareSet ? 'filter set' : 'filter'} button={t.more} isNamed>
          {() => (
            <div className="rare stack near">
              {hasDomains && (
                <SelectField
                  label={t.domain}
                  value={state.domain}
                  options={[{ value: '', text: t.any.domain }, ...withValue(domains, state.domain)]}
                  onValue={(domain) => set({ domain })}
                />
              )}
              {hasPixels && (
                <SelectField
                  label={t.pixel}
                  value={state.pixel}
                  options={[{ value: '', text: t.any.pixel }, ...withValue(pixels, state.pixel)]}
                  onValue={(pixel) => set({ pixel })}
                />
              )}
            </div>
          )}
        </Popover>
      )}
      {hasConditions(state) && <Button look="text" text={t.clear} onClick={() => set(unfiltered)} />}
    </FilterBar>
  );
}
