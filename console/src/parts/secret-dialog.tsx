import { type ReactElement, type ReactNode, useEffect } from 'react';
import { focusSoon, isFocusFree } from '../app/focus.ts';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { texts } from '../texts.ts';
import { CopyBox } from './copy.tsx';

/** A secret that is shown only now: no click beside it closes it by accident. */
export function SecretDialog(
  props: Record<'title' | 'warning' | 'secret', string> & {
    onClose: () => void;
    /** A button beside the one that closes it. */
    action?: ReactNode;
    wide?: boolean;
    children?: ReactNode;
  },
): ReactElement {
  const { title, warning, secret, onClose, action, wide = false, children } = props;
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => {
      removeEventListener('beforeunload', ask);
      // The button that opened it is gone if it made the first record of a page.
      if (isFocusFree()) focusSoon('.page-head .button');
    };
  }, []);
  return (
    <Dialog title={title} onClose={onClose} wide={wide} closedBy="closerequest">
      <p>{warning}</p>
      <CopyBox text={secret} />
      {children}
      <div className="buttons end">
        {action}
        <Button text={texts.secretKept} onClick={onClose} />
      </div>
    </Dialog>
  );
}
