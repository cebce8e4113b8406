import { type ReactElement, useReducer } from 'react';
import { useLocation } from 'wouter';
import { Menu } from '../controls/menu.tsx';
import type { MenuItem } from '../controls/menu-item.tsx';
import { type Session, useSession } from '../data/session.ts';
import { Icon } from '../parts/icon.tsx';
import { texts } from '../texts.ts';
import { chooseTheme, themeInUse, themes } from '../theme.ts';

/** The first letters of a name's first two words. */
const initialsOf = (name: string): string =>
  (name.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? []).slice(0, 2).join('').toUpperCase();

/** The actions beside those of views: other accounts, the profile, the theme, the guides, and signing out. */
export function accountItems(
  { accounts, accountId, signOut }: Session,
  navigate: (path: string) => void,
): readonly MenuItem[] {
  const inUse = themeInUse();
  return [
    ...accounts
      .filter(({ id }) => id !== accountId)
      .map(({ id, name }) => ({
        ...({ id: `account ${id}`, name, icon: 'switch' } as const),
        run: () => navigate(`~/console/${id}/links`),
      })),
    { name: texts.profile.title, icon: 'person', begins: true, run: () => navigate('/profile') },
    ...themes.map((one, at) => ({
      ...{ id: `theme ${one}`, name: texts.theme[one], checked: one === inUse, begins: at === 0 },
      ...({ icon: one === inUse ? 'check' : one } as const),
      run: () => chooseTheme(one),
    })),
    { name: texts.account.guides, icon: 'open', begins: true, href: '/docs/guides' },
    { name: texts.account.signOut, icon: 'signOut', begins: true, run: signOut },
  ];
}

/** The account that is shown, with its user and their role, and a menu to leave it. */
export function AccountMenu({ onGone }: { onGone: () => void }): ReactElement {
  const session = useSession();
  const { viewer } = session;
  const [, navigate] = useLocation();
  const [, again] = useReducer((count: number) => count + 1, 0);
  const items = accountItems(session, navigate).map((item) => ({
    ...item,
    run: () => {
      item.run?.();
      again();
      onGone();
    },
  }));
  const { name } = viewer.account;
  return (
    <Menu label={texts.account.menu} items={items} look="account">
      <span className="tile" aria-hidden="true">
        {initialsOf(name)}
      </span>
      <span className="names">
        <b>
          <bdi>{name}</bdi>
        </b>
        <small>
          <bdi>{viewer.user?.name}</bdi> · <span>{viewer.role && texts.roles[viewer.role]}</span>
        </small>
      </span>
      <Icon name="down" />
    </Menu>
  );
}
