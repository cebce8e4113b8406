import { type ReactElement, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { Provider } from 'urql';
import { Link, Redirect, Router, useLocation, useSearch } from 'wouter';
import { ask, type SignedIn } from '../data/auth.ts';
import { away } from '../data/away.ts';
import { createClient } from '../data/client.ts';
import { Fault } from '../data/faults.ts';
import { useRead } from '../data/read.ts';
import { type Session, SessionContext } from '../data/session.ts';
import { signInAgain, tellUser, USER_CHANNEL } from '../data/sign-in-again.ts';
import { ViewerDocument } from '../generated/documents.ts';
import { FaultNotice } from '../parts/notice.tsx';
import { dismissAll, showToast, Toasts } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';
import { focusSoon, isFocusFree } from './focus.ts';
import { Frame, ProfileView } from './frame.tsx';
import { Gate, waiting } from './gate.tsx';
import { SignInForm } from './sign-in.tsx';
import { SignInAgain } from './sign-in-again.tsx';

type State =
  | { readonly at: 'entering' }
  | { readonly at: 'failed'; readonly fault: Fault }
  | { readonly at: 'out'; readonly why: string }
  | { readonly at: 'in'; readonly who: SignedIn };

async function findState(): Promise<State> {
  try {
    return { at: 'in', who: await ask<SignedIn>('session') };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.kind === 'session' ? { at: 'out', why: '' } : { at: 'failed', fault: error };
  }
}

/** What people who are signed in see, at addresses below /console/ACCOUNT_ID. */
export function Inside(): ReactElement {
  const [state, setState] = useState<State>({ at: 'entering' });
  const [location] = useLocation();
  const search = useSearch();
  const enter = async () => setState(await findState());
  const onUser = useEffectEvent(async (id: string | null) => {
    signInAgain.end(state.at === 'in' && state.who.user.id === id);
    const next = await findState();
    // What is on the page stays while the service is away.
    if (next.at !== 'failed') setState(next);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    void enter();
    const channel = new BroadcastChannel(USER_CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<string | null>) => void onUser(data);
    return () => channel.close();
  }, []);

  if (state.at === 'entering') return waiting;
  if (state.at === 'failed')
    return (
      <Gate title={texts.product}>
        <FaultNotice fault={state.fault} again={enter} />
      </Gate>
    );
  if (state.at === 'out')
    return (
      <SignInForm
        why={state.why}
        to={`/console${location}${search && `?${search}`}`}
        onIn={async () => {
          await enter();
          focusSoon('#main', isFocusFree);
        }}
      />
    );
  const { who } = state;
  // Only once: what is still under way must not end another session.
  const leave = (why: string) => {
    signInAgain.end(false);
    setState((now) => (now === state ? { at: 'out', why } : now));
  };
  const [, id = '', rest = ''] = /^\/(\d+)(.*)$/.exec(location) ?? [];
  const [first] = who.accounts;
  if (who.accounts.some((account) => account.id === id)) {
    if (rest === '') return <Redirect to={`/${id}/overview`} replace />;
    return <InAccount key={`${who.user.id} ${id}`} accountId={id} who={who} onOver={leave} />;
  }
  if (id === '' && first) {
    const view = location === '/' && search === '' ? '/overview' : location;
    return <Redirect to={`/${first.id}${view}${search && `?${search}`}`} replace />;
  }
  if (location === '/profile') return <OwnProfile who={who} />;
  return <NoMember who={who} onOut={() => leave('')} />;
}

/** The profile of a member of no account. */
function OwnProfile({ who }: { who: SignedIn }): ReactElement {
  return (
    <>
      <main id="main">
        <Link href="/">{texts.signIn.back}</Link>
        <ProfileView />
      </main>
      <Toasts />
      <SignInAgain user={who.user} />
    </>
  );
}

async function signOut(onOut: () => void): Promise<void> {
  try {
    const answer = await ask<{ url: string } | null>('sign-out', {});
    tellUser(null);
    dismissAll();
    // The provider has a session, too.
    if (answer) location.assign(answer.url);
    else onOut();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    showToast(texts.faults[error.kind] ?? error.message, { wrong: true });
  }
}

function NoMember({ who, onOut }: { who: SignedIn; onOut: () => void }): ReactElement {
  const t = texts.noMember;
  return (
    <Gate title={t.title(who.accounts.length > 0)} lead={t.lead(who.user.email, who.accounts.length > 0)}>
      {who.accounts.map(({ id, name }) => (
        <a key={id} href={`/console/${id}/`}>
          {name}
        </a>
      ))}
      <Link href="/profile">{texts.profile.title}</Link>
      <button type="button" className="button quiet" onClick={() => void signOut(onOut)}>
        {texts.account.signOut}
      </button>
    </Gate>
  );
}

/** Everything in it belongs to one account: another one has another. */
function InAccount(props: { accountId: string; who: SignedIn; onOver: (why: string) => void }): ReactElement {
  const { accountId } = props;
  const over = useEffectEvent(() => props.onOver(texts.signIn.over));
  const [client] = useState(() =>
    createClient(accountId, ({ kind }) => {
      if (kind === 'session') over();
      if (kind === 'away') void away.find();
    }),
  );
  return (
    <Provider value={client}>
      <Router base={`/${accountId}`}>
        <WithViewer {...props} client={client} />
      </Router>
    </Provider>
  );
}

function WithViewer({
  client,
  accountId,
  who,
  onOver,
}: Pick<Session, 'client' | 'accountId'> & { who: SignedIn; onOver: (why: string) => void }): ReactElement {
  const { data, fault, again } = useRead(ViewerDocument, {}, { on: ['MEMBER', 'ACCOUNT'] });
  const viewer = data?.viewer;
  // biome-ignore lint/correctness/useExhaustiveDependencies: to sign out is the same for ever
  const session = useMemo((): Session | null => {
    if (!viewer) return null;
    const may: Session['may'] = (permission) => viewer.permissions.includes(permission);
    const { accounts } = who;
    return {
      ...{ client, accountId, viewer, accounts, may, canWrite: may('WRITE') },
      signOut: () => void signOut(() => onOver('')),
    };
  }, [client, accountId, viewer, who]);
  if (session === null)
    return fault ? (
      <Gate title={texts.product}>
        <FaultNotice fault={fault} again={again} />
      </Gate>
    ) : (
      waiting
    );
  return (
    <SessionContext value={session}>
      <Frame />
      <Toasts />
      <SignInAgain user={who.user} />
    </SessionContext>
  );
}
