import { type ReactElement, useState, useSyncExternalStore } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { refuseUnfilled, type SignedIn, send } from '../data/auth.ts';
import { signInAgain } from '../data/sign-in-again.ts';
import { ForEmail, OwnPasswordField } from '../parts/field.tsx';
import { useForm } from '../parts/form.ts';
import { texts } from '../texts.ts';
import { OtherWays, useMethods } from './sign-in.tsx';

/** The dialog that asks somebody to sign in again, and then lets them go on. */
export function SignInAgain({ user }: { user: SignedIn['user'] }): ReactElement | null {
  const isAsked = useSyncExternalStore(signInAgain.subscribe, signInAgain.get);
  return isAsked ? <Asked user={user} /> : null;
}

function Asked({ user: { id, email } }: { user: SignedIn['user'] }): ReactElement {
  const methods = useMethods();
  const [password, setPassword] = useState('');
  const [sent, setSent] = useState('');
  // Another user begins anew.
  const onIn = ({ user }: SignedIn) => (user.id === id ? signInAgain.end(true) : location.reload());
  const { errors, message, isBusy, submit } = useForm(
    { within: '.again', shown: ['password'] },
    async () => {
      setSent(password);
      const refused = refuseUnfilled({ password });
      if (refused) return refused;
      const outcome = await send<SignedIn>('sign-in', { email, password });
      if (outcome.answer) onIn(outcome.answer);
      return outcome;
    },
    () => undefined,
  );
  const t = texts.signIn;
  return (
    <Dialog title={t.again} onClose={() => signInAgain.end(false)}>
      <form className="again" onSubmit={submit} noValidate>
        <p>{t.againWhy}</p>
        {methods?.password && (
          <>
            <ForEmail email={email} />
            <OwnPasswordField value={password} onText={setPassword} error={errors.password} autoFocus />
            <p className="error" role="alert">
              {password === sent && message}
            </p>
            <Button text={t.goOn} type="submit" aria-disabled={isBusy} />
          </>
        )}
        {methods && <OtherWays methods={methods} to="/console/signed-in" isApart onIn={onIn} />}
      </form>
    </Dialog>
  );
}
