import { type ReactElement, useRef, useState } from 'react';
import { Button, IconButton } from '../controls/button.tsx';
import { attempt } from '../data/actions.ts';
import type { Progress } from '../data/batches.ts';
import { download } from '../data/download.ts';
import { useSession } from '../data/session.ts';
import { texts } from '../texts.ts';
import { ProgressBar } from './progress.tsx';

interface DownloadButtonProps {
  readonly body: Parameters<typeof download>[1];
  /** The number of records that the file will have. */
  readonly countRecords: () => Promise<number>;
  /** The contents of the file, if an icon stands for it. */
  readonly of?: string;
}

/** Saves a CSV file of the service. */
export function DownloadButton({ body, countRecords, of: title }: DownloadButtonProps): ReactElement {
  const { accountId } = useSession();
  const [progress, setProgress] = useState<Progress | null>(null);
  const stop = useRef(new AbortController());
  const run = async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    await attempt(texts.download, async () => {
      setProgress({ done: 0, of: 1 });
      const of = await countRecords();
      // The first line has the names of the columns.
      const onLines = (lines: number) =>
        setProgress({ done: Math.max(lines - 1, 0), of: Math.max(of, lines - 1) });
      await download(accountId, body, { onLines, signal });
    });
    setProgress(null);
  };
  if (progress)
    return <ProgressBar progress={progress} name={texts.download} onStop={() => stop.current.abort()} />;
  const onClick = () => void run();
  if (title !== undefined) return <IconButton icon="download" name={title} onClick={onClick} />;
  const t = texts.download;
  return <Button look="text small" icon="download" text={t} data-tip={t} onClick={onClick} />;
}
