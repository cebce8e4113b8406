import { type ReactElement, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { Menu } from '../controls/menu.tsx';
import { useSession } from '../data/session.ts';
import { undoToast } from '../data/toasts.ts';
import { loadScript } from '../data/version.ts';
import { BlockedNotice } from '../parts/blocked.tsx';
import { Brand } from '../parts/brand.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { lazily } from '../parts/lazily.tsx';
import { Empty } from '../parts/notice.tsx';
import { useTitleOf } from '../parts/title.ts';
import { texts } from '../texts.ts';
import { chooseTheme, themeInUse, themes } from '../theme.ts';
import { Connection } from './connection.tsx';
import { DESTINATION, focusNow, focusSoon, keepFocus } from './focus.ts';
import { Help } from './help.tsx';
import { onShortcut } from './shortcuts.ts';

const Overview = lazily(async () => (await import('../views/overview.tsx')).Overview);
const loadLinks = () => import('../views/links/links-view.tsx');
const LinksView = lazily(async () => (await loadLinks()).LinksView);
const loadLinkView = () => import('../views/link/link-view.tsx');
const LinkView = lazily(async () => (await loadLinkView()).LinkView);
const Spaces = lazily(async () => (await import('../views/spaces.tsx')).SpacesView);
const Tags = lazily(async () => (await import('../views/tags.tsx')).TagsView);
const Domains = lazily(async () => (await import('../views/domains.tsx')).DomainsView);
const Pixels = lazily(async () => (await import('../views/pixels.tsx')).PixelsView);
const Templates = lazily(async () => (await import('../views/templates.tsx')).TemplatesView);
const Webhooks = lazily(async () => (await import('../views/webhooks/webhooks-view.tsx')).WebhooksView);
const Operations = lazily(
  async () => (await import('../views/operations/operations-view.tsx')).OperationsView,
);
const People = lazily(async () => (await import('../views/people/people-view.tsx')).PeopleView);
const Keys = lazily(async () => (await import('../views/keys.tsx')).KeysView);
export const ProfileView = lazily(
  async () => (await import('../views/profile/profile-view.tsx')).ProfileView,
);
const Activity = lazily(async () => (await import('../views/activity.tsx')).ActivityView);
const Many = lazily(async () => (await import('../views/many/many-view.tsx')).ManyView);

const places: readonly { path: string; name: string; icon: IconName }[] = [
  { path: '/overview', name: texts.places.overview, icon: 'overview' },
  { path: '/links', name: texts.places.links, icon: 'link' },
  { path: '/spaces', name: texts.places.spaces, icon: 'space' },
  { path: '/tags', name: texts.tags.title, icon: 'tag' },
  { path: '/domains', name: texts.places.domains, icon: 'domain' },
  { path: '/pixels', name: texts.places.pixels, icon: 'pixel' },
  { path: '/templates', name: texts.places.templates, icon: 'template' },
  { path: '/webhooks', name: texts.places.webhooks, icon: 'webhook' },
  { path: '/operations', name: texts.places.operations, icon: 'operation' },
  { path: '/people', name: texts.places.people, icon: 'people' },
  { path: '/keys', name: texts.places.keys, icon: 'key' },
  { path: '/activity', name: texts.places.activity, icon: 'activity' },
];

function sectionTitle(location: string): string {
  // As routes match it.
  const path = location.toLowerCase().replace(/(?<=.)\/$/, '');
  if (path === '/many') return texts.many.title;
  if (path === '/profile') return texts.profile.title;
  if (path === '/' || path.startsWith('/links/')) return texts.places.links;
  if (path.startsWith('/spaces/')) return texts.places.spaces;
  if (path.startsWith('/tags/')) return texts.tags.title;
  return places.find((place) => place.path === path)?.name ?? texts.nothingHere;
}

function Places({ onGone }: { onGone?: () => void }): ReactElement {
  const [location] = useLocation();
  const here = location.toLowerCase();
  const isHere = (path: string) => here.startsWith(path) || (path === '/links' && here === '/many');
  return (
    <nav aria-label={texts.places.all}>
      {places.map(({ path, name, icon }) => (
        <Link key={path} href={path} aria-current={isHere(path) ? 'page' : undefined} onClick={onGone}>
          <Icon name={icon} />
          {name}
        </Link>
      ))}
    </nav>
  );
}

function ThemeMenu(): ReactElement {
  const [theme, setTheme] = useState(themeInUse);
  return (
    <Menu
      label={texts.theme.name}
      icon={theme}
      items={themes.map((one) => ({
        name: texts.theme[one],
        icon: one === theme ? 'check' : one,
        checked: one === theme,
        run: () => {
          chooseTheme(one);
          setTheme(one);
        },
      }))}
    />
  );
}

function Account({ onHelp, onGone }: { onHelp: () => void; onGone: () => void }): ReactElement {
  const { viewer, accountId, accounts, signOut } = useSession();
  const [, navigate] = useLocation();
  const others = accounts.filter(({ id }) => id !== accountId);
  return (
    <div className="account">
      <p>
        <b>
          <bdi>{viewer.account.name}</bdi>
        </b>
        <Link href="/profile" onClick={onGone} title={texts.profile.title}>
          <bdi>{viewer.user?.name}</bdi>
        </Link>
        <span>{viewer.role && texts.roles[viewer.role]}</span>
      </p>
      {others.length > 0 && (
        <Menu
          label={texts.account.switch}
          icon="switch"
          items={others.map(({ id, name }) => ({ id, name, run: () => navigate(`~/console/${id}/links`) }))}
        />
      )}
      <ThemeMenu />
      <button
        type="button"
        className="bare keyed"
        onClick={onHelp}
        aria-label={texts.help.title}
        title={texts.help.title}
      >
        <Icon name="keyboard" />
      </button>
      <button
        type="button"
        className="bare"
        onClick={signOut}
        aria-label={texts.account.signOut}
        title={texts.account.signOut}
      >
        <Icon name="signOut" />
      </button>
    </div>
  );
}

/** The frame around the views, which stays while they change. */
export function Frame(): ReactElement {
  const [location, navigate] = useLocation();
  const query = useSearch();
  const { canWrite } = useSession();
  const [isHelp, setHelp] = useState(false);
  const [isMenu, setMenu] = useState(false);
  const burger = useRef<HTMLButtonElement>(null);
  useTitleOf(location, sectionTitle(location));
  const go = (path: string, field: string) => {
    if (focusNow(field)) return;
    navigate(path);
    focusSoon(field);
  };
  const openNew = () => {
    const button = document.getElementById('new-link');
    if (focusNow('#new-url')) return;
    if (button) button.click();
    else navigate('/links', { state: { isNew: true } });
  };
  const [, link] = /^\/links\/(\d+)/.exec(location) ?? [];
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && isMenu) {
      event.preventDefault();
      setMenu(false);
      burger.current?.focus();
    }
    onShortcut(event, {
      '?': () => setHelp(true),
      '/': () => go('/links', '#search'),
      a: () => focusNow('.bulk button'),
      z: () => undoToast() || document.querySelector<HTMLElement>('.undo')?.click(),
      ...(canWrite && { n: openNew }),
      ...(link && { e: () => go(`/links/${link}${query && `?${query}`}`, DESTINATION) }),
    });
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useEffect(keepFocus, []);
  // Loads the view that most people open next.
  useEffect(() => {
    const ahead = () => loadScript(() => Promise.all([loadLinks(), loadLinkView()]));
    const timer = setTimeout(() => ahead().catch(() => undefined), 1_500);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="frame">
      <a className="skip" href="#main">
        {texts.skip}
      </a>
      <aside className={isMenu ? 'side open' : 'side'}>
        <div className="top">
          <Link href="/overview" className="brand">
            <Brand />
          </Link>
          <button
            ref={burger}
            type="button"
            className="bare burger"
            aria-expanded={isMenu}
            aria-label={texts.places.menu}
            onClick={() => setMenu(!isMenu)}
          >
            <Icon name={isMenu ? 'close' : 'menu'} />
          </button>
        </div>
        <div className="drawer">
          <Places onGone={() => setMenu(false)} />
          <Account onHelp={() => setHelp(true)} onGone={() => setMenu(false)} />
        </div>
      </aside>
      <main id="main" tabIndex={-1}>
        <Connection />
        <BlockedNotice />
        <Switch>
          {/* The former address of the list. */}
          <Route path="/">
            <Redirect to={`/links${query && `?${query}`}`} replace />
          </Route>
          <Route path="/links">
            <LinksView />
          </Route>
          <Route path="/overview">
            <Overview />
          </Route>
          <Route path="/links/:id/:tab?">{({ id, tab }) => <LinkView key={id} id={id} tab={tab} />}</Route>
          <Route path="/many">
            <Many />
          </Route>
          <Route path="/spaces/:id">{({ id }) => <Overview key={id} group={{ kind: 'space', id }} />}</Route>
          <Route path="/spaces">
            <Spaces />
          </Route>
          <Route path="/tags/:id">{({ id }) => <Overview key={id} group={{ kind: 'tag', id }} />}</Route>
          <Route path="/tags">
            <Tags />
          </Route>
          <Route path="/domains">
            <Domains />
          </Route>
          <Route path="/pixels">
            <Pixels />
          </Route>
          <Route path="/templates">
            <Templates />
          </Route>
          <Route path="/webhooks">
            <Webhooks />
          </Route>
          <Route path="/operations">
            <Operations />
          </Route>
          <Route path="/people">
            <People />
          </Route>
          <Route path="/keys">
            <Keys />
          </Route>
          <Route path="/profile">
            <ProfileView />
          </Route>
          <Route path="/activity">
            <Activity />
          </Route>
          <Route>
            <Empty title={texts.nothingHere} />
          </Route>
        </Switch>
      </main>
      {isHelp && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}
