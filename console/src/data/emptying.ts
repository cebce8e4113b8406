import { type LinkFilter, LinksTotalDocument } from '../generated/documents.ts';
import type { Progress } from './batches.ts';
import { readNow } from './read.ts';
import type { Session } from './session.ts';
import { type LongWrite, wait } from './write.ts';

/** The number of links above which the service changes them in slices, before it deletes their tag, space or pixel. */
const MANY = 500;
/** The interval at which the remaining links are counted, in seconds, and the number of counts in a row without progress. */
const EVERY = 2;
const MAX_STANDSTILL = 60;

/**
 * Deletes or merges tags, spaces or pixels of links. While the service changes many links, it reports their number.
 * @param filter the links that have it
 * @param write sends the mutation
 */
export async function emptying<Result>(
  { client }: Session,
  filter: LinkFilter,
  onProgress: (progress: Progress) => void,
  write: (long?: LongWrite) => Promise<Result>,
): Promise<Result> {
  const count = async () => {
    const { data } = await readNow(client, LinksTotalDocument, { filter });
    return data?.links.totalCount ?? null;
  };
  const of = await count();
  // More tags are merged at once than a filter may name.
  if (of === null) return write({ until: AbortSignal.timeout(MAX_STANDSTILL * EVERY * 1_000) });
  if (of <= MANY) return write();
  const tell = (left: number) => onProgress({ done: Math.max(0, of - left), of });
  tell(of);
  const giveUp = new AbortController();
  let isDone = false;
  const watch = async () => {
    let least = of;
    for (let still = 0; still < MAX_STANDSTILL; still++) {
      await wait(EVERY);
      const left = isDone ? null : await count();
      if (isDone) return;
      if (left === null || left >= least) continue;
      [least, still] = [left, 0];
      tell(left);
    }
    giveUp.abort(new DOMException('', 'TimeoutError'));
  };
  const watching = watch();
  try {
    return await write({ until: giveUp.signal });
  } finally {
    isDone = true;
    watching.catch(() => {});
  }
}
