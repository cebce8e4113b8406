import type { ReactElement, ReactNode } from 'react';
import type { FieldErrors } from '../data/link-fields.ts';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { type Outcome, useForm } from './form.ts';
import { showToast } from './toasts.tsx';

/** A form in a dialog: it closes when what it sends was done, and shows errors at the fields otherwise. */
export function FormDialog({
  title,
  action = texts.save,
  shown = [],
  isEmpty = false,
  done,
  onClose,
  onSubmit,
  children,
}: {
  title: string;
  action?: string;
  /** The fields whose errors stand in the form; others stand below it. */
  shown?: readonly string[];
  /** Whether there is nothing to send yet. */
  isEmpty?: boolean;
  /** What is said when it was done. */
  done?: string | undefined;
  onClose: () => void;
  /** Sends it. */
  onSubmit: () => Promise<Outcome>;
  children: (errors: FieldErrors) => ReactNode;
}): ReactElement {
  const { errors, message, isBusy, submit } = useForm({ within: 'dialog', shown }, onSubmit, () => {
    if (done !== undefined) showToast(done);
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        {children(errors)}
        <p className="error" role="alert">
          {message}
        </p>
        <div className="buttons end">
          <button type="button" className="button quiet" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" className="button" disabled={isEmpty} aria-disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Asks before something that cannot be undone. */
export function Confirm({
  title,
  children,
  action = texts.delete,
  done,
  onClose,
  onYes,
}: {
  title: string;
  children: ReactNode;
  action?: string;
  done?: string;
  onClose: () => void;
  onYes: () => Promise<Outcome>;
}): ReactElement {
  return (
    <FormDialog title={title} action={action} done={done} onClose={onClose} onSubmit={onYes}>
      {() => <p>{children}</p>}
    </FormDialog>
  );
}
