import { type ReactElement, useEffect, useEffectEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { focusNow } from '../../app/focus.ts';
import { Button } from '../../controls/button.tsx';
import { hasDraft, NEW } from '../../data/drafts.ts';
import { useSession } from '../../data/session.ts';
import type { LinkRowFragment } from '../../generated/documents.ts';
import { Icon } from '../../parts/icon.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { texts } from '../../texts.ts';
import { shortUrlText, trimPasted } from '../../words/format.ts';
import { Created } from './created.tsx';

const NewLinkSheet = lazily(async () => (await import('./new-link-sheet.tsx')).NewLinkSheet, null);

const FIELD = 'input:not([type="checkbox"]), textarea, select';
/** Matches a URL, perhaps without its scheme, and nothing else. */
const URL_ALONE = /^(?:https?:\/\/\S+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[/?#:]\S*)?)$/i;

/** The head of the list: a button that opens the form of a new link, and the link that was made. */
export function NewLink({
  search,
  isAlone,
  toList,
}: {
  search: string;
  /** True while no link is open over the list. */
  isAlone: boolean;
  /** Closes that link. */
  toList: () => void;
}): ReactElement {
  const session = useSession();
  const t = texts.newLink;
  const [made, setMade] = useState<readonly LinkRowFragment[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each search, which it does not read: people go on to something else
  useEffect(() => setMade([]), [search]);
  const [isOpen, setIsOpen] = useState(history.state?.isNew === true);
  /** The entry in the history says so, too: it opens again with its page, and not on the next visit. */
  const setOpen = (now: boolean) => {
    if (now || isAlone) history.replaceState(now ? { isNew: true } : null, '');
    setIsOpen(now);
  };
  // Its form is loaded when it is first opened, and stays.
  const [wasOpened, setOpened] = useState(isOpen);
  if (isOpen && !wasOpened) setOpened(true);
  const [pasted, setPasted] = useState<{ readonly url: string } | null>(null);
  const begin = () => {
    toList();
    setOpen(true);
  };
  const state = useHistoryState<{ readonly url?: string; readonly isNew?: boolean } | null>();
  const beginAt = useEffectEvent((url: string) => {
    setPasted({ url });
    begin();
  });
  useEffect(() => {
    if (state?.url !== undefined) beginAt(state.url);
    else if (state?.isNew) setIsOpen(true);
  }, [state]);
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const url = trimPasted(event.clipboardData?.getData('text') ?? '');
    const isField = event.target instanceof Element && event.target.closest(FIELD) !== null;
    if (isField || document.querySelector('dialog[open]') || !URL_ALONE.test(url)) return;
    event.preventDefault();
    beginAt(url);
  });
  useEffect(() => {
    document.addEventListener('paste', onPaste);
    const timer = setTimeout(NewLinkSheet.preload, 500);
    return () => {
      document.removeEventListener('paste', onPaste);
      clearTimeout(timer);
    };
  }, []);
  const close = () => {
    flushSync(() => setMade([]));
    focusNow('#new-link');
  };
  const isKept = !(isOpen && isAlone) && hasDraft(session, NEW);
  return (
    <>
      <header className="page-head">
        <h1>{texts.places.links}</h1>
        <div className="buttons">
          <Link href="/many" className="button quiet">
            <Icon name="import" /> {t.many}
          </Link>
          <Button
            icon={isKept ? 'edit' : 'plus'}
            text={isKept ? t.continue : t.title}
            id="new-link"
            aria-expanded={isOpen && isAlone}
            onClick={() => (isOpen && isAlone ? setOpen(false) : begin())}
          />
        </div>
      </header>
      {made.length > 0 && (
        <section className="card made" aria-label={t.title}>
          <Created links={made} onClose={close} />
        </section>
      )}
      <p className="unseen" role="status">
        {made.length === 1 && made.map(({ shortUrl }) => shortUrlText(shortUrl))}
      </p>
      {wasOpened && (
        <NewLinkSheet isOpen={isOpen && isAlone} setOpen={setOpen} pasted={pasted} onMade={setMade} />
      )}
    </>
  );
}
