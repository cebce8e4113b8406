import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import type { Progress } from '../data/batches.ts';
import { announceKinds } from '../data/bus.ts';
import type { FieldErrors } from '../data/link-fields.ts';
import type { Outcome } from '../data/refusals.ts';
import { showToast } from '../data/toasts.ts';
import type { RecordKind } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { useForm } from './form.ts';
import { LinksDone } from './progress.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly action?: string;
  /** True for a form with a long text. */
  readonly wide?: boolean;
  /** True for an action that cannot be undone. */
  readonly danger?: boolean;
  /** The fields whose errors stand in the form; others stand below it. */
  readonly shown?: readonly string[];
  /** True if there is nothing to send yet. */
  readonly isEmpty?: boolean;
  /** The message after it is done. */
  readonly done?: string | undefined;
  /** The kinds of records that it changes: what shows them reads them again. */
  readonly kinds?: readonly RecordKind[];
  /** The progress of a task that may take long; null until it does. */
  readonly progress?: Progress | null | undefined;
  onClose(): void;
  /** Sends it. It goes on if the dialog is closed. */
  onSubmit(): Promise<Outcome>;
  children(errors: FieldErrors): ReactNode;
}

/** A form in a dialog: it closes after success, and otherwise shows errors at the fields. */
export function FormDialog(props: FormDialogProps): ReactElement {
  const { title, action = texts.save, shown = [], isEmpty = false, done, progress, wide = false } = props;
  const { kinds = [], danger = false, onClose, onSubmit, children } = props;
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const send = async () => {
    const outcome = await onSubmit();
    announceKinds(...kinds);
    return outcome;
  };
  const { errors, message, isBusy, submit } = useForm({ within: 'dialog', shown }, send, () => {
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
          <Button look="quiet" text={isLong ? texts.close : texts.cancel} onClick={onClose} />
          <Button
            look={danger ? 'danger' : undefined}
            text={action}
            type="submit"
            disabled={isEmpty}
            aria-disabled={isBusy}
          />
        </div>
      </form>
    </Dialog>
  );
}

/** Asks before an action that cannot be undone. */
export function Confirm({
  children,
  ...dialog
}: Omit<FormDialogProps, 'children'> & { children: ReactNode }): ReactElement {
  return (
    <FormDialog action={texts.delete} {...dialog} danger>
      {() => <p>{children}</p>}
    </FormDialog>
  );
}
