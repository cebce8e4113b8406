import { type ReactElement, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { IconButton } from '../controls/button.tsx';
import { useSession } from '../data/session.ts';
import { undoToast } from '../data/toasts.ts';
import { BlockedNotice } from '../parts/blocked.tsx';
import { Brand } from '../parts/brand.tsx';
import { Icon } from '../parts/icon.tsx';
import { lazily } from '../parts/lazily.tsx';
import { useTitleOf } from '../parts/title.ts';
import { texts } from '../texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { Connection } from './connection.tsx';
import { DESTINATION, focusNow, focusSoon, keepFocus } from './focus.ts';
import { Help } from './help.tsx';
import { Places, sectionTitle, ViewAhead } from './places.tsx';
import { isFindKey, onShortcut, shownFindKey } from './shortcuts.ts';
import { loadAhead, Views } from './views.tsx';

const loadPalette = () => import('./palette/palette.tsx');
const Palette = lazily(async () => (await loadPalette()).Palette, null);

/** The frame until the session is read: its menu, and the title of the address. */
export function FrameAhead(): ReactElement {
  return (
    <div className="frame ahead" aria-busy="true" inert>
      <aside className="side">
        <div className="top">
          <span className="account">
            <i className="tile" />
          </span>
        </div>
        <div className="find">
          <Icon name="search" />
          <span className="cut">{texts.places.find}</span>
        </div>
        <div className="drawer">
          <Places onGone={() => undefined} />
        </div>
      </aside>
      <main>
        <ViewAhead />
      </main>
    </div>
  );
}

interface Opened {
  readonly what: 'help' | 'palette';
  readonly nth: number;
}

/** The frame around the views, which stays while they change. */
export function Frame(): ReactElement {
  const [location, navigate] = useLocation();
  const query = useSearch();
  const { canWrite } = useSession();
  const [opened, setOpened] = useState<Opened | null>(null);
  const [isMenu, setMenu] = useState(false);
  const burger = useRef<HTMLButtonElement>(null);
  useTitleOf(location, sectionTitle(location));
  const go = (path: string, field: string) => {
    if (focusNow(field)) return;
    navigate(path);
    focusSoon(field);
  };
  const openNew = (url?: string) => {
    const button = document.getElementById('new-link');
    if (url !== undefined) return navigate('/links', { state: { isNew: true, url } });
    if (focusNow('#new-url')) return;
    if (button) button.click();
    else navigate('/links', { state: { isNew: true } });
  };
  const open = (what: Opened['what']) => setOpened((now) => ({ what, nth: (now?.nth ?? 0) + 1 }));
  const find = () => {
    // The menu would stay over what is found.
    setMenu(false);
    open('palette');
  };
  const [, link] = /^\/links\/(\d+)/.exec(location) ?? [];
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && isMenu) {
      event.preventDefault();
      setMenu(false);
      burger.current?.focus();
    }
    if (isFindKey(event) && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      find();
    }
    onShortcut(event, {
      '?': () => open('help'),
      '/': () => go('/links', '#search'),
      a: () => focusNow('.bulk button'),
      z: () => undoToast() || document.querySelector<HTMLElement>('.undo')?.click(),
      ...(canWrite && { n: () => openNew() }),
      ...(link && { e: () => go(`/links/${link}${query && `?${query}`}`, DESTINATION) }),
    });
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useEffect(keepFocus, []);
  useEffect(() => {
    const timer = setTimeout(loadAhead, 1_500);
    return () => clearTimeout(timer);
  }, []);
  const leaveMenu = () => setMenu(false);
  // A dialog tells after its end that it closed: another may be open by then.
  const close = () => setOpened((now) => (now === opened ? null : now));
  return (
    <div className="frame">
      <a className="skip" href="#main">
        {texts.skip}
      </a>
      <aside className={isMenu ? 'side open' : 'side'}>
        <div className="top">
          <AccountMenu onGone={leaveMenu} />
          <IconButton
            icon={isMenu ? 'close' : 'menu'}
            look="burger"
            name={texts.places.menu}
            ref={burger}
            aria-expanded={isMenu}
            onClick={() => setMenu(!isMenu)}
          />
        </div>
        <button
          type="button"
          className="find"
          aria-keyshortcuts="Control+K Meta+K"
          onPointerEnter={() => void loadPalette().catch(() => undefined)}
          onClick={find}
        >
          <Icon name="search" />
          <span className="cut">{texts.places.find}</span>
          <kbd>{shownFindKey}</kbd>
        </button>
        <div className="drawer">
          <Places onGone={leaveMenu} />
          <footer>
            <span className="brand">
              <Brand />
            </span>
            <IconButton icon="keyboard" look="keyed" name={texts.help.title} onClick={() => open('help')} />
          </footer>
        </div>
      </aside>
      <main id="main" tabIndex={-1}>
        <Connection />
        <BlockedNotice />
        <Views />
      </main>
      {opened?.what === 'help' && <Help onClose={close} />}
      {opened?.what === 'palette' && (
        <Palette key={opened.nth} onClose={close} onNew={openNew} onHelp={() => open('help')} />
      )}
    </div>
  );
}
