import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { FilterBar } from '../../controls/filter-bar.tsx';
import { PeriodPicker } from '../../controls/period-picker.tsx';
import { FilterSelect } from '../../controls/select.tsx';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import {
  AnyLinkDocument,
  type LinkRulesFragment,
  StatisticsOfDocument,
  TopOfDocument,
} from '../../generated/documents.ts';
import { Icon } from '../../parts/icon.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { Empty, Unread } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { asCountedShare, betweenUtcDays, inDigits } from '../../words/format.ts';
import { Chart } from './chart.tsx';
import { Compared } from './compared.tsx';
import { Dimensions } from './dimensions.tsx';
import { isBegun, useLines } from './lines.ts';
import { asking, type Owner, readOwnerPart } from './owner.ts';
import {
  comparisons,
  formatSums,
  type Interval,
  lastDays,
  lengths,
  longBefore,
  monthOf,
  type Period,
  parsePeriod,
  parseView,
  possibleIntervals,
  toPoints,
  withPeriod,
} from './period.ts';
import { TopLinks } from './top-links.tsx';
import { useCounting } from './use-counting.ts';
import { sumOf, useLine } from './use-line.ts';
import { useChosen } from './values.ts';

const Compare = lazily(async () => (await import('./compare.tsx')).Compare);
const FirstSteps = lazily(async () => (await import('../first-steps.tsx')).FirstSteps);
const Variants = lazily(async () => (await import('./variants.tsx')).Variants, <span hidden />);

const compared = ['before', 'year'] as const;

interface StatisticsProps {
  readonly owner: Owner;
  /** Parts of its bar before the period, and at its end. */
  readonly filters?: ReactNode;
  readonly end?: ReactNode;
  /** The rules of a link. */
  readonly rules?: LinkRulesFragment['rules'];
}

/** The figures of the page of statistics, for any period, next to those of an earlier one. */
export function Statistics({ owner, filters, end, rules }: StatisticsProps): ReactElement {
  const now = useNow();
  const [location, navigate] = useLocation();
  const query = useSearch();
  const { days, ...period } = parsePeriod(query, now);
  const show = (rest: string) => navigate(`${location}${rest && `?${rest}`}`, { replace: true });
  const setPeriod = (to: Period) => show(withPeriod(query, to));
  const set = (name: 'each' | 'compare', value: string) => {
    const params = new URLSearchParams(query);
    params.set(name, value);
    show(String(params));
  };
  const t = texts.statistics;
  const presets = [
    ...lengths.map((length) => ({ name: t.days(length), of: lastDays(length, now) })),
    { name: t.thisMonth, of: monthOf('this-month', now) },
    { name: t.lastMonth, of: monthOf('last-month', now) },
  ];
  const { interval, comparison } = parseView(query, period);
  const earlier = comparisons[comparison]({ ...period, days }, interval);
  const { data, fault, isLoading, again } = useRead(
    StatisticsOfDocument,
    {
      ...{ ...asking(owner), ...period, interval: interval === 'HOUR' ? 'HOUR' : 'DAY' },
      ...{ beforeFrom: earlier.from, beforeTo: earlier.to },
    },
    { on: ['CLICKS'] },
  );
  const { statistics: figures, before: past } = readOwnerPart(data) ?? {};
  useCounting(owner, period.to, figures ? formatSums(figures.series, period.to) : null, isLoading);
  const series = figures?.series.filter(({ start }) => Date.parse(start) <= now) ?? [];
  const begin = useBegin(owner, past);
  const comparable = begin === null && past?.clicks ? earlier : undefined;
  const then = past ? betweenUtcDays(past) : '';
  const points = toPoints(series, past?.series, interval, begin ?? undefined);
  const { lines } = useLines(owner);
  const { chosen, addressOf } = useChosen();
  const line =
    chosen && owner.kind !== 'link'
      ? { ...{ kind: 'value' as const, dimension: chosen.dimension }, value: chosen.value ?? null }
      : undefined;
  const ofValue = useLine(owner, period, 'DAY', line);
  const valueName = line ? `${t.dimension[line.dimension]}: ${ofValue.name}` : '';
  const ofValueBefore = useLine(owner, earlier, 'DAY', line);
  const [clicks, clicksBefore] = [sumOf(ofValue), sumOf(ofValueBefore)];
  /** The clicks of the chosen value, which has no visitors, or all figures. */
  const totals = line
    ? [{ name: 'clicks' as const, count: clicks, before: clicksBefore }]
    : (['clicks', 'visitors'] as const).map((name) => ({
        ...{ name, count: figures?.[name], before: past?.[name] },
      }));
  const isComparing = lines !== null && !isBegun(lines, owner);
  const today = lastDays(1, now).to;
  const isRunning = period.to >= today;
  const chart = {
    ...{ interval, intervals: possibleIntervals(period), isRunning },
    onInterval: (one: Interval) => set('each', one.toLowerCase()),
  };
  return (
    <div className="statistics stack">
      <FilterBar end={end}>
        {filters}
        <PeriodPicker
          label={t.period}
          isSet={withPeriod('', { ...period, days }) !== ''}
          presets={presets}
          {...{ ...period, days }}
          names={{ from: t.from, to: t.to }}
          today={today}
          onDays={setPeriod}
        />
        <FilterSelect
          label={t.comparison}
          isSet={false}
          value={comparison}
          options={compared.map((value) => ({ value, text: t.comparisons[value] }))}
          onValue={(value) => set('compare', value)}
        />
        {line && (
          <Link href={addressOf(null)} className="filter set" aria-label={texts.removeOf(valueName)}>
            <bdi className="cut">{valueName}</bdi> <Icon name="close" />
          </Link>
        )}
      </FilterBar>
      <Unread fault={fault} again={again} rows={5} isKept={figures !== undefined} />
      {figures && (
        <>
          <div className="card">
            <dl className="totals">
              {totals.map(({ name, count, before }) => (
                <div key={name}>
                  <dt className="quiet">{t[name]}</dt>
                  <dd>{count === undefined ? '…' : inDigits(count)}</dd>
                  {comparable && count !== undefined && before !== undefined && (
                    <dd>
                      <Compared now={count} then={before} isRunning={isRunning} />
                    </dd>
                  )}
                </div>
              ))}
              {line && figures.clicks > 0 && (
                <div>
                  <dt className="quiet">{t.share}</dt>
                  <dd>{clicks === undefined ? '…' : asCountedShare(clicks / figures.clicks)}</dd>
                  {comparable && past && clicksBefore !== undefined && (
                    <dd className="quiet">{t.comparedWith(asCountedShare(clicksBefore / past.clicks))}</dd>
                  )}
                </div>
              )}
            </dl>
            {past && (
              <p className="compared quiet">
                {past.clicks === 0
                  ? t.nothingThen(then)
                  : begin === null
                    ? texts.labelled(t.comparison, then)
                    : then}
                {begin && ` · ${t.noneBefore(betweenUtcDays({ from: begin, to: begin }))}`}
                {comparison === 'year' && interval === 'WEEK' && ` · ${t.wholeWeeks}`}
              </p>
            )}
          </div>
          {isComparing && <Compare {...{ owner, period, earlier: comparable, ...chart }} />}
          {figures.clicks === 0 || points.length === 0 ? (
            <Nothing owner={owner} />
          ) : (
            <>
              {!isComparing && (
                <Chart
                  {...chart}
                  points={points}
                  comparison={comparison}
                  fileName={makeFileName(owner, interval, [period, ...(past ? [past] : [])])}
                  owner={owner}
                />
              )}
              <div className="dimensions stack">
                {owner.kind !== 'link' && (
                  <TopLinks owner={owner} period={period} isRunning={isRunning} earlier={comparable} />
                )}
                {rules && rules.length > 0 && <Variants owner={owner} period={period} rules={rules} />}
                <Dimensions owner={owner} period={period} />
              </div>
            </>
          )}
          <p className="hint">
            {figures.bots > 0 && `${t.botsNote(figures.bots)} `}
            {t.note}
          </p>
        </>
      )}
    </div>
  );
}

