import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import { IconButton } from '../../controls/button.tsx';
import { useSettled } from '../../data/settled.ts';
import { Icon } from '../../parts/icon.tsx';
import { Unread } from '../../parts/notice.tsx';
import { QrDialog } from '../../parts/qr-lazily.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { type Command, type Deeds, useCommands } from './commands.ts';
import { markedParts } from './ranking.ts';

/** The pause after a key before the service is asked, in milliseconds. */
const PAUSE = 100;

const NONE: ReturnType<typeof useCommands>['groups'] = [];

/** The link at hand: that of the focused row, or the open one. */
function useLinkAtHand(): string | null {
  const [location] = useLocation();
  const [focused] = useState(
    () => /^link-(\d+)$/.exec(document.activeElement?.closest('li.row')?.id ?? '')?.[1],
  );
  return focused ?? /^\/links\/(\d+)/.exec(location)?.[1] ?? null;
}

/** The quick search: goes to links, spaces, tags and views, and does what menus do. */
export function Palette({ onClose, ...deeds }: Omit<Deeds, 'onQr'> & { onClose: () => void }): ReactElement {
  const [qr, setQr] = useState<string | null>(null);
  const linkId = useLinkAtHand();
  return qr === null ? (
    <Search linkId={linkId} deeds={{ ...deeds, onQr: setQr }} onClose={onClose} />
  ) : (
    <QrDialog shortUrl={qr} onClose={onClose} />
  );
}

/** A text with what was sought in bold. */
const Marked = ({ text, sought }: { text: string; sought: string }): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their place alone
  markedParts(text, sought).map((part, index) => (index % 2 === 0 ? part : <b key={index}>{part}</b>));

function Search({
  linkId,
  deeds,
  onClose,
}: {
  linkId: string | null;
  deeds: Deeds;
  onClose: () => void;
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [sought, isSought] = useSettled(text, PAUSE);
  const [chosen, setChosen] = useState<string | null>(null);
  const { groups: found, isLoading, fault, again } = useCommands(sought, linkId, deeds);
  // The field is there first, so that a press is answered at once on slow computers.
  const groups = useDeferredValue(found, NONE);
  const commands = groups.flatMap(({ commands }) => commands);
  const at = Math.max(
    0,
    commands.findIndex(({ id }) => id === chosen),
  );
  const active = commands[at];
  const optionId = (id: string) => `${listId} ${id}`.replaceAll(' ', '-');
  useLayoutEffect(() => {
    const shown = dialog.current;
    // A modal dialog would restyle the whole page, which takes long on slow computers.
    shown?.show();
    return () => shown?.close();
  }, []);
  const onClick = useEffectEvent((event: MouseEvent) => {
    if (event.target instanceof Node && dialog.current?.contains(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  });
  useEffect(() => {
    document.addEventListener('click', onClick, true);
    return () => document.removeEventListener('click', onClick, true);
  }, []);
  const activeId = active && optionId(active.id);
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  const isReady = isSought && !isLoading && groups === found;
  /** True if Enter came before what was typed was found. */
  const [isEntered, setEntered] = useState(false);
  const choose = ({ href, run, id }: Command) => {
    // Its place in the page has the focus again before it is done. The QR code takes the place of the search.
    if (id !== 'link qr') flushSync(onClose);
    if (href) open(href, '_blank', 'noreferrer');
    else run?.();
  };
  const chooseEntered = useEffectEvent(() => active && choose(active));
  useEffect(() => {
    if (!isEntered || !isReady) return;
    setEntered(false);
    // React is done by then.
    queueMicrotask(chooseEntered);
  }, [isEntered, isReady]);
  const onKey = (event: KeyboardEvent) => {
    const { key, target } = event;
    // A button that tries again is pressed, and Tab leads to it and back.
    if (key === 'Enter' && target instanceof HTMLButtonElement) return;
    const controls = dialog.current?.querySelectorAll<HTMLElement>('input, .wrong button') ?? [];
    if (key === 'Tab') [...controls].find((one) => one !== target)?.focus();
    if (key === 'Escape') {
      event.stopPropagation();
      onClose();
    }
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[key];
    if (to !== undefined) setChosen(commands.at(to % commands.length)?.id ?? null);
    if (key === 'Enter' && isReady && active) choose(active);
    else if (key === 'Enter') setEntered(true);
    if (to !== undefined || ['Enter', 'Tab', 'Escape'].includes(key)) event.preventDefault();
  };
  const t = settingsTexts.palette;
  return (
    <>
      <div className="scrim" />
      <dialog
        ref={dialog}
        className="palette"
        aria-label={texts.places.find}
        aria-modal="true"
        onKeyDown={onKey}
      >
        <div className="box">
          <Icon name="search" />
          <input
            role="combobox"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={activeId}
            aria-autocomplete="list"
            aria-label={texts.places.find}
            placeholder={t.placeholder}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              setChosen(null);
              setEntered(false);
            }}
          />
          <kbd>Esc</kbd>
          <IconButton icon="close" look="leave" name={texts.close} tabIndex={-1} onClick={onClose} />
        </div>
        <div id={listId} role="listbox" aria-label={texts.places.find}>
          {groups.map(({ name, commands }) => (
            <fieldset key={name} aria-label={name}>
              <p aria-hidden="true">{name}</p>
              {commands.map((command) => {
                const { id, name, note, icon, color, shortcut, danger } = command;
                return (
                  <button
                    key={id}
                    type="button"
                    tabIndex={-1}
                    id={optionId(id)}
                    role="option"
                    aria-selected={id === active?.id}
                    className={danger ? 'danger' : undefined}
                    onClick={() => choose(command)}
                    onPointerMove={() => setChosen(id)}
                  >
                    {icon && <Icon name={icon} />}
                    {color !== undefined && <i className={`dot c${color}`} />}
                    <bdi className="cut">
                      <Marked text={name} sought={sought} />
                    </bdi>
                    {note && (
                      <small className="cut hint">
                        <Marked text={note} sought={sought} />
                      </small>
                    )}
                    {shortcut && <kbd>{shortcut}</kbd>}
                  </button>
                );
              })}
            </fieldset>
          ))}
        </div>
        <p role="status" className="quiet">
          {commands.length === 0 && isReady && !fault ? t.none : ''}
        </p>
        {fault && <Unread fault={fault} again={again} />}
      </dialog>
    </>
  );
}
