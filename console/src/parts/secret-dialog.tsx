import { type ReactElement, useEffect } from 'react';
import { texts } from '../texts.ts';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that is shown only now: nothing closes it by accident. */
export function SecretDialog({
  title,
  warning,
  secret,
  done = texts.secretKept,
  onClose,
}: {
  title: string;
  warning: string;
  secret: string;
  done?: string;
  onClose: () => void;
}): ReactElement {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  return (
    <Dialog title={title} onClose={onClose} firm>
      <p>{warning}</p>
      <p>
        <code>{secret}</code>
      </p>
      <div className="buttons end">
        <CopyButton text={secret} wide />
        <button type="button" className="button" onClick={onClose}>
          {done}
        </button>
      </div>
    </Dialog>
  );
}
