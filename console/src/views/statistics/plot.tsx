import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { ShortUrl } from '../../parts/address.tsx';
import { texts } from '../../texts.ts';
import { atUtcTime, inDigits, inShort, inUtcMonth, onUtcDay } from '../../words/format.ts';
import type { Interval, Point } from './period.ts';
import type { Wholeness } from './spans.ts';

/** The maximum number of grid lines above the bottom, and of labels below. */
const MAX_LINES = 4;
const MAX_LABELS = 6;
/** The number of points from which lines are thin. */
const THIN_FROM = 100;

/** A line of a plot. */
export interface PlotLine {
  /** Its look, as a class. */
  readonly kind: string;
  readonly name: string;
  /** That of a link, whose name it is. */
  readonly shortUrl?: string | undefined;
  /** A count for each point; null where there is none. */
  readonly counts: readonly (number | null)[];
  /** The last whole point; that of the plot by default. */
  readonly to?: number;
}

/** The values of the grid lines, from 0: round whole numbers, the last at least the highest count. */
function gridLines(highest: number): number[] {
  const rough = Math.max(highest, 1) / MAX_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.ceil([1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough);
  return Array.from({ length: Math.ceil(Math.max(highest, 1) / step) + 1 }, (_, line) => line * step);
}

/** Labels that fit below the plot. */
const shortLabels: Partial<Record<Interval, (start: string) => string>> = {
  HOUR: atUtcTime,
  MONTH: inUtcMonth,
};

/** The look of a line beside its name. */
export function Key({ kind, children }: { kind: string; children: ReactNode }): ReactElement {
  return (
    <span className="key">
      <svg className="swatch" aria-hidden="true">
        <line x1="0" x2="100%" y1="50%" y2="50%" className={kind} />
      </svg>
      <bdi>{children}</bdi>
    </span>
  );
}

/** The name of a line. */
export const lineName = ({ name, shortUrl }: Pick<PlotLine, 'name' | 'shortUrl'>): ReactNode =>
  shortUrl === undefined ? name : <ShortUrl of={shortUrl} />;

/**
 * Lines over time, with the counts of a point under the pointer. A slider lies over them: arrow keys move along the points,
 * and screen readers tell the counts.
 */
export function Plot({
  points,
  interval,
  lines,
  whole: { from, to, joinedFrom, joinedTo, describePoint },
  hasArea = false,
  label,
}: {
  points: readonly Point[];
  interval: Interval;
  lines: readonly PlotLine[];
  whole: Wholeness;
  /** True to fill the area below the first line. */
  hasArea?: boolean;
  label: string;
}): ReactElement {
  const [at, setAt] = useState<number | null>(null);
  const isShown = at !== null;
  const over = useRef<HTMLDivElement>(null);
  // A finger leaves no focus that another place could take.
  useEffect(() => {
    const hide = ({ target }: Event) => over.current?.contains(target as Node) || setAt(null);
    if (isShown) document.addEventListener('pointerdown', hide);
    return () => document.removeEventListener('pointerdown', hide);
  }, [isShown]);
  const last = points.length - 1;
  // There may be fewer points than before.
  const pointed = at === null ? null : Math.min(at, last);
  const grid = gridLines(Math.max(0, ...lines.flatMap(({ counts }) => counts.map((count) => count ?? 0))));
  const top = grid.at(-1) ?? 1;
  // Coordinates in a box of 100 by 100, which is stretched to its place.
  const x = (index: number) => (last < 1 ? 50 : (index / last) * 100);
  const y = (value: number) => 100 - (value / top) * 100;
  const toPlaces = ({ counts }: PlotLine, first: number, end: number) =>
    counts.flatMap((count, index) =>
      index < first || index > end || count === null ? [] : [`${x(index).toFixed(2)},${y(count).toFixed(2)}`],
    );
  const stretch = (line: PlotLine, first: number, end: number, more = '') => {
    const places = toPlaces(line, first, end);
    // One alone is a dot.
    const isDot = places.length === 1;
    return (
      <polyline
        key={`${line.kind}${more} ${first} ${end}`}
        className={`${line.kind}${isDot ? ' dot' : more}`}
        points={(isDot ? [...places, ...places] : places).join(' ')}
      />
    );
  };
  const drawn = (line: PlotLine) => {
    const { to: end = to } = line;
    const hasStart = joinedFrom < from;
    const hasEnd = joinedTo > end && !(hasStart && from >= joinedTo);
    const alone = new Set([0, last].filter((index) => index < joinedFrom || index > joinedTo));
    return [
      stretch(line, from, end),
      hasStart && stretch(line, joinedFrom, Math.min(from, joinedTo), ' partial'),
      hasEnd && stretch(line, Math.max(end, joinedFrom), joinedTo, ' partial'),
      ...[...alone].map((index) => stretch(line, index, index)),
    ];
  };
  const shown = (index: number) =>
    lines.flatMap((line) => {
      const count = line.counts[index];
      return count == null ? [] : [{ ...line, count }];
    });
  const describe = (index: number) => {
    const point = points[index];
    return point ? describePoint(point, point) : '';
  };
  const told = pointed ?? last;
  const spoken = [
    describe(told),
    ...shown(told).map(({ name, count }) => texts.labelled(name, inDigits(count))),
  ].join(', ');
  const pointAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const index = Math.round(((clientX - left) / width) * last);
    setAt(Math.min(Math.max(index, 0), last));
  };
  const isRight = pointed !== null && x(pointed) > 50;
  const every = Math.ceil(points.length / MAX_LABELS);
  const [area] = lines;
  return (
    <div className="plot">
      <svg className="scale" aria-hidden="true">
        {grid.map((value) => (
          <text key={value} x="100%" y={`${y(value)}%`} dy="4" textAnchor="end">
            {inShort(value)}
          </text>
        ))}
      </svg>
      <div className="over" ref={over}>
        <svg
          className={points.length > THIN_FROM ? 'many' : undefined}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          {grid.map((value) => (
            <line key={value} x1="0" x2="100" y1={y(value)} y2={y(value)} className="grid" />
          ))}
          {hasArea && area && from <= to && (
            <polygon
              className="area"
              points={`${x(from)},100 ${toPlaces(area, from, to).join(' ')} ${x(to)},100`}
            />
          )}
          {lines.toReversed().map(drawn)}
          {pointed !== null && (
            <>
              <line className="pointer" x1={x(pointed)} x2={x(pointed)} y1="0" y2="100" />
              {lines.map((line) => stretch(line, pointed, pointed))}
            </>
          )}
        </svg>
        <input
          type="range"
          aria-label={texts.statistics.intervals[interval]}
          aria-valuetext={spoken}
          min={0}
          max={last}
          value={told}
          onChange={({ target }) => setAt(Number(target.value))}
          onPointerDown={pointAt}
          onPointerMove={pointAt}
          // The page is scrolled.
          onPointerCancel={() => setAt(null)}
          // While it has the focus, the keys go on from here. A finger that is lifted no longer covers what it pointed at.
          onPointerLeave={({ currentTarget, pointerType }) =>
            pointerType !== 'mouse' || currentTarget.matches(':focus') || setAt(null)
          }
          onFocus={() => setAt(told)}
          onBlur={() => setAt(null)}
          onKeyDown={({ key }: KeyboardEvent) => key === 'Escape' && setAt(null)}
        />
        {pointed !== null && (
          <div className={isRight ? 'tip-room before' : 'tip-room'} aria-hidden="true">
            <i style={{ flexBasis: `${isRight ? 100 - x(pointed) : x(pointed)}%` }} />
            <div className="tip">
              <b>{describe(pointed)}</b>
              {shown(pointed).map(({ kind, name, shortUrl, count }) => (
                <span key={kind}>
                  <Key kind={kind}>{lineName({ name, shortUrl })}</Key>
                  <b>{inDigits(count)}</b>
                </span>
              ))}
            </div>
          </div>
        )}
      </div>
      <svg className="labels" aria-hidden="true">
        {points.map((point, index) =>
          (last - index) % every > 0 || (index > 0 && index < every / 2) ? null : (
            <text
              key={point.start}
              x={`${x(index)}%`}
              y="14"
              textAnchor={index === last ? 'end' : index === 0 ? 'start' : 'middle'}
              // Every other one is hidden on narrow screens.
              className={((last - index) / every) % 2 === 1 ? 'spare' : undefined}
            >
              {(shortLabels[interval] ?? onUtcDay)(point.start)}
            </text>
          ),
        )}
      </svg>
    </div>
  );
}
