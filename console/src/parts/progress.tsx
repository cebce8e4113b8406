import type { ReactElement } from 'react';
import { Button } from '../controls/button.tsx';
import type { Progress } from '../data/batches.ts';
import { texts } from '../texts.ts';
import { inDigits } from '../words/format.ts';

/** The number of links that the service has changed; rendered empty first so that screen readers announce the text. */
export function LinksDone({ progress }: { progress: Progress | null }): ReactElement {
  return (
    <div className="progress flow">
      {progress && <progress value={progress.done} max={progress.of} aria-hidden="true" />}
      <span role="status" aria-live="polite">
        {progress && texts.linksDone(inDigits(progress.done), inDigits(progress.of))}
      </span>
    </div>
  );
}

export function ProgressBar({
  progress: { done, of },
  name,
  onStop,
}: {
  progress: Progress;
  name: string;
  onStop: () => void;
}): ReactElement {
  return (
    <div className="progress flow">
      <progress value={done} max={Math.max(of, 1)} aria-label={name} />
      <span role="status">{texts.progress(name, inDigits(done), inDigits(of))}</span>
      <Button look="quiet small" text={texts.stop} onClick={onStop} />
    </div>
  );
}
