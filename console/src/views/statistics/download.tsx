import type { ReactElement } from 'react';
import { DownloadButton } from '../../parts/download.tsx';
import { texts } from '../../texts.ts';
import type { OwnerPeriod } from './owner.ts';
import type { Period } from './period.ts';

/** Saves the figures of one card as the service has them, for all values. */
export function DownloadStatistics({
  owner: { kind, id },
  period,
  earlier,
  name,
  title,
}: OwnerPeriod & {
  /** The period that links are compared with. */
  earlier?: Period | undefined;
  /** The exported value, as v1 names it. */
  name: string;
  title: string;
}): ReactElement {
  return (
    <DownloadButton
      body={{
        kind: 'statistics',
        ...(kind !== 'account' && { [`${kind}_id`]: id }),
        ...period,
        ...(earlier && { before_from: earlier.from, before_to: earlier.to }),
        name,
        labels: true,
      }}
      countRecords={() => Promise.resolve(1)}
      of={texts.downloadOf(title)}
    />
  );
}
