import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { Icon, type IconName } from '../parts/icon.tsx';
import { texts } from '../texts.ts';

interface Place {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
}

const t = texts.places;

/** The views of the menu, in groups. */
const groups: readonly { readonly name: string | null; readonly places: readonly Place[] }[] = [
  {
    name: null,
    places: [
      { path: '/overview', name: t.overview, icon: 'overview' },
      { path: '/links', name: t.links, icon: 'link' },
    ],
  },
  {
    name: t.organise,
    places: [
      { path: '/spaces', name: t.spaces, icon: 'space' },
      { path: '/tags', name: texts.tags.title, icon: 'tag' },
      { path: '/templates', name: t.templates, icon: 'template' },
    ],
  },
  {
    name: t.channels,
    places: [
      { path: '/domains', name: t.domains, icon: 'domain' },
      { path: '/pixels', name: t.pixels, icon: 'pixel' },
      { path: '/webhooks', name: t.webhooks, icon: 'webhook' },
      { path: '/operations', name: t.operations, icon: 'operation' },
    ],
  },
  {
    name: t.team,
    places: [
      { path: '/people', name: t.people, icon: 'people' },
      { path: '/keys', name: t.keys, icon: 'key' },
      { path: '/activity', name: t.activity, icon: 'activity' },
    ],
  },
  { name: null, places: [{ path: '/settings', name: t.settings, icon: 'settings' }] },
];

export const places = groups.flatMap(({ places }) => places);

/** The title of a view until it knows a better one. */
export function sectionTitle(location: string): string {
  // As routes match it.
  const path = location.toLowerCase().replace(/(?<=.)\/$/, '');
  if (path === '/many') return texts.many.title;
  if (path === '/profile') return texts.profile.title;
  if (path === '/' || path.startsWith('/links/')) return t.links;
  if (path.startsWith('/spaces/')) return t.spaces;
  if (path.startsWith('/tags/')) return texts.tags.title;
  return places.find((place) => place.path === path)?.name ?? texts.nothingHere;
}

/** The menu of views. */
export function Places({ onGone }: { onGone: () => void }): ReactElement {
  const [location] = useLocation();
  const here = location.toLowerCase();
  const isHere = (path: string) => here.startsWith(path) || (path === '/links' && here === '/many');
  return (
    <nav aria-label={t.all}>
      {groups.map(({ name, places: [first, ...others] }) => (
        <fieldset key={first?.path} aria-label={name ?? first?.name}>
          {name !== null && <p aria-hidden="true">{name}</p>}
          {[...(first ? [first] : []), ...others].map(({ path, name, icon }) => (
            <Link key={path} href={path} aria-current={isHere(path) ? 'page' : undefined} onClick={onGone}>
              <Icon name={icon} />
              {name}
            </Link>
          ))}
        </fieldset>
      ))}
    </nav>
  );
}
