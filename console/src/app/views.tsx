import type { ComponentType, ReactElement } from 'react';
import { Link, Redirect, Route, Switch, useSearch } from 'wouter';
import { loadScript } from '../data/version.ts';
import { lazily } from '../parts/lazily.tsx';
import { Empty } from '../parts/notice.tsx';
import { texts } from '../texts.ts';
import { isOverList } from './over-list.ts';
import { ViewAhead } from './places.tsx';

const view = <Props extends object>(load: () => Promise<ComponentType<Props>>) => lazily(load, <ViewAhead />);

const Overview = view(async () => (await import('../views/overview.tsx')).Overview);
const loadLinks = () => import('../views/links/links-view.tsx');
const LinksView = view(async () => (await loadLinks()).LinksView);
const loadLinkView = () => import('../views/link/link-view.tsx');
const LinkView = view(async () => (await loadLinkView()).LinkView);
const Spaces = view(async () => (await import('../views/spaces.tsx')).SpacesView);
const Tags = view(async () => (await import('../views/tags.tsx')).TagsView);
const Domains = view(async () => (await import('../views/domains.tsx')).DomainsView);
const Pixels = view(async () => (await import('../views/pixels.tsx')).PixelsView);
const Templates = view(async () => (await import('../views/templates.tsx')).TemplatesView);
const Webhooks = view(async () => (await import('../views/webhooks/webhooks-view.tsx')).WebhooksView);
const Operations = view(async () => (await import('../views/operations/operations-view.tsx')).OperationsView);
const People = view(async () => (await import('../views/people/people-view.tsx')).PeopleView);
const Keys = view(async () => (await import('../views/keys.tsx')).KeysView);
export const ProfileView = view(async () => (await import('../views/profile/profile-view.tsx')).ProfileView);
const Activity = view(async () => (await import('../views/activity.tsx')).ActivityView);
const Many = view(async () => (await import('../views/many/many-view.tsx')).ManyView);
const Settings = view(async () => (await import('../views/settings/settings-view.tsx')).SettingsView);

/** Loads the views that most people open next. */
export const loadAhead = (): Promise<unknown> =>
  loadScript(() => Promise.all([loadLinks(), loadLinkView()])).catch(() => undefined);

/** The view at the address. */
export function Views(): ReactElement {
  const query = useSearch();
  return (
    <Switch>
      {/* The former address of the list. */}
      <Route path="/">
        <Redirect to={`/links${query && `?${query}`}`} replace />
      </Route>
      {/* One route, so that the list stays below a link. */}
      <Route path="/links/:id?/:tab?">
        {({ id, tab }) =>
          id === undefined || (tab === undefined && isOverList()) ? (
            <LinksView id={id} />
          ) : (
            <LinkView key={id} id={id} tab={tab} />
          )
        }
      </Route>
      <Route path="/overview">
        <Overview />
      </Route>
      <Route path="/spaces/:id">{({ id }) => <Overview key={id} group={{ kind: 'space', id }} />}</Route>
      <Route path="/tags/:id">{({ id }) => <Overview key={id} group={{ kind: 'tag', id }} />}</Route>
      <Route path="/many" component={Many} />
      <Route path="/spaces" component={Spaces} />
      <Route path="/tags" component={Tags} />
      <Route path="/domains" component={Domains} />
      <Route path="/pixels" component={Pixels} />
      <Route path="/templates" component={Templates} />
      <Route path="/webhooks" component={Webhooks} />
      <Route path="/operations" component={Operations} />
      <Route path="/people" component={People} />
      <Route path="/keys" component={Keys} />
      <Route path="/profile" component={ProfileView} />
      <Route path="/activity" component={Activity} />
      <Route path="/settings" component={Settings} />
      <Route>
        <Empty title={texts.nothingHere}>
          <Link href="/overview" className="button">
            {texts.toOverview}
          </Link>
        </Empty>
      </Route>
    </Switch>
  );
}
