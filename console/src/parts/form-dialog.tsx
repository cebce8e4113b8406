import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { showWrong } from '../app/focus.ts';
import { Fault } from '../data/faults.ts';
import type { FieldErrors } from '../data/link-fields.ts';
import { errorsIn, type Refusal, refusalText } from '../data/refusals.ts';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { faultText } from './notice.tsx';

/** What a form's write results in: nothing else is expected of it than that it was done, or why it was not. */
export type Outcome = { readonly __typename: string } & (Omit<Refusal, '__typename'> | object);

const refusalIn = (outcome: Outcome): Refusal | null =>
  outcome.__typename.endsWith('Error') && 'message' in outcome ? outcome : null;

/** A form in a dialog: it closes when what it sends was done, and shows errors at the fields otherwise. */
export function FormDialog({
  title,
  action = texts.save,
  shown = [],
  onClose,
  onSubmit,
  children,
}: {
  title: string;
  action?: string;
  /** The fields whose errors stand in the form; others stand below it. */
  shown?: readonly string[];
  onClose: () => void;
  /** Sends it. */
  onSubmit: () => Promise<Outcome>;
  children: (errors: FieldErrors) => ReactNode;
}): ReactElement {
  const [errors, setErrors] = useState<FieldErrors>({});
  const [message, setMessage] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setErrors({});
    setMessage('');
    try {
      const outcome = await onSubmit();
      const refusal = refusalIn(outcome);
      if (refusal === null) return onClose();
      const { fields = [] } = refusal;
      const { errors, besides } = errorsIn(shown, fields);
      const show = () => {
        setErrors(errors);
        setMessage(fields.length === 0 ? refusalText(refusal) : (besides ?? ''));
      };
      if (Object.keys(errors).length > 0) showWrong('dialog', show);
      else show();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setMessage(faultText(error));
    } finally {
      setBusy(false);
    }
  };
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
          <button type="submit" className="button" aria-disabled={isBusy}>
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
  onClose,
  onYes,
}: {
  title: string;
  children: ReactNode;
  action?: string;
  onClose: () => void;
  onYes: () => Promise<Outcome>;
}): ReactElement {
  return (
    <FormDialog title={title} action={action} onClose={onClose} onSubmit={onYes}>
      {() => <p>{children}</p>}
    </FormDialog>
  );
}