const AN_HOUR = 3_600_000;
const A_MINUTE = 60_000;

/** The current hour, which changes while a page stays open. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const toHour = (time: number) => Math.floor(time / AN_HOUR);
    const look = () => setNow((before) => (toHour(before) === toHour(Date.now()) ? before : Date.now()));
    const timer = setInterval(look, A_MINUTE);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Says what a file is of, and of when. */
function makeFileName({ name = '' }: Owner, interval: Interval, periods: readonly Period[]): string {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const times = periods.map(({ from, to }) => `${from}-to-${to}`).join('-and-');
  return `${['statistics', ...words, 'by', interval.toLowerCase(), times].join('-')}.csv`;
}

/** Says what to do where nothing was counted. */
function Nothing({ owner }: { owner: Owner }): ReactElement {
  const { canWrite } = useSession();
  const { data, fault, again } = useRead(AnyLinkDocument, {}, { on: ['LINK'] });
  const t = texts.statistics;
  if (data === undefined) return <Unread fault={fault} again={again} rows={5} />;
  const [link, ...others] = data.links.nodes;
  const isNew = others.length === 0 && (link?.clicks ?? 0) === 0;
  if (isNew && owner.kind === 'account' && canWrite) return <FirstSteps />;
  return isNew && !link ? (
    <Empty title={texts.links.none} />
  ) : (
    <Empty title={t.nothing}>{t.nothingYet}</Empty>
  );
}

interface Past extends Period {
  readonly series: readonly { readonly start: string; readonly clicks: number }[];
}

/**
 * Finds the time of the first click of all, if it is within this period: the counts since then cannot be compared with a whole
 * period. Null if they can, undefined until that is known.
 */
function useBegin(owner: Owner, past: Past | undefined): string | null | undefined {
  const first = past?.series.findIndex(({ clicks }) => clicks > 0) ?? -1;
  // The days before need no values.
  const { data, isLoading } = useRead(
    TopOfDocument,
    { ...asking(owner), ...longBefore(past ?? lastDays(1, Date.now())), by: 'COUNTRY', first: 0 },
    { pause: first < 1 },
  );
  if (first < 1) return null;
  const known = isLoading ? undefined : readOwnerPart(data)?.statistics;
  return known && (known.clicks > 0 ? null : past?.series[first]?.start);
}
