import type { ReactElement, ReactNode } from 'react';
import { IconButton } from '../../controls/button.tsx';
import { Segments } from '../../controls/segments.tsx';
import { texts } from '../../texts.ts';
import type { Interval } from './period.ts';

/** The interval of a chart, and the choice of others. */
export interface Intervals {
  readonly interval: Interval;
  /** Those to choose from. */
  readonly intervals: readonly Interval[];
  onInterval(interval: Interval): void;
}

interface ChartHeadProps extends Intervals {
  readonly title: string;
  readonly downloadName: string;
  onSave(): void;
  readonly children?: ReactNode;
}

/** The title of a chart, the choice of its interval, and its file. */
export function ChartHead(props: ChartHeadProps): ReactElement {
  const { title, downloadName, interval, intervals, onInterval, onSave, children } = props;
  const t = texts.statistics;
  const name = texts.downloadOf(`${downloadName} · ${t.intervals[interval]}`);
  return (
    <header>
      <h2>
        <bdi>{title}</bdi>
      </h2>
      <div className="choices buttons">
        <Segments
          label={t.interval}
          items={intervals.map((one) => ({ key: one, name: t.intervals[one] }))}
          chosen={interval}
          onChoose={onInterval}
        />
        {children}
        <IconButton icon="download" name={name} onClick={onSave} />
      </div>
    </header>
  );
}
