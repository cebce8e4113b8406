import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../controls/button.tsx';
import {
  type AboutLink,
  ask,
  type LastingAccess,
  refuseUnfilled,
  type SignedIn,
  send,
  useAsk,
} from '../data/auth.ts';
import { Fault } from '../data/faults.ts';
import type { Outcome } from '../data/refusals.ts';
import { faultText } from '../data/refusals.ts';
import { tellUser } from '../data/sign-in-again.ts';
import { tokenOfLink } from '../data/token.ts';
import { CopyBox } from '../parts/copy.tsx';
import { EmailField, NewPasswordField, TextField } from '../parts/field.tsx';
import { type FormState, useForm } from '../parts/form.ts';
import { Unread } from '../parts/notice.tsx';
import { useTexts } from '../parts/tied.ts';
import { texts } from '../texts.ts';
import { Gate, GateEnd, waiting } from './gate.tsx';
import { OtherWays, SignInForm, useMethods } from './sign-in.tsx';
import { SignInAgain } from './sign-in-again.tsx';

const t = texts.entrances;
type Person = Record<'name' | 'email' | 'password', string>;

interface TokenGateProps {
  readonly title: string;
  readonly lead: string;
  readonly action: string;
  readonly shown?: readonly string[];
  onSend(): Promise<Outcome>;
  onDone?(): void;
  readonly children?: (errors: FormState['errors']) => ReactNode;
}

/** A page for the token of its link, once the service has told its purpose. */
function LinkGate({
  page,
  children,
}: {
  page: LinkPage;
  children: (link: AboutLink) => ReactNode;
}): ReactNode {
  // As after it was loaded again.
  if (tokenOfLink === '') return <Told title={t[page]} text={t.noToken} way={t.toConsole} />;
  return <OpenLink page={page}>{children}</OpenLink>;
}

function OpenLink({ page, children }: Parameters<typeof LinkGate>[0]): ReactNode {
  const { data, fault, again } = useAsk<AboutLink>('token', { token: tokenOfLink });
  if (data) return children(data);
  if (fault?.code === 'GONE') return <Told title={t.ended} text={t.endedWhy[page]} way={t.toConsole} />;
  if (!fault) return waiting;
  return (
    <Gate title={t[page]}>
      <Unread fault={fault} again={again} isAlone />
    </Gate>
  );
}

type LinkPage = keyof typeof t.endedWhy;

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
  return (
    <Gate title={title} lead={lead} onSubmit={submit}>
      {children?.(errors)}
      <GateEnd message={message} isBusy={isBusy} action={action} />
    </Gate>
  );
}

/** A page that tells something. */
function Told(props: { title: string; text: string; way?: string; children?: ReactNode }): ReactElement {
  const { title, text, way, children } = props;
  return (
    <Gate title={title}>
      <p role="status">{text}</p>
      {children}
      {way && <Link href="/">{way}</Link>}
    </Gate>
  );
}

type PersonGateProps = Pick<TokenGateProps, 'title' | 'lead' | 'action' | 'onDone'> & {
  /** The address, where it is settled. */
  readonly email?: string | undefined;
  onPerson(person: Person): Promise<Outcome>;
  /** Further fields below the person's own. */
  readonly children?: TokenGateProps['children'];
};

/** A page for a new user; where people sign in with a provider alone, its answer uses up the token. */
function PersonGate({ email: settled, onPerson, children, ...gate }: PersonGateProps): ReactElement {
  const methods = useMethods();
  const [of, tied] = useTexts<keyof Person>({ name: '', email: settled ?? '', password: '' });
  if (methods === null) return waiting;
  if (!methods.password)
    return (
      <Gate title={gate.title} lead={gate.lead}>
        <OtherWays methods={methods} to="/console" token={tokenOfLink} onIn={() => undefined} />
      </Gate>
    );
  return (
    <TokenGate
      {...gate}
      shown={['name', 'email', 'password', 'accountName']}
      onSend={async () => refuseUnfilled(of) ?? onPerson(of)}
    >
      {(errors) => (
        <>
          <TextField label={t.name} {...tied('name', errors)} autoComplete="name" required autoFocus />
          <EmailField {...tied('email', errors)} readOnly={settled !== undefined} />
          <NewPasswordField label={texts.signIn.password} {...tied('password', errors)} />
          {children?.(errors)}
        </>
      )}
    </TokenGate>
  );
}

