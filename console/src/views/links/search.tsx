import { type ReactElement, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Select } from '../../controls/select.tsx';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts.ts';
import { type LinksState, searchPlaces } from './links-state.ts';

/** The pause between two searches, in milliseconds: the first key press searches at once. */
const PAUSE = 60;

/** Searches as somebody types. */
export function Search({
  state,
  set,
  onEnter,
}: {
  state: LinksState;
  set: (patch: Partial<LinksState>, how?: { replace?: boolean }) => void;
  /** Called with the text when somebody moves on to its results; with null when the text changes. */
  onEnter: (text: string | null) => void;
}): ReactElement {
  const [text, setText] = useState(state.search);
  const written = useRef(state.search);
  const searchedAt = useRef(0);
  // The URL changed by other means, such as Back.
  if (state.search !== written.current) {
    written.current = state.search;
    setText(state.search);
  }
  const apply = useEffectEvent(() => {
    if (text === state.search) return;
    written.current = text;
    searchedAt.current = Date.now();
    // The first letter adds an entry to the history, the others change it.
    set({ search: text }, { replace: state.search !== '' });
  });
  useEffect(() => {
    if (text === state.search) return;
    const timer = setTimeout(apply, searchedAt.current + PAUSE - Date.now());
    return () => clearTimeout(timer);
  }, [text, state.search]);
  const type = (typed: string) => {
    setText(typed);
    onEnter(null);
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
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter(text);
          if (event.key !== 'Escape') return;
          // Browsers clear the field with Escape, too; some only at the second press.
          event.preventDefault();
          if (text === '') event.currentTarget.blur();
          else type('');
        }}
      />
      {text !== '' && (
        <Select
          aria-label={t.by}
          value={state.searchBy}
          options={searchPlaces.map((value) => ({ value, text: t.fields[value] }))}
          onValue={(searchBy) => set({ searchBy, search: text })}
        />
      )}
    </search>
  );
}
