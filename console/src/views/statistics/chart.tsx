import { type ReactElement, useState } from 'react';
import type { StatisticsInterval } from '../../generated/documents.ts';
import { atMoment, inDigits, inShort, inUtcMonth, onUtcDay } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

interface Point {
  readonly start: string;
  readonly clicks: number;
  readonly visitors: number | null;
}

/** The units of the drawing, which is stretched to its place. */
const WIDTH = 1_000;
const HEIGHT = 220;

/** The smallest round number from `most` on. */
function roundAbove(most: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(most, 4)));
  return [1, 2, 4, 5, 10].map((factor) => factor * size).find((one) => one >= most) ?? most;
}

function labelOf(start: string, interval: StatisticsInterval): string {
  if (interval === 'MONTH') return inUtcMonth(start);
  return interval === 'HOUR' ? atMoment(start) : onUtcDay(start);
}

/** Clicks and visitors over time. */
export function Chart({
  points,
  interval,
}: {
  points: readonly Point[];
  interval: StatisticsInterval;
}): ReactElement {
  const [at, setAt] = useState<number | null>(null);
  const t = texts.statistics;
  const top = roundAbove(Math.max(...points.map(({ clicks }) => clicks), 0));
  const x = (index: number) => (points.length < 2 ? WIDTH / 2 : (index / (points.length - 1)) * WIDTH);
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  const line = (heightOf: (point: Point) => number) =>
    points.map((point, index) => `${x(index).toFixed(1)},${y(heightOf(point)).toFixed(1)}`).join(' ');
  const clicks = line((point) => point.clicks);
  const hasVisitors = points.some(({ visitors }) => visitors !== null);
  const pointed = at === null ? undefined : points[at];
  const busiest = points.reduce<Point | undefined>(
    (most, one) => (most && most.clicks >= one.clicks ? most : one),
    undefined,
  );
  const name = busiest ? t.chart(inDigits(busiest.clicks), labelOf(busiest.start, interval)) : t.nothing;
  return (
    <section className="card chart">
      <header>
        <h2>{hasVisitors ? t.overTime : t.clicksOverTime}</h2>
        <p className="readout" aria-hidden="true">
          {pointed
            ? t.readout(
                labelOf(pointed.start, interval),
                inDigits(pointed.clicks),
                pointed.visitors === null ? null : inDigits(pointed.visitors),
              )
            : hasVisitors && (
                <>
                  <span className="key clicks">{t.clicks}</span>{' '}
                  <span className="key visitors">{t.visitors}</span>
                </>
              )}
        </p>
      </header>
      <div className="plot">
        <div className="scale" aria-hidden="true">
          <span>{inShort(top)}</span>
          <span>{inShort(top / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={name}
          onPointerMove={({ clientX, currentTarget }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            const index = Math.round(((clientX - left) / width) * (points.length - 1));
            setAt(Math.min(Math.max(index, 0), points.length - 1));
          }}
          onPointerLeave={() => setAt(null)}
        >
          {[0, HEIGHT / 2, HEIGHT].map((height) => (
            <line key={height} x1="0" x2={WIDTH} y1={height} y2={height} className="grid" />
          ))}
          <polygon
            className="area"
            points={`${x(0)},${HEIGHT} ${clicks} ${x(points.length - 1)},${HEIGHT}`}
          />
          <polyline className="clicks" points={clicks} />
          {hasVisitors && <polyline className="visitors" points={line((point) => point.visitors ?? 0)} />}
          {at !== null && <line className="pointer" x1={x(at)} x2={x(at)} y1="0" y2={HEIGHT} />}
        </svg>
        <div className="ends" aria-hidden="true">
          <span>{points[0] && labelOf(points[0].start, interval)}</span>
          <span>{points.at(-1) && labelOf(points.at(-1)?.start ?? '', interval)}</span>
        </div>
      </div>
      <details>
        <summary>{t.table}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section className="scroll" aria-label={t.table} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.intervals[interval]}</th>
                <th scope="col">{t.clicks}</th>
                {hasVisitors && <th scope="col">{t.visitors}</th>}
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={point.start}>
                  <th scope="row">{labelOf(point.start, interval)}</th>
                  <td>{inDigits(point.clicks)}</td>
                  {hasVisitors && <td>{inDigits(point.visitors ?? 0)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </section>
  );
}
