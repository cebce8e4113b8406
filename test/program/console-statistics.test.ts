import { expect, test } from 'vitest';
import { weeksAround } from '../../console/src/controls/days.ts';
import { lookOfChange } from '../../console/src/views/statistics/change.ts';
import {
  before,
  parsePeriod,
  parseView,
  type Span,
  toPoints,
  withPeriod,
  yearBefore,
} from '../../console/src/views/statistics/period.ts';
import { wholenessOf } from '../../console/src/views/statistics/spans.ts';
import { asChange } from '../../console/src/words/format.ts';

const at = (day: string) => Date.parse(`${day}T12:00:00Z`);

test('a change has a minus sign, as wide as the plus', () => {
  expect([0.08, 0, -0.06].map(asChange)).toEqual(['+8%', '0%', '−6%']);
});

test('only nothing at all is a fall by 100 %', () => {
  expect([-1, -0.998, -0.5, 12].map((change) => lookOfChange(change, false).text)).toEqual([
    '−100%',
    '−99%',
    '−50%',
    '+1,200%',
  ]);
});

test.each([
  // Days up to today, which happen to be a whole month, and its first days.
  ['2026-11-30', '', '2026-10-02', '2026-10-31'],
  ['2026-04-30', 'days=30', '2026-03-02', '2026-03-31'],
  ['2026-11-07', 'days=7', '2026-10-25', '2026-10-31'],
  // Months.
  ['2026-11-30', 'from=2026-11-01&to=2026-11-30', '2026-10-01', '2026-10-31'],
  ['2026-11-07', 'from=2026-11-01&to=2026-11-07', '2026-10-01', '2026-10-07'],
  ['2026-11-30', 'from=2026-10-01&to=2026-10-31', '2026-09-01', '2026-09-30'],
  ['2026-11-07', 'days=this-month', '2026-10-01', '2026-10-07'],
  ['2026-11-07', 'days=last-month', '2026-09-01', '2026-09-30'],
])('on %s, "%s" is compared with %s to %s', (today, query, from, to) => {
  expect(before(parsePeriod(query, at(today)))).toEqual({ from, to });
});

test.each([
  ['days=7', { from: '2026-12-04', to: '2026-12-10', days: 7 }],
  ['days=this-month', { from: '2026-12-01', to: '2026-12-10', days: 'this-month' }],
  ['days=last-month', { from: '2026-11-01', to: '2026-11-30', days: 'last-month' }],
  // Typed days stay, also those that are a month.
  ['from=2026-11-01&to=2026-11-10', { from: '2026-11-01', to: '2026-11-10' }],
])('the address "%s" of 10 November moves on to 10 December, if its period has a name', (query, moved) => {
  const saved = withPeriod('by=country', parsePeriod(query, at('2026-11-10')));
  expect(saved).toBe(`by=country&${query}`);
  expect(parsePeriod(saved, at('2026-12-10'))).toEqual(moved);
});

test.each([
  [
    { from: '2026-11-01', to: '2026-11-20' },
    { from: '2025-11-01', to: '2025-11-20' },
  ],
  [
    { from: '2028-02-29', to: '2028-03-01' },
    { from: '2027-02-28', to: '2027-03-01' },
  ],
])('the year before %o has the same dates', (period, earlier) => {
  expect(yearBefore(period, 'DAY')).toEqual(earlier);
});

test('the year before weeks has the same days of the week', () => {
  const [from, to] = ['2026-03-02', '2026-11-22']; // A Monday and a Sunday.
  expect(yearBefore({ from, to }, 'WEEK')).toEqual({ from: '2025-03-03', to: '2025-11-23' });
});

const day = (date: number, clicks: number) => ({
  ...{ start: `2026-11-${String(date).padStart(2, '0')}T00:00:00Z`, clicks, visitors: 1, bots: 2 },
});
const shortly = ({ start, last, ...rest }: Span) => [start.slice(8, 10), last.slice(8, 10), rest];

test('weeks begin on Monday, say how much of them is there, and are compared with as many days', () => {
  // The 8th is a Sunday.
  const days = [day(8, 1), day(9, 2), day(10, 4)];
  const weeks = toPoints(days, [day(1, 8), day(2, 16)], 'WEEK');
  expect(weeks.map(({ earlier, of, ...point }) => [shortly(point), earlier && shortly(earlier), of])).toEqual(
    [
      [
        ['08', '08', { clicks: 1, visitors: 1, bots: 2, days: 1 }],
        ['01', '01', { clicks: 8, visitors: 1, bots: 2, days: 1 }],
        7,
      ],
      [
        ['09', '10', { clicks: 6, visitors: 2, bots: 4, days: 2 }],
        ['02', '02', { clicks: 16, visitors: 1, bots: 2, days: 1 }],
        7,
      ],
    ],
  );
});

test('weeks of a calendar begin on Monday, too', () => {
  expect(weeksAround('2026-12-24')[0]?.[0]).toBe('2026-11-30');
});

test('days before anything was counted are compared with nothing', () => {
  const [from, begin] = [day(1, 0), day(2, 16)];
  const [week] = toPoints([day(9, 2), day(10, 4)], [from, begin], 'WEEK', begin.start);
  expect(week?.earlier && shortly(week.earlier)).toEqual([
    ...['02', '02'],
    { clicks: 16, visitors: 1, bots: 2, days: 1 },
  ]);
});

test.each([
  ['', 2, 'HOUR'],
  ['', 92, 'DAY'],
  ['', 93, 'WEEK'],
  ['', 400, 'MONTH'],
  ['each=month', 30, 'MONTH'],
  ['each=hour', 30, 'DAY'],
])('with "%s", %i days are shown by %s', (query, days, interval) => {
  const period = { from: '2026-01-01', to: new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 10) };
  expect(parseView(query, period).interval).toBe(interval);
});

test.each([
  // Wednesday to Tuesday, and Sunday to Thursday.
  ['2026-11-04', '2026-11-24', 0, 2],
  ['2026-11-08', '2026-11-26', 1, 3],
])('lines of weeks from %s to %s lead to no less than half a week', (from, to, joinedFrom, joinedTo) => {
  const days = (at(to) - at(from)) / 86_400_000 + 1;
  const series = Array.from({ length: days }, (_, index) => {
    const start = new Date(at(from) + index * 86_400_000).toISOString();
    return { start: start.slice(0, 10), clicks: 1, visitors: 1, bots: 0 };
  });
  const points = toPoints(series, undefined, 'WEEK');
  expect(points).toHaveLength(4);
  expect(wholenessOf(points, 'WEEK', true)).toMatchObject({ from: 1, to: 2, joinedFrom, joinedTo });
});
