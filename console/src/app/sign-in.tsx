import { type ReactElement, useEffect, useEffectEvent, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { Button } from '../controls/button.tsx';
import {
  ask,
  findMethods,
  goToProvider,
  type Methods,
  oidcPath,
  refuseUnfilled,
  type SignedIn,
  send,
} from '../data/auth.ts';
import { useAfterOutage } from '../data/away.ts';
import { Fault, mayBeOutage } from '../data/faults.ts';
import { findUser } from '../data/presence.ts';
import { faultText } from '../data/refusals.ts';
import { tellUser } from '../data/sign-in-again.ts';
import { areCookiesBlocked } from '../data/storage.ts';
import { loadScript } from '../data/version.ts';
import { BlockedNotice } from '../parts/blocked.tsx';
import { EmailField, OwnPasswordField } from '../parts/field.tsx';
import { useForm } from '../parts/form.ts';
import { useTexts } from '../parts/tied.ts';
import { texts } from '../texts.ts';
import { Gate, GateEnd, waiting } from './gate.tsx';

/** The sign-in methods here; null until they are known. */
export function useMethods(): Methods | null {
  const [methods, setMethods] = useState<Methods | null>(null);
  useEffect(() => {
    void findMethods().then(setMethods);
  }, []);
  return methods;
}

interface OtherWaysProps {
  readonly methods: Methods;
  /** The path to which the provider leads back. */
  readonly to: string;
  /** The token of a link, which the provider's answer uses up. */
  readonly token?: string | undefined;
  /** True if the provider gets a tab of its own, since this one has unsaved work. */
  readonly isApart?: boolean;
  onIn(who: SignedIn): void;
}

/** The ways to sign in without a password. */
export function OtherWays({
  methods,
  to,
  token,
  isApart = false,
  onIn,
}: OtherWaysProps): ReactElement | null {
  const { passkeys, openid } = methods;
  const [fault, setFault] = useState<Fault | null>(null);
  useAfterOutage(() => fault && mayBeOutage(fault) && setFault(null));
  const attempt = async (act: () => Promise<unknown>) => {
    setFault(null);
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
    }
  };
  const byPasskey = async () => {
    const { signInByPasskey } = await loadScript(() => import('../data/passkeys.ts'));
    onIn(await signInByPasskey());
  };
  if (!passkeys && openid === null) return null;
  return (
    <>
      <p className="told" role="alert">
        {fault && faultText(fault)}
      </p>
      {passkeys && <Button look="quiet" text={texts.signIn.byPasskey} onClick={() => attempt(byPasskey)} />}
      {openid && token && (
        <Button
          look="quiet"
          text={texts.signIn.byProvider(openid.name)}
          onClick={() => attempt(() => goToProvider({ to, token }))}
        />
      )}
      {openid && !token && (
        <a className="button quiet" href={oidcPath(to)} {...(isApart && { target: '_blank' })}>
          {texts.signIn.byProvider(openid.name)}
        </a>
      )}
    </>
  );
}

/** The address at which passkeys work, if they do not here. */
export function passkeyHint({ passkeys, consoleUrl }: Methods): string | null {
  if (passkeys) return null;
  const { protocol, hostname, origin } = URL.canParse(consoleUrl) ? new URL(consoleUrl) : location;
  const isPossible = (protocol === 'https:' || hostname === 'localhost') && !/^[\d.]+$|^\[/.test(hostname);
  return isPossible && origin !== location.origin
    ? texts.signIn.passkeysAt(consoleUrl)
    : texts.signIn.passkeysNeed;
}

/** Asks somebody to sign in; the provider leads back to `to`. */
export function SignInForm({
  why,
  email: expected = '',
  to,
  token,
  onIn,
}: Pick<OtherWaysProps, 'to' | 'token' | 'onIn'> & {
  readonly why: string;
  readonly email?: string;
}): ReactElement {
  const methods = useMethods();
  const [typed, tied] = useTexts({ email: expected, password: '' });
  const [wrong, setWrong] = useState<typeof typed | null>(null);
  const [isForgotten, setForgotten] = useState(false);
  const enter = async (who: SignedIn) => {
    const isOver = (error: unknown) => error instanceof Fault && error.kind === 'session';
    // Otherwise nobody would learn the reason for the question.
    if (await ask('session').then(() => false, isOver)) return setForgotten(true);
    tellUser(who.user.id);
    onIn(who);
  };
  const { errors, message, isBusy, submit } = useForm(
    { within: '.gate', shown: ['email', 'password'] },
    async () => {
      setWrong(null);
      const refused = refuseUnfilled(typed);
      if (refused) return refused;
      const outcome = await send<SignedIn>('sign-in', typed).catch((error: unknown) => {
        if (error instanceof Fault && error.told.rule === 'WRONG_PASSWORD') setWrong(typed);
        throw error;
      });
      if (outcome.answer) await enter(outcome.answer);
      return outcome;
    },
    () => undefined,
  );
  // What is typed anew is not wrong yet.
  const isWrong = wrong === typed;
  const t = texts.signIn;
  if (methods === null) return waiting;
  const hint = methods.password && isSecureContext ? passkeyHint(methods) : null;
  return (
    <Gate title={t.title} onSubmit={submit}>
      {isForgotten && !areCookiesBlocked && <BlockedNotice cookies />}
      {why !== '' && (
        <p className="notice" role="status">
          {why}
        </p>
      )}
      {methods.password && (
        <>
          <EmailField {...tied('email', errors)} aria-invalid={isWrong} autoFocus />
          <OwnPasswordField {...tied('password', errors)} aria-invalid={isWrong} />
          <GateEnd message={wrong === null || isWrong ? message : ''} isBusy={isBusy} action={t.open} />
        </>
      )}
      <OtherWays methods={methods} to={to} token={token} onIn={enter} />
      {methods.password && (
        <p className="hint">
          <Link href="~/console/forgot">{t.forgot}</Link> {t.noUser}
        </p>
      )}
      {hint && <p className="hint">{hint}</p>}
    </Gate>
  );
}

/** The requested path on this site, below /console or /graphql. */
function asked(search: string): string | null {
  const to = new URLSearchParams(search).get('to') ?? '';
  if (!URL.canParse(to, location.origin)) return null;
  // Only after that do dots lead nowhere else.
  const { origin, pathname, href } = new URL(to, location.origin);
  return origin === location.origin && /^\/(console(\/.*)?|graphql)$/.test(pathname) ? href : null;
}

/** The page at /console/sign-in: providers lead there after a failure, and GraphiQL without a session. */
export function SignInPage(): ReactElement {
  const [, navigate] = useLocation();
  const search = useSearch();
  const [isKnown, setKnown] = useState(false);
  const [isIn, setIn] = useState(false);
  const fault = new URLSearchParams(search).get('fault');
  const to = asked(search);
  const goOn = () => (to === null ? navigate('/', { replace: true }) : location.replace(to));
  const onUser = useEffectEvent(() => (fault === null ? goOn() : setIn(true)));
  useEffect(() => {
    findUser()
      .then(() => onUser())
      .catch(() => undefined)
      .finally(() => setKnown(true));
  }, []);
  const t = texts.signIn;
  if (!isKnown) return waiting;
  const why = fault === null ? '' : (t.providerFaults[fault] ?? t.providerFailed);
  if (isIn)
    return (
      <Gate title={t.title} lead={why}>
        <Link href="/">{t.back}</Link>
      </Gate>
    );
  return (
    <SignInForm
      why={why}
      to={to === null ? '/console' : `/console/sign-in?${new URLSearchParams({ to })}`}
      onIn={goOn}
    />
  );
}
