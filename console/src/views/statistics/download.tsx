import type { ReactElement } from 'react';
import { DownloadButton } from '../../parts/download.tsx';
import { texts } from '../../texts.ts';
import type { OwnerPeriod } from './owner.ts';

/** Saves the figures of one card as the service has them, for all values. */
export function DownloadStatistics({
  owner: { kind, id },
  period,
  name,
  title,
}: OwnerPeriod & {
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
        name,
        labels: true,
      }}
      countRecords={() => Promise.resolve(1)}
      of={texts.downloadOf(title)}
    />
  );
}
