import type { ReactElement, ReactNode } from 'react';
import { Segments } from '../../controls/segments.tsx';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts.ts';
import type { Interval } from './period.ts';

/** The title of a chart, the choice of its interval, and its file. */
export function ChartHead({
  title,
  downloadName,
  interval,
  intervals,
  onInterval,
  onSave,
  children,
}: {
  title: string;
  downloadName: string;
  interval: Interval;
  /** Those to choose from. */
  intervals: readonly Interval[];
  onInterval: (interval: Interval) => void;
  onSave: () => void;
  children?: ReactNode;
}): ReactElement {
  const t = texts.statistics;
  const name = texts.downloadOf(`${downloadName} · ${t.intervals[interval]}`);
  return (
    <header>
      <h2>
        <bdi>{title}</bdi>
      </h2>
      <div className="choices">
        <Segments
          label={t.interval}
          items={intervals.map((one) => ({ key: one, name: t.intervals[one] }))}
          chosen={interval}
          onChoose={onInterval}
        />
        {children}
        <button type="button" className="bare" aria-label={name} onClick={onSave}>
          <Icon name="download" />
        </button>
      </div>
    </header>
  );
}
