import { type ReactElement, type ReactNode, useEffect } from 'react';
import { focusSoon } from '../app/focus.ts';
import { texts } from '../texts.ts';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that is shown only now: nothing closes it by accident. */
export function SecretDialog(
  props: Record<'title' | 'warning' | 'secret', string> & { onClose: () => void; children?: ReactNode },
): ReactElement {
  const { title, warning, secret, onClose, children } = props;
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
      {children}
      <div className="buttons end">
        <button
          type="button"
          className="button quiet"
          onClick={() => {
            onClose();
            focusSoon('.page-head .button');
          }}
        >
          {texts.secretKept}
        </button>
        <CopyButton text={secret} wide main />
      </div>
    </Dialog>
  );
}
