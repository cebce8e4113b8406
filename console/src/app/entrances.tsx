import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, type SignedIn, send } from '../data/auth.ts';
import { Fault } from '../data/faults.ts';
import { tellUser } from '../data/sign-in-again.ts';
import { tokenOfLink } from '../data/token.ts';
import { EmailField, NewPasswordField, TextField } from '../parts/field.tsx';
import { type FormState, type Outcome, useForm } from '../parts/form.ts';
import { faultText } from '../parts/notice.tsx';
import { texts } from '../texts.ts';
import { Gate, GateEnd, waiting } from './gate.tsx';
import { OtherWays, SignInForm, useMethods } from './sign-in.tsx';

const t = texts.entrances;
const newPerson = { name: '', email: '', password: '' };
type Person = typeof newPerson;

interface TokenGateProps {
  readonly title: string;
  readonly lead: string;
  readonly action: string;
  readonly shown?: readonly string[];
  onSend(): Promise<Outcome>;
  onDone?(): void;
  readonly children?: (errors: FormState['errors']) => ReactNode;
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
}: TokenGateProps): ReactElement {
  const done = onDone ?? (() => undefined);
  const { errors, message, isBusy, submit } = useForm({ within: '.gate', shown }, onSend, done);
  // As after it was loaded again.
  if (tokenOfLink === '') return <Told title={title} text={t.noToken} way={t.toConsole} />;
  return (
    <Gate title={title} lead={lead} onSubmit={submit}>
      {children?.(errors)}
      <GateEnd message={message} isBusy={isBusy} action={action} />
    </Gate>
  );
}

/** A page that tells something. */
function Told({ title, text, way }: { title: string; text: string; way?: string }): ReactElement {
  return (
    <Gate title={title}>
      <p role="status">{text}</p>
      {way && <Link href="/">{way}</Link>}
    </Gate>
  );
}

type PersonGateProps = Pick<TokenGateProps, 'title' | 'lead' | 'action' | 'onDone'> & {
  onPerson(person: Person): Promise<Outcome>;
  readonly children?: ReactNode;
};

/** A page for a new user; where people sign in with a provider alone, its answer uses up the token. */
function PersonGate({ onPerson, children, ...gate }: PersonGateProps): ReactElement {
  const methods = useMethods();
  const [of, setOf] = useState(newPerson);
  const change = (field: keyof Person) => (text: string) => setOf({ ...of, [field]: text });
  if (methods === null) return waiting;
  if (!methods.password && tokenOfLink !== '')
    return (
      <Gate title={gate.title} lead={gate.lead}>
        <OtherWays methods={methods} to="/console" token={tokenOfLink} onIn={() => undefined} />
      </Gate>
    );
  return (
    <TokenGate {...gate} shown={['name', 'email', 'password']} onSend={() => onPerson(of)}>
      {({ name, email, password }) => (
        <>
          <TextField
            {...{ label: t.name, value: of.name, error: name, autoComplete: 'name', required: true }}
            onText={change('name')}
            autoFocus
          />
          <EmailField value={of.email} onText={change('email')} error={email} />
          <NewPasswordField
            {...{ label: texts.signIn.password, value: of.password, error: password }}
            onText={change('password')}
          />
          {children}
        </>
      )}
    </TokenGate>
  );
}

/** The first owner comes in. */
export function Welcome(): ReactElement {
  const [, navigate] = useLocation();
  return (
    <PersonGate
      {...{ title: t.welcome, lead: t.welcomeLead, action: t.begin }}
      onPerson={(person) => send('welcome', { token: tokenOfLink, ...person })}
      onDone={() => navigate('/', { replace: true })}
    />
  );
}

/** Somebody takes an invitation, as the user who is signed in, or as a new one. */
export function Accept(): ReactElement {
  const [, navigate] = useLocation();
  const methods = useMethods();
  const [who, setWho] = useState<SignedIn | null | undefined>();
  /** Why somebody who has a user should sign in. */
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
      if (error instanceof Fault && error.code === 'CONFLICT') setWhy(error.message);
      throw error;
    }
  };
  const signOut = async () => {
    await ask('sign-out', {});
    tellUser(null);
    setWho(null);
  };
  if (who === undefined || methods === null) return waiting;
  if (who)
    return (
      <TokenGate
        {...{ title: t.accept, lead: t.acceptAs(who.user.email), action: t.acceptNow }}
        onSend={() => accept({})}
      >
        {() => (
          <button type="button" className="button quiet" onClick={signOut}>
            {t.another}
          </button>
        )}
      </TokenGate>
    );
  if (why !== '') return <SignInForm why={why} to="/console" token={tokenOfLink} onIn={setWho} />;
  return (
    <PersonGate {...{ title: t.accept, lead: t.acceptLead, action: t.join }} onPerson={accept}>
      <button type="button" className="button text" onClick={() => setWhy(t.signInFirst)}>
        {t.haveUser(methods.openid?.name ?? null)}
      </button>
    </PersonGate>
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
  if (methods === null) return waiting;
  if (isSent || !methods.mail)
    return <Told title={t.forgot} text={isSent ? t.sent : t.noMail} way={t.toSignIn} />;
  return (
    <Gate title={t.forgot} lead={t.forgotLead} onSubmit={submit}>
      <EmailField value={email} onText={setEmail} error={errors.email} autoFocus />
      <GateEnd message={message} isBusy={isBusy} action={t.sendLink} />
      <Link href="/">{t.toSignIn}</Link>
    </Gate>
  );
}

/** Somebody sets a new password; where there are none, the link signs them in. */
export function Reset(): ReactElement {
  const [, navigate] = useLocation();
  const methods = useMethods();
  const [password, setPassword] = useState('');
  if (methods === null) return waiting;
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
  if (isDone) return <Told title={t.confirm} text={t.confirmed} way={t.toConsole} />;
  return (
    <TokenGate
      {...{ title: t.confirm, lead: t.confirmLead, action: t.confirmNow }}
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
  return <Told title={texts.signIn.title} text={told} />;
}
