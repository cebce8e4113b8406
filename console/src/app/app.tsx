import type { ReactElement } from 'react';
import { Route, Router, Switch } from 'wouter';
import { Tooltips } from '../controls/tooltips.tsx';
import { lazily } from '../parts/lazily.tsx';
import { waiting } from './gate.tsx';
import { Inside } from './inside.tsx';
import { SignInPage } from './sign-in.tsx';

const load = () => import('./entrances.tsx');
const Welcome = lazily(async () => (await load()).Welcome, waiting);
const Accept = lazily(async () => (await load()).Accept, waiting);
const Forgot = lazily(async () => (await load()).Forgot, waiting);
const SignedInApart = lazily(async () => (await load()).SignedInApart, waiting);
const Reset = lazily(async () => (await load()).Reset, waiting);
const UndoEmail = lazily(async () => (await load()).UndoEmail, waiting);
const ConfirmEmail = lazily(async () => (await load()).ConfirmEmail, waiting);

export function App(): ReactElement {
  return (
    <Router base="/console">
      <Switch>
        <Route path="/sign-in" component={SignInPage} />
        <Route path="/welcome" component={Welcome} />
        <Route path="/accept" component={Accept} />
        <Route path="/forgot" component={Forgot} />
        <Route path="/reset" component={Reset} />
        <Route path="/confirm" component={ConfirmEmail} />
        <Route path="/undo" component={UndoEmail} />
        <Route path="/signed-in" component={SignedInApart} />
        <Route component={Inside} />
      </Switch>
      <Tooltips />
    </Router>
  );
}
