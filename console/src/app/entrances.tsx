import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, type Methods, type SignedIn, send } from '../data/auth.ts';
import { Fault } from '../data/faults.ts';
import { tellUser } from '../data/sign-in-again.ts';
import { tokenOfLink } from '../data/token.ts';
import { EmailField, NewPasswordField, TextField } from '../parts/field.tsx';
import { type FormState, type Outcome, useForm } from '../parts/form.ts';
import { faultText } from '../parts/notice.tsx';
import { texts } from '../texts.ts';
import { Gate, GateEnd } from './gate.tsx';
import { OtherWays, SignInForm, useMethods } from './sign-in.tsx';

const t = texts.entrances;
const person = { name: '', email: '', password: '' };

/** What somebody enters of themselves. */
function PersonFields({
  of,
  onChange,
  errors,
}: {
  of: typeof person;
  onChange: (now: typeof person) => void;
  errors: FormState['errors'];
}): ReactElement {
  return (
    <>
      <TextField
        label={t.name}
        value={of.name}
        onText={(name) => onChange({ ...of, name })}
        error={errors.name}
        autoComplete="name"
        required
        autoFocus
      />
      <EmailField value={of.email} onText={(email) => onChange({ ...of, email })} error={errors.email} />
      <NewPasswordField
        label={texts.signIn.password}
        value={of.password}
        onText={(password) => onChange({ ...of, password })}
        error={errors.password}
      />
    </>
  );
}

/** A page whose link has no token, as after it was loaded again. */
function NoToken({ title }: { title: string }): ReactElement {
  return (
    <Gate title={title}>
      <p>{t.noToken}</p>
      <Link href="/">{t.toConsole}</Link>
    </Gate>
  );
}

/** A page that sends the token of its link. */
function TokenGate({
  title,
  lead,
  action,
  shown = [],
  onSend,
  onDone,
  children,
}: {
  title: string;
  lead: string;
  action: string;
  shown?: readonly string[];
  onSend: () => Promise<Outcome>;
  onDone: () => void;
  children?: (errors: FormState['errors']) => ReactNode;
}): ReactElement {
  const { errors, message, isBusy, submit } = useForm({ within: '.gate', shown }, onSend, onDone);
  if (tokenOfLink === '') return <NoToken title={title} />;
  return (
    <Gate title={title} lead={lead} onSubmit={submit}>
      {children?.(errors)}
      <GateEnd message={message} isBusy={isBusy} action={action} />
    </Gate>
  );
}

/** Where people sign in with a provider alone, its answer uses up the token. */
function ByProvider({
  title,
  lead,
  methods,
}: {
  title: string;
  lead: string;
  methods: Methods;
}): ReactElement {
  return (
    <Gate title={title} lead={lead}>
      <OtherWays methods={methods} to="/console" token={tokenOfLink} onIn={() => undefined} />
    </Gate>
  );
}

/** The first owner comes in. */
export function Welcome(): ReactElement {
  const [, navigate] = useLocation();
  const methods = useMethods();
  const [of, setOf] = useState(person);
  if (methods === null) return <div className="entering" aria-busy="true" />;
  if (!methods.password && tokenOfLink !== '')
    return <ByProvider title={t.welcome} lead={t.welcomeLead} methods={methods} />;
  return (
    <TokenGate
      title={t.welcome}
      lead={t.welcomeLead}
      action={t.begin}
      shown={['name', 'email', 'password']}
      onSend={() => send('welcome', { token: tokenOfLink, ...of })}
      onDone={() => navigate('/', { replace: true })}
    >
      {(errors) => <PersonFields of={of} onChange={setOf} errors={errors} />}
    </TokenGate>
  );
}

