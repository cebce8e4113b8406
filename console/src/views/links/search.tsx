import { type ReactElement, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useClient } from 'urql';
import { useLocation } from 'wouter';
import { LinkByShortUrlDocument } from '../../generated/documents.ts';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts.ts';
import { type LinksState, searchPlaces } from './links-state.ts';

/** How long after a key press the list is searched, in milliseconds. */
const PAUSE = 50;

/** Whether the text may be a short URL with its host. */
const looksLikeShortUrl = (text: string): boolean =>
  /^(https?:\/\/)?[^\s/]+\.[^\s/]+(:\d+)?\/[\w-]+\/?$|^(https?:\/\/)?localhost(:\d+)?\/[\w-]+\/?$/i.test(
    text,
  );

/** Searches as somebody types. A pasted short URL opens its link. */
export function Search({
  state,
  set,
}: {
  state: LinksState;
  set: (patch: Partial<LinksState>, how?: { replace?: boolean }) => void;
}): ReactElement {
  const client = useClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState(state.search);
  const written = useRef(state.search);
  // While the next view is loaded, this one still lives.
  const isLeaving = useRef(false);
  // The URL changed otherwise, as by Back.
  if (state.search !== written.current) {
    written.current = state.search;
    setText(state.search);
  }
  const apply = useEffectEvent(() => {
    if (text === state.search || isLeaving.current) return;
    written.current = text;
    // The first letter adds an entry to the history, the others change it.
    set({ search: text }, { replace: state.search !== '' });
  });
  useEffect(() => {
    if (text === state.search) return;
    const timer = setTimeout(apply, PAUSE);
    return () => clearTimeout(timer);
  }, [text, state.search]);
  const open = async (pasted: string) => {
    if (!looksLikeShortUrl(pasted)) return;
    const { data } = await client.query(LinkByShortUrlDocument, { url: pasted }).toPromise();
    isLeaving.current = data?.linkByShortUrl != null;
    if (data?.linkByShortUrl) navigate(`/links/${data.linkByShortUrl.id}`);
    // Somebody who pastes another URL looks for the links to it.
    else set({ search: pasted, searchBy: 'URL' });
  };
  const t = texts.search;
  return (
    <search className="search">
      <Icon name="search" />
      <input
        id="search"
        type="search"
        value={text}
        placeholder={t.placeholder}
        aria-label={t.name}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onPaste={(event) => void open(event.clipboardData.getData('text').trim())}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText('');
          if (event.key === 'Enter') void open(text.trim());
        }}
      />
      <select
        aria-label={t.by}
        value={state.searchBy}
        onChange={(event) =>
          set({
            searchBy: searchPlaces.find((one) => one === event.target.value) ?? 'ANYWHERE',
            search: text,
          })
        }
      >
        {searchPlaces.map((field) => (
          <option key={field} value={field}>
            {t.fields[field]}
          </option>
        ))}
      </select>
    </search>
  );
}
