import type { PublicStatistics } from '../../domain/statistics/public-statistics.ts';
import { escapeHtml } from '../pages.ts';
import { fill } from '../translations.ts';
import type { Locale } from './locale.ts';

/** The maximum number of grid lines above the bottom, and of dates below. */
const MAX_LINES = 4;
const MAX_DATES = 6;
/** From how many days on the lines are thin. */
const THIN_FROM = 100;

/** The values of the grid lines, from 0: round whole numbers, the last at least the highest count. */
export function chooseSteps(highest: number): number[] {
  const rough = Math.max(highest, 1) / MAX_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.ceil([1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough);
  return Array.from({ length: Math.ceil(Math.max(highest, 1) / step) + 1 }, (_, line) => line * step);
}

const percent = (part: number): string => `${Math.round(part * 10_000) / 100}%`;

/** The points of a line through counts in a box of 100 by 100, which the browser stretches. */
function placePoints(counts: readonly number[], end: number): string[] {
  return counts.map(
    (count, index) =>
      `${Math.round((index / (counts.length - 1)) * 100_000) / 1000},${Math.round((1 - count / end) * 10_000) / 100}`,
  );
}

function drawLine(kind: string, points: readonly string[]): string {
  return `<polyline class="${kind}" points="${points.join(' ')}"/>`;
}

/** The text for those who do not see the chart. */
function describeChart(days: PublicStatistics['days'], allVisitors: number, locale: Locale): string {
  const most = days.reduce((one, other) => (other.clicks > one.clicks ? other : one));
  return fill(locale.texts.altText, {
    clicks: locale.number(days.reduce((sum, day) => sum + day.clicks, 0)),
    visitors: locale.number(allVisitors),
    day: locale.day(most.start),
    most: locale.number(most.clicks),
  });
}

/**
 * A chart of the days: an area of clicks, a line of visitors, and the counts of a day above it while a pointer or a finger is on it. The last day has not
 * ended: the line of clicks to it is dotted, and its visitors are not shown. It fits any width without scaling the text, since
 * everything but the shapes is positioned by percentages.
 */
export function drawChart(
  { days, visitors: allVisitors }: Pick<PublicStatistics, 'days' | 'visitors'>,
  locale: Locale,
): string {
  const { texts } = locale;
  const steps = chooseSteps(Math.max(...days.map(({ clicks, visitors }) => Math.max(clicks, visitors ?? 0))));
  const end = Math.max(...steps);
  const last = days.length - 1;
  const grid = steps.map((step) => {
    const y = percent(1 - step / end);
    return {
      line: `<line x2="100%" y1="${y}" y2="${y}"/>`,
      step: `<text x="100%" y="${y}" dy="4" text-anchor="end">${locale.short(step)}</text>`,
    };
  });
  const every = Math.ceil(days.length / MAX_DATES);
  const names = days.map(({ start }, index) => {
    const fromEnd = last - index;
    if (fromEnd % every !== 0 || (fromEnd > 0 && index < every / 2 && index !== 0)) return '';
    const anchor = index === last ? 'end' : index === 0 ? 'start' : 'middle';
    // Every other date is hidden on narrow screens.
    const spare = (fromEnd / every) % 2 === 1 ? ' class="spare"' : '';
    const name = escapeHtml(locale.shortDay(start));
    return `<text x="${percent(index / last)}" y="14" text-anchor="${anchor}"${spare}>${name}</text>`;
  });
  const spots = days.map(({ start, clicks, visitors }, index) => {
    const name = index === last ? `${locale.day(start)} (${texts.running})` : locale.day(start);
    const count = (what: string, number: number) => `${what}${texts.colon}${locale.number(number)}`;
    const counts = [
      count(texts.clicks, clicks),
      ...(visitors === null ? [] : [count(texts.visitors, visitors)]),
    ];
    const text = `${name}. ${counts.join(', ')}`;
    const from = Math.max(0, index - 0.5) / last;
    const to = Math.min(last, index + 0.5) / last;
    return `<g><rect x="${percent(from)}" width="${percent(to - from)}" height="100%"/><text x="100%" y="-8">${escapeHtml(text)}</text></g>`;
  });
  const clicks = placePoints(
    days.map((day) => day.clicks),
    end,
  );
  const visitors = placePoints(
    days.map((day) => day.visitors ?? 0),
    end,
  );
  const ended = clicks.slice(0, -1);
  const [lastEnded = ''] = ended.at(-1)?.split(',') ?? [];
  const altText = describeChart(days, allVisitors, locale);
  return `<div class="chart" role="img" aria-label="${escapeHtml(`${texts.perDay}${texts.colon}${altText}`)}">
<svg class="steps" aria-hidden="true">${grid.map(({ step }) => step).join('')}</svg>
<svg class="days${days.length > THIN_FROM ? ' many' : ''}" aria-hidden="true"><g class="grid">${grid.map(({ line }) => line).join('')}</g>
<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%" overflow="visible">
<polygon class="area" points="0,100 ${ended.join(' ')} ${lastEnded},100"/>${drawLine('clicks', ended)}${drawLine('clicks today', clicks.slice(-2))}${drawLine('visitors', visitors.slice(0, -1))}
</svg><g class="spots">${spots.join('')}</g></svg>
<svg class="names" aria-hidden="true">${names.join('')}</svg>
</div>`;
}