/** The first owner sets up their user. */
export function Welcome(): ReactElement {
  const [, navigate] = useLocation();
  const [accountName, setAccountName] = useState('');
  return (
    <LinkGate page="welcome">
      {() => (
        <PersonGate
          {...{ title: t.welcome, lead: t.welcomeLead, action: t.begin }}
          onPerson={(person) =>
            send('welcome', {
              ...{ token: tokenOfLink, ...person },
              ...(accountName.trim() !== '' && { accountName }),
            })
          }
          onDone={() => navigate('/', { replace: true })}
        >
          {(errors) => (
            <TextField
              {...{ label: t.accountName, value: accountName, error: errors.accountName }}
              hint={t.accountNameHint}
              autoComplete="organization"
              onText={setAccountName}
            />
          )}
        </PersonGate>
      )}
    </LinkGate>
  );
}

/** Accepts an invitation, as the signed-in user or as a new one. */
export function Accept(): ReactElement {
  return <LinkGate page="accept">{(link) => <Invited link={link} />}</LinkGate>;
}

function Invited({
  link: { email = '', account = '', inviter = null, role },
}: {
  link: AboutLink;
}): ReactElement {
  const [, navigate] = useLocation();
  const methods = useMethods();
  const [who, setWho] = useState<SignedIn | null | undefined>();
  /** The reason why somebody who has a user should sign in. */
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
  const gate = { title: t.accept, lead: t.invited(inviter, account, role && texts.roles[role]) };
  if (who && who.user.email.toLowerCase() !== email.toLowerCase())
    return (
      <Gate {...gate}>
        <p className="notice">{t.otherUser(email, who.user.email)}</p>
        <Button text={t.signOutFirst} onClick={signOut} />
      </Gate>
    );
  if (who)
    return (
      <TokenGate {...gate} action={t.acceptNow} onSend={() => accept({})}>
        {() => <p>{t.acceptAs(who.user.email)}</p>}
      </TokenGate>
    );
  if (why !== '') return <SignInForm {...{ why, email }} to="/console" token={tokenOfLink} onIn={setWho} />;
  return (
    <PersonGate {...{ ...gate, email, action: t.join }} onPerson={accept}>
      {() => (
        <Button
          look="text"
          text={t.haveUser(methods.openid?.name ?? null)}
          onClick={() => setWhy(t.signInFirst)}
        />
      )}
    </PersonGate>
  );
}

/** The command that makes a link to a new password. */
const RESET = 'npm run users -- reset';

/** Asks for a link to a new password. */
export function Forgot(): ReactElement {
  const methods = useMethods();
  const option = `--email ${t.yours}`;
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const { errors, message, isBusy, submit } = useForm(
    { within: '.gate', shown: ['email'] },
    async () => refuseUnfilled({ email }) ?? send('forgot', { email }),
    () => setSent(true),
  );
  if (methods === null) return waiting;
  if (isSent) return <Told title={t.forgot} text={t.sent} way={t.toSignIn} />;
  if (!methods.mail)
    return (
      <Told title={t.forgot} text={t.noMail} way={t.toSignIn}>
        <CopyBox text={`${RESET} ${option}`}>
          {RESET} <span className="cut">{option}</span>
        </CopyBox>
      </Told>
    );
  return (
    <Gate title={t.forgot} lead={t.forgotLead} onSubmit={submit}>
      <EmailField value={email} onText={setEmail} error={errors.email} autoFocus />
      <GateEnd message={message} isBusy={isBusy} action={t.sendLink} />
      <Link href="/">{t.toSignIn}</Link>
    </Gate>
  );
}

/** Sets a new password; in a service without passwords, the link signs in. */
export function Reset(): ReactElement {
  return <LinkGate page="reset">{({ email }) => <SetPassword email={email ?? ''} />}</LinkGate>;
}

function SetPassword({ email }: { email: string }): ReactElement {
  const methods = useMethods();
  const [password, setPassword] = useState('');
  const [isDone, setDone] = useState(false);
  if (methods === null) return waiting;
  if (isDone) return <AfterReset />;
  const withPassword = methods.password;
  return (
    <TokenGate
      title={withPassword ? t.reset : texts.signIn.title}
      lead={withPassword ? t.resetLead : t.resetSignIn}
      action={withPassword ? t.setPassword : texts.signIn.open}
      shown={['password']}
      onSend={async () =>
        (withPassword && refuseUnfilled({ password })) ||
        send('reset', { token: tokenOfLink, ...(withPassword && { password }) })
      }
      onDone={() => setDone(true)}
    >
      {(errors) =>
        withPassword && (
          <>
            <EmailField value={email} onText={() => undefined} readOnly />
            <NewPasswordField value={password} onText={setPassword} error={errors.password} autoFocus />
          </>
        )
      }
    </TokenGate>
  );
}

