import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Skeleton } from '../parts/notice.tsx';
import { texts } from '../texts.ts';

const t = texts.places;

/** The views of the menu in groups: their paths, names and icons. */
const groups: readonly (readonly [
  name: string | null,
  ...places: (readonly [path: string, name: string, icon: IconName])[],
])[] = [
  [null, ['/overview', t.overview, 'overview'], ['/links', t.links, 'link']],
  [
    t.organise,
    ...([
      ['/spaces', t.spaces, 'space'],
      ['/tags', texts.tags.title, 'tag'],
    ] as const),
    ['/templates', t.templates, 'template'],
  ],
  [
    t.channels,
    ...([
      ['/domains', t.domains, 'domain'],
      ['/pixels', t.pixels, 'pixel'],
    ] as const),
    ...([
      ['/webhooks', t.webhooks, 'webhook'],
      ['/operations', t.operations, 'operation'],
    ] as const),
  ],
  [
    t.team,
    ...([
      ['/people', t.people, 'people'],
      ['/keys', t.keys, 'key'],
    ] as const),
    ['/activity', t.activity, 'activity'],
  ],
  [null, ['/settings', t.settings, 'settings']],
];

export const places = groups.flatMap(([, ...all]) => all.map(([path, name, icon]) => ({ path, name, icon })));

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

/** Views without a line below their titles. */
const WITHOUT_LEAD = /^\/($|overview|links|many)/i;
const STATISTICS = /^\/(overview|spaces\/|tags\/)/i;

/** Stands in place of the view at the address until it is loaded: its title, and the form of what is below. */
export function ViewAhead(): ReactElement {
  const [location] = useLocation();
  const filter = (
    <div className="filters" aria-hidden="true">
      <span className="filter">…</span>
    </div>
  );
  return (
    <>
      <header className="page-head">
        <div>
          <h1>{sectionTitle(location)}</h1>
          {WITHOUT_LEAD.test(location) || <p>&nbsp;</p>}
        </div>
      </header>
      {STATISTICS.test(location) ? (
        <div className="statistics stack">
          {filter}
          <Skeleton rows={5} />
        </div>
      ) : (
        <>
          {location.toLowerCase() === '/activity' && filter}
          <Skeleton />
        </>
      )}
    </>
  );
}

/** The menu of views. */
export function Places({ onGone }: { onGone: () => void }): ReactElement {
  const [location] = useLocation();
  const here = location.toLowerCase();
  const isHere = (path: string) => here.startsWith(path) || (path === '/links' && here === '/many');
  return (
    <nav aria-label={t.all}>
      {groups.map(([group, ...all]) => (
        <fieldset key={all[0]?.[0]} aria-label={group ?? all[0]?.[1]}>
          {group !== null && <p aria-hidden="true">{group}</p>}
          {all.map(([path, name, icon]) => (
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
