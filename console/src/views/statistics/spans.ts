import { texts } from '../../texts.ts';
import { atUtcHour, inUtcMonth, onUtcDay, onUtcDays } from '../../words/format.ts';
import type { Interval, Point, Span } from './period.ts';

export function formatSpan({ start, last }: Pick<Span, 'start' | 'last'>, interval: Interval): string {
  if (interval === 'MONTH') return inUtcMonth(start);
  if (interval === 'WEEK') return onUtcDays(start, last);
  return interval === 'HOUR' ? atUtcHour(start) : onUtcDay(start);
}

/** The parts of a series that are whole, and the words for the points that are not. */
export interface Wholeness {
  /** The first and the last whole point: only points outside may cover a part of their interval. */
  readonly from: number;
  readonly to: number;
  /**
   * The first and the last point that lines lead to. One of less than half of its interval stands alone: a line to it would
   * be a steep fall, though nothing fell.
   */
  readonly joinedFrom: number;
  readonly joinedTo: number;
  /** The last point that is over or not over yet, but that the period does not cut. */
  readonly notCut: number;
  /** Says what a span lacks; empty if nothing. */
  describeChange(span: Span, point: Point): string;
  describePoint(span: Span, point: Point): string;
}

/**
 * Finds the points that cover a part of their interval only.
 * @param isRunning true if the interval of the last point has not ended
 */
export function wholenessOf(points: readonly Point[], interval: Interval, isRunning: boolean): Wholeness {
  const t = texts.statistics;
  const last = points.length - 1;
  const isCut = (point: Point | undefined) => point !== undefined && point.days < point.of;
  const isSlight = (point: Point | undefined) => point !== undefined && point.days * 2 < point.of;
  const notCut = isCut(points[last]) ? last - 1 : last;
  const describeChange = (span: Span, point: Point) =>
    [
      ...(span.days < point.of ? [t.partOf(span.days, point.of)] : []),
      ...(isRunning && span === points[last] ? [t.running] : []),
    ].join(', ');
  return {
    ...{ from: isCut(points[0]) ? 1 : 0, to: isRunning ? last - 1 : notCut, notCut, describeChange },
    ...{ joinedFrom: isSlight(points[0]) ? 1 : 0, joinedTo: isSlight(points[last]) ? last - 1 : last },
    describePoint: (span, point) => {
      const note = describeChange(span, point);
      return formatSpan(span, interval) + (note && ` (${note})`);
    },
  };
}