/** Lists a person's access that outlasts their sessions, and ends it: somebody else may have made it in their name. */
function AfterReset(): ReactElement {
  const [, navigate] = useLocation();
  const { data, fault, again } = useAsk<LastingAccess>('lasting-access');
  const goOn = () => navigate('/', { replace: true });
  const listIds = (records: readonly { id: string }[]) => records.map(({ id }) => id);
  const isEmpty = data && data.keys.length + data.invitations.length + data.webhooks.length === 0;
  const { message, isBusy, submit } = useForm(
    { within: '.gate', shown: [] },
    () =>
      send('lasting-access/end', {
        keys: listIds(data?.keys ?? []),
        invitations: listIds(data?.invitations ?? []),
        webhooks: listIds(data?.webhooks.filter(({ mayDisable }) => mayDisable) ?? []),
      }),
    goOn,
  );
  useEffect(() => {
    if (isEmpty) navigate('/', { replace: true });
  }, [isEmpty, navigate]);
  if (fault)
    return (
      <Gate title={t.lasting}>
        <Unread fault={fault} again={again} isAlone />
        <Link href="/">{t.toConsole}</Link>
      </Gate>
    );
  if (!data || isEmpty) return waiting;
  return (
    <>
      <Gate title={t.lasting} lead={t.lastingLead} onSubmit={submit}>
        <ul className="stopping">
          {data.keys.map(({ id, name, prefix, account }) => (
            <li key={`key ${id}`}>
              {t.lastingKey} <b>{name}</b> <code>{prefix}…</code> · {account.name}
            </li>
          ))}
          {data.webhooks.map(({ id, url, mayDisable, account }) => (
            <li key={`webhook ${id}`}>
              {t.lastingWebhook} <b>{url}</b> · {account.name}
              {!mayDisable && <small> {t.lastingStays}</small>}
            </li>
          ))}
          {data.invitations.map(({ id, email, account }) => (
            <li key={`invitation ${id}`}>
              {t.lastingInvitation} <b>{email}</b> · {account.name}
            </li>
          ))}
        </ul>
        <GateEnd message={message} isBusy={isBusy} action={t.lastingEnd} />
        <Button look="quiet" text={t.lastingKeep} onClick={goOn} />
      </Gate>
      <AgainHere />
    </>
  );
}

/** Asks for a new sign-in, on a page outside the console. */
function AgainHere(): ReactElement | null {
  const { data } = useAsk<SignedIn>('session');
  return data && <SignInAgain user={data.user} />;
}

/** Confirms a new email address, in the browser that asked for it. */
export function ConfirmEmail(): ReactElement {
  const [isDone, setDone] = useState(false);
  if (isDone) return <Told title={t.confirm} text={t.confirmed} way={t.toConsole} />;
  return (
    <LinkGate page="confirm">
      {({ email }) =>
        email === undefined ? (
          <Told title={t.confirm} text={t.confirmElsewhere} way={t.toConsole} />
        ) : (
          <>
            <TokenGate
              {...{ title: t.confirm, lead: t.confirmLead(email), action: t.confirmNow }}
              onSend={() => send('confirm', { token: tokenOfLink })}
              onDone={() => setDone(true)}
            />
            <AgainHere />
          </>
        )
      }
    </LinkGate>
  );
}

/** Takes back a former email address, also without a sign-in. */
export function UndoEmail(): ReactElement {
  const [isDone, setDone] = useState(false);
  if (isDone) return <Told title={t.undo} text={t.undone} way={t.toSignIn} />;
  return (
    <LinkGate page="undo">
      {({ email = '' }) => (
        <TokenGate
          {...{ title: t.undo, lead: t.undoLead(email), action: t.undoNow }}
          onSend={() => send('email/undo', { token: tokenOfLink })}
          onDone={() => {
            tellUser(null);
            setDone(true);
          }}
        />
      )}
    </LinkGate>
  );
}

/** The page to which a provider leads in a tab of its own, beside one that waits for a new sign-in. */
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
