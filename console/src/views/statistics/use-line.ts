import type { Fault } from '../../data/faults.ts';
import { useRead } from '../../data/read.ts';
import { LineOfDocument } from '../../generated/documents.ts';
import { texts } from '../../texts.ts';
import { shortUrlText } from '../../words/format.ts';
import type { ComparedLine } from './lines.ts';
import { asking, type Owner, readOwnerPart } from './owner.ts';
import { type Interval, type Period, type Point, toPoints } from './period.ts';
import { formatValue } from './values.ts';

/** A line of a comparison as it was read. */
export interface ReadLine {
  readonly name: string;
  /** That of a link. */
  readonly shortUrl: string | undefined;
  readonly points: readonly Point[];
  readonly fault: Fault | null;
  again(): void;
}

/** Reads the clicks of a line; those of a value belong to the owner. Nothing is read without a line. */
export function useLine(
  owner: Owner,
  period: Period,
  interval: Interval,
  line: ComparedLine | undefined,
): ReadLine {
  const isValue = line?.kind === 'value';
  const { data, fault, again } = useRead(
    LineOfDocument,
    {
      ...{ ...asking(line === undefined || isValue ? owner : line), ...period, isValue },
      interval: interval === 'HOUR' ? 'HOUR' : 'DAY',
      ...{ by: isValue ? line.dimension : 'COUNTRY', value: isValue ? line.value : null },
    },
    { pause: line === undefined, on: ['CLICKS'] },
  );
  const { series, valueSeries } = readOwnerPart(data)?.statistics ?? {};
  const counted = (valueSeries ?? series ?? []).filter(({ start }) => Date.parse(start) <= Date.now());
  const shortUrl = isValue ? undefined : data?.link?.shortUrl;
  const found = data?.space?.name ?? data?.tag?.name ?? (shortUrl && shortUrlText(shortUrl));
  return {
    ...{ fault, again, shortUrl },
    name: isValue ? formatValue(line.dimension, line.value) : (found ?? texts.nothingHere),
    points: toPoints(
      counted.map((one) => ({ ...one, visitors: null, bots: 0 })),
      undefined,
      interval,
    ),
  };
}

/** The clicks of a line, once it is read. */
export const sumOf = ({ points }: ReadLine): number | undefined =>
  points.length === 0 ? undefined : points.reduce((sum, { clicks }) => sum + clicks, 0);
