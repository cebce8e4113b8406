import { type FormEvent, useState } from 'react';
import { showWrong } from '../app/focus.ts';
import { useAfterOutage } from '../data/away.ts';
import { Fault, mayBeOutage } from '../data/faults.ts';
import type { FieldErrors } from '../data/link-fields.ts';
import { errorsIn, failureText, type Outcome, type Refusal, refusalText } from '../data/refusals.ts';

const refusalIn = (outcome: Outcome): Refusal | null =>
  outcome.__typename.endsWith('Error') ? outcome : null;

export interface FormState {
  readonly errors: FieldErrors;
  /** An error that no field shows. */
  readonly message: string;
  readonly isBusy: boolean;
  submit(event: FormEvent): Promise<void>;
}

/**
 * The state of a form that sends something.
 * @param within a selector of the element around the form
 * @param shown the fields whose errors stand in the form
 */
export function useForm(
  { within, shown }: { within: string; shown: readonly string[] },
  onSubmit: () => Promise<Outcome>,
  onDone: () => void,
): FormState {
  const [errors, setErrors] = useState<FieldErrors>({});
  const [message, setMessage] = useState('');
  const [isOutage, setOutage] = useState(false);
  useAfterOutage(() => isOutage && setMessage(''));
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setErrors({});
    setMessage('');
    setOutage(false);
    try {
      const outcome = await onSubmit();
      const refusal = refusalIn(outcome);
      if (refusal === null) return onDone();
      const { fields = [] } = refusal;
      const { errors, besides } = errorsIn(shown, fields);
      const show = () => {
        setErrors(errors);
        setMessage(fields.length === 0 ? refusalText(refusal) : (besides ?? ''));
      };
      if (Object.keys(errors).length > 0) showWrong(within, show);
      else show();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setMessage(failureText(error));
      setOutage(mayBeOutage(error));
    } finally {
      setBusy(false);
    }
  };
  return { errors, message, isBusy, submit };
}
