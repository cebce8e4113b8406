import { type ReactElement, useEffect, useState } from 'react';
import { Provider } from 'urql';
import { Router } from 'wouter';
import { keyOfTab } from '../data/key-of-tab.ts';
import { type Session, SessionContext } from '../data/session.ts';
import { dismissAll, Toasts } from '../parts/toasts.tsx';
import { type Entry, enter } from './entry.ts';
import { focusSoon, isFocusFree } from './focus.ts';
import { Frame } from './frame.tsx';
import { SignIn } from './sign-in.tsx';

type State =
  | { readonly at: 'entering' }
  | { readonly at: 'out'; readonly why: string | null }
  | { readonly at: 'in'; readonly session: Session };

export function App(): ReactElement {
  const [state, setState] = useState<State>(() =>
    keyOfTab.get() === null ? { at: 'out', why: null } : { at: 'entering' },
  );
  const leave = (why: string | null) => {
    keyOfTab.clear();
    dismissAll();
    setState({ at: 'out', why });
  };
  const take = (entry: Entry) => {
    if ('refused' in entry) {
      if (entry.isWrong) keyOfTab.clear();
      return setState({ at: 'out', why: entry.refused });
    }
    keyOfTab.set(entry.session.apiKey);
    setState({ at: 'in', session: entry.session });
  };
  const signIn = async (key: string) => take(await enter(key, leave));
  const enterByForm = async (key: string) => {
    await signIn(key);
    focusSoon('#main', isFocusFree);
  };
  // The page was loaded again: it enters with the key of the tab.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once
  useEffect(() => {
    const key = keyOfTab.get();
    if (key !== null) void signIn(key);
  }, []);

  if (state.at === 'entering') return <div className="entering" aria-busy="true" />;
  if (state.at === 'out') return <SignIn why={state.why} kept={keyOfTab.get()} onKey={enterByForm} />;
  return (
    <SessionContext value={state.session}>
      <Provider value={state.session.client}>
        <Router base="/console">
          <Frame />
          <Toasts />
        </Router>
      </Provider>
    </SessionContext>
  );
}