/** Somebody takes an invitation, as the user who is signed in, or as a new one. */
export function Accept(): ReactElement {
  const [, navigate] = useLocation();
  const [of, setOf] = useState(person);
  const methods = useMethods();
  const [who, setWho] = useState<SignedIn | null | undefined>();
  const [isKnown, setKnown] = useState(false);
  const [why, setWhy] = useState('');
  useEffect(() => {
    ask<SignedIn>('session').then(setWho, () => setWho(null));
  }, []);
  const accept = async (body: object): Promise<Outcome> => {
    try {
      const outcome = await send<SignedIn>('accept', { token: tokenOfLink, ...body });
      const joined = outcome.answer?.accounts.at(-1);
      if (outcome.answer) tellUser(outcome.answer.user.id);
      if (joined) navigate(`/${joined.id}/`, { replace: true });
      return outcome;
    } catch (error) {
      // The address has a user.
      if (error instanceof Fault && error.code === 'CONFLICT') {
        setWhy(error.message);
        setKnown(true);
      }
      throw error;
    }
  };
  const signOut = async () => {
    await ask('sign-out', {});
    tellUser(null);
    setWho(null);
  };
  if (who === undefined || methods === null) return <div className="entering" aria-busy="true" />;
  if (tokenOfLink === '') return <NoToken title={t.accept} />;
  if (who)
    return (
      <TokenGate
        title={t.accept}
        lead={t.acceptAs(who.user.email)}
        action={t.acceptNow}
        onSend={() => accept({})}
        onDone={() => undefined}
      >
        {() => (
          <button type="button" className="button quiet" onClick={signOut}>
            {t.another}
          </button>
        )}
      </TokenGate>
    );
  if (!methods.password) return <ByProvider title={t.accept} lead={t.acceptLead} methods={methods} />;
  if (isKnown)
    return <SignInForm why={why || t.signInFirst} to="/console" token={tokenOfLink} onIn={setWho} />;
  return (
    <TokenGate
      title={t.accept}
      lead={t.acceptLead}
      action={t.join}
      shown={['name', 'email', 'password']}
      onSend={() => accept(of)}
      onDone={() => undefined}
    >
      {(errors) => (
        <>
          <PersonFields of={of} onChange={setOf} errors={errors} />
          <button type="button" className="button text" onClick={() => setKnown(true)}>
            {t.haveUser(methods.openid?.name ?? null)}
          </button>
        </>
      )}
    </TokenGate>
  );
}

/** Somebody asks for a link to a new password. */
export function Forgot(): ReactElement {
  const methods = useMethods();
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const { errors, message, isBusy, submit } = useForm(
    { within: '.gate', shown: ['email'] },
    () => send('forgot', { email }),
    () => setSent(true),
  );
  const back = <Link href="/">{t.toSignIn}</Link>;
  if (methods === null) return <div className="entering" aria-busy="true" />;
  if (isSent || !methods.mail)
    return (
      <Gate title={t.forgot}>
        <p role="status">{isSent ? t.sent : t.noMail}</p>
        {back}
      </Gate>
    );
  return (
    <Gate title={t.forgot} lead={t.forgotLead} onSubmit={submit}>
      <EmailField value={email} onText={setEmail} error={errors.email} autoFocus />
      <GateEnd message={message} isBusy={isBusy} action={t.sendLink} />
      {back}
    </Gate>
  );
}

/** Somebody sets a new password; where there are none, the link signs them in. */
export function Reset(): ReactElement {
  const [, navigate] = useLocation();
  const methods = useMethods();
  const [password, setPassword] = useState('');
  if (methods === null) return <div className="entering" aria-busy="true" />;
  const withPassword = methods.password;
  return (
    <TokenGate
      title={withPassword ? t.reset : texts.signIn.title}
      lead={withPassword ? t.resetLead : t.resetSignIn}
      action={withPassword ? t.setPassword : texts.signIn.open}
      shown={['password']}
      onSend={() => send('reset', { token: tokenOfLink, ...(withPassword && { password }) })}
      onDone={() => navigate('/', { replace: true })}
    >
      {(errors) =>
        withPassword && (
          <NewPasswordField value={password} onText={setPassword} error={errors.password} autoFocus />
        )
      }
    </TokenGate>
  );
}

/** Somebody confirms a new email address. */
export function ConfirmEmail(): ReactElement {
  const [isDone, setDone] = useState(false);
  if (isDone)
    return (
      <Gate title={t.confirm}>
        <p role="status">{t.confirmed}</p>
        <Link href="/">{t.toConsole}</Link>
      </Gate>
    );
  return (
    <TokenGate
      title={t.confirm}
      lead={t.confirmLead}
      action={t.confirmNow}
      onSend={() => send('confirm', { token: tokenOfLink })}
      onDone={() => setDone(true)}
    />
  );
}

/** What the provider leads to in a tab of its own, beside one that waits for a new sign-in. */
export function SignedInApart(): ReactElement {
  const [told, setTold] = useState('');
  useEffect(() => {
    ask<SignedIn>('session').then(
      ({ user }) => {
        tellUser(user.id);
        setTold(t.signedIn);
      },
      (error: unknown) => setTold(error instanceof Fault ? faultText(error) : ''),
    );
  }, []);
  return (
    <Gate title={texts.signIn.title}>
      <p role="status">{told}</p>
    </Gate>
  );
}
