import type { ReactElement } from 'react';
import type { Progress } from '../data/batches.ts';
import { texts } from '../texts.ts';
import { inDigits } from './format.ts';

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
    <div className="progress">
      <progress value={done} max={Math.max(of, 1)} aria-label={name} />
      <span role="status">{texts.progress(name, inDigits(done), inDigits(of))}</span>
      <button type="button" className="button quiet small" onClick={onStop}>
        {texts.stop}
      </button>
    </div>
  );
}
