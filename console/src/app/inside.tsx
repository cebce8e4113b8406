import { type ReactElement, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { Provider } from 'urql';
import { Link, Redirect, Router, useLocation, useSearch } from 'wouter';
import { Button } from '../controls/button.tsx';
import { Toasts } from '../controls/toasts.tsx';
import { ask, type SignedIn } from '../data/auth.ts';
import { away, useAfterOutage, useRetry } from '../data/away.ts';
import { openChannel } from '../data/channel.ts';
import { createClient } from '../data/client.ts';
import { keepDraftsOf } from '../data/drafts.ts';
import { Fault, mayBeOutage } from '../data/faults.ts';
import { findUser, hasExpired } from '../data/presence.ts';
import { useRead } from '../data/read.ts';
import { type Session, SessionContext } from '../data/session.ts';
import { signInAgain, tellUser, USER_CHANNEL } from '../data/sign-in-again.ts';
import { dismissAll, showToast } from '../data/toasts.ts';
import { ViewerDocument } from '../generated/documents.ts';
import { Unread } from '../parts/notice.tsx';
import { texts } from '../texts.ts';
import { focusSoon, isFocusFree } from './focus.ts';
import { Frame, FrameAhead } from './frame.tsx';
import { Gate, waiting } from './gate.tsx';
import { SignInForm } from './sign-in.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { ProfileView } from './views.tsx';

type State =
  | { readonly at: 'entering' }
  | { readonly at: 'failed'; readonly fault: Fault }
  | { readonly at: 'out'; readonly why: string }
  | { readonly at: 'in'; readonly who: SignedIn };

/** The interval at which drafts are marked as in use, and the time they stay after the session expired, in milliseconds. */
const AN_HOUR = 60 * 60 * 1000;
const A_DAY = 24 * AN_HOUR;

/** @param isOpen true if the tab had a session until now */
async function findState(isOpen = false): Promise<State> {
  try {
    return { at: 'in', who: await findUser() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.kind !== 'session') return { at: 'failed', fault: error };
    const why = hasExpired(error) ? texts.signIn.over : texts.signIn.ended;
    return { at: 'out', why: isOpen ? why : '' };
  }
}

/** The pages of people who are signed in, at addresses below /console/ACCOUNT_ID. */
export function Inside(): ReactElement {
  const [state, setState] = useState<State>({ at: 'entering' });
  const [location] = useLocation();
  const search = useSearch();
  const enter = async () => setState(await findState());
  const enterSoon = useEffectEvent(enter);
  const onUser = useEffectEvent(async (id: string | null) => {
    signInAgain.end(state.at === 'in' && state.who.user.id === id);
    const next = await findState();
    // The page stays as it is while the service is away.
    if (next.at !== 'failed') setState(next);
  });
  useAfterOutage(() => state.at === 'failed' && enter());
  useRetry(state.at === 'failed' ? state.fault : null, enter);
  const userId = state.at === 'in' ? state.who.user.id : null;
  const isOut = state.at === 'out';
  // Messages offer to undo a user's own actions: the next person must not see them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the user changes, which it does not read
  useEffect(() => dismissAll, [userId]);
  useEffect(() => {
    if (userId !== null) {
      const timer = setInterval(() => keepDraftsOf(userId), AN_HOUR);
      return () => clearInterval(timer);
    }
    // The page need not be loaded again.
    const timer = isOut ? setTimeout(() => enterSoon(), A_DAY) : undefined;
    return () => clearTimeout(timer);
  }, [userId, isOut]);
  useEffect(() => {
    void enterSoon();
    const channel = openChannel<string | null>(USER_CHANNEL, (id) => void onUser(id));
    return () => channel.close();
  }, []);

  const [base] = /^\/\d+/.exec(location) ?? [];
  if (state.at === 'entering')
    return base === undefined ? (
      waiting
    ) : (
      <Router base={base}>
        <FrameAhead />
      </Router>
    );
  if (state.at === 'failed')
    return (
      <Gate title={texts.product}>
        <Unread fault={state.fault} again={enter} isAlone />
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
  // Only once: requests that are still open must not end another session.
  const leave = (next: State) => {
    signInAgain.end(false);
    setState((now) => (now === state ? next : now));
  };
  const leaveByChoice = () => leave({ at: 'out', why: '' });
  const leaveByEnd = async () => {
    const next = await findState(true);
    leave(next.at === 'failed' ? { at: 'out', why: texts.signIn.over } : next);
  };
  const [, id = '', rest = ''] = /^\/(\d+)(.*)$/.exec(location) ?? [];
  const [first] = who.accounts;
  if (who.accounts.some((account) => account.id === id)) {
    if (rest === '') return <Redirect to={`/${id}/overview`} replace />;
    return (
      <InAccount
        key={`${who.user.id} ${id}`}
        {...{ accountId: id, who, onOver: leaveByEnd, onOut: leaveByChoice }}
      />
    );
  }
  if (id === '' && first) {
    const view = location === '/' && search === '' ? '/overview' : location;
    return <Redirect to={`/${first.id}${view}${search && `?${search}`}`} replace />;
  }
  if (location === '/profile') return <OwnProfile who={who} />;
  return <NoMember who={who} onOut={leaveByChoice} />;
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
        <a key={id} href={`/console/${id}/links`}>
          <bdi>{name}</bdi>
        </a>
      ))}
      <Link href="/profile">{texts.profile.title}</Link>
      <Button look="quiet" text={texts.account.signOut} onClick={() => void signOut(onOut)} />
    </Gate>
  );
}

/** The part of the page that belongs to one account; it is rendered anew for another. */
function InAccount(props: {
  accountId: string;
  who: SignedIn;
  /** The session has ended. */
  onOver: () => Promise<void>;
  /** The user has signed out. */
  onOut: () => void;
}): ReactElement {
  const { accountId } = props;
  const over = useEffectEvent(props.onOver);
  const [client] = useState(() =>
    createClient(accountId, (fault) => {
      if (fault.kind === 'session') void over();
      if (mayBeOutage(fault)) void away.find();
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
  onOut,
}: Pick<Session, 'client' | 'accountId'> & { who: SignedIn; onOut: () => void }): ReactElement {
  const { data, fault, again } = useRead(ViewerDocument, {}, { on: ['MEMBER', 'ACCOUNT'] });
  const viewer = data?.viewer;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onOut` is made anew with each render, and always does the same
  const session = useMemo((): Session | null => {
    if (!viewer) return null;
    const may: Session['may'] = (permission) => viewer.permissions.includes(permission);
    const { accounts } = who;
    return {
      ...{ client, accountId, viewer, accounts, may, canWrite: may('WRITE') },
      signOut: () => void signOut(onOut),
    };
  }, [client, accountId, viewer, who]);
  if (session === null)
    return fault ? (
      <Gate title={texts.product}>
        <Unread fault={fault} again={again} isAlone />
      </Gate>
    ) : (
      <FrameAhead />
    );
  return (
    <SessionContext value={session}>
      <Frame />
      <Toasts />
      <SignInAgain user={who.user} />
    </SessionContext>
  );
}
