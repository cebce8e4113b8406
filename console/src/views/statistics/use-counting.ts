import { useRef } from 'react';
import { announce } from '../../data/bus.ts';
import { readNow } from '../../data/read.ts';
import { useRepeat } from '../../data/repeat.ts';
import { useSession } from '../../data/session.ts';
import { CountOfDocument } from '../../generated/documents.ts';
import { asking, type Owner, readOwnerPart } from './owner.ts';
import { formatSums } from './period.ts';

/**
 * Announces clicks and bots of a day that are not shown yet. It asks for one sum, whatever is shown, and also if the day is
 * over by the browser's clock: the service's clock decides.
 * @param shown the sum that is shown; null until it is read
 * @param isReading true while the figures are being read
 */
export function useCounting(owner: Owner, day: string, shown: string | null, isReading: boolean): void {
  const { client } = useSession();
  const announced = useRef('');
  const ask = async () => {
    const { data } = await readNow(client, CountOfDocument, { ...asking(owner), day });
    const counted = readOwnerPart(data)?.statistics;
    if (!counted) return;
    const sum = formatSums([{ start: day, ...counted }], day);
    // Once for each sum: figures from a replica may come later.
    if (sum === shown || sum === announced.current) return;
    announced.current = sum;
    announce([{ kind: 'CLICKS', recordId: owner.kind === 'link' ? owner.id : null, action: null }]);
  };
  useRepeat(ask, shown !== null, isReading);
}
