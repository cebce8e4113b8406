import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { Dialog } from '../controls/dialog.tsx';
import type { Progress } from '../data/batches.ts';
import type { FieldErrors } from '../data/link-fields.ts';
import type { Outcome } from '../data/refusals.ts';
import { showToast } from '../data/toasts.ts';
import { texts } from '../texts.ts';
import { useForm } from './form.ts';
import { LinksDone } from './progress.tsx';

/** A form in a dialog: it closes after success, and otherwise shows errors at the fields. */
export function FormDialog({
  title,
  action = texts.save,
  shown = [],
  isEmpty = false,
  done,
  progress,
  wide = false,
  danger = false,
  onClose,
  onSubmit,
  children,
}: {
  title: string;
  action?: string;
  /** True for a form with a long text. */
  wide?: boolean;
  /** True for an action that cannot be undone. */
  danger?: boolean;
  /** The fields whose errors stand in the form; others stand below it. */
  shown?: readonly string[];
  /** True if there is nothing to send yet. */
  isEmpty?: boolean;
  /** The message after it is done. */
  done?: string | undefined;
  /** The progress of a task that may take long; null until it does. */
  progress?: Progress | null | undefined;
  onClose: () => void;
  /** Sends it. It goes on if the dialog is closed. */
  onSubmit: () => Promise<Outcome>;
  children: (errors: FieldErrors) => ReactNode;
}): ReactElement {
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const { errors, message, isBusy, submit } = useForm({ within: 'dialog', shown }, onSubmit, () => {
    if (done !== undefined) showToast(done);
    // Another dialog may be open by now.
    if (isOpen.current) onClose();
  });
  const isLong = isBusy && progress != null;
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form onSubmit={submit} noValidate>
        {children(errors)}
        {progress !== undefined && <LinksDone progress={isLong ? progress : null} />}
        <p className="error" role="alert">
          {message}
        </p>
        <div className="buttons end">
          <button type="button" className="button quiet" onClick={onClose}>
            {isLong ? texts.close : texts.cancel}
          </button>
          <button
            type="submit"
            className={danger ? 'button danger' : 'button'}
            disabled={isEmpty}
            aria-disabled={isBusy}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Asks before an action that cannot be undone. */
export function Confirm({
  title,
  children,
  action = texts.delete,
  done,
  progress,
  onClose,
  onYes,
}: {
  title: string;
  children: ReactNode;
  action?: string;
  done?: string;
  progress?: Progress | null;
  onClose: () => void;
  onYes: () => Promise<Outcome>;
}): ReactElement {
  return (
    <FormDialog
      title={title}
      action={action}
      done={done}
      progress={progress}
      onClose={onClose}
      onSubmit={onYes}
      danger
    >
      {() => <p>{children}</p>}
    </FormDialog>
  );
}
