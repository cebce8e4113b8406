import {
  Component,
  type ComponentType,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { away } from '../data/away.ts';
import { listDrafts, NEW } from '../data/drafts.ts';
import { type Session, SessionContext } from '../data/session.ts';
import { showToast } from '../data/toasts.ts';
import { findTrouble, loadScript, reloadOnce, type Trouble } from '../data/version.ts';
import { texts } from '../texts.ts';
import { Failure, Skeleton } from './notice.tsx';

/** The wait for a part after which the service is checked, in milliseconds. */
const SILENT_FOR = 5_000;

/**
 * A part of the console that is loaded when it is first shown, with a notice in its place where that fails. React's own
 * `lazy` would show it 0.3 s later, the least time that it shows a placeholder.
 * @param waiting the placeholder; null for a dialog
 */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode = <Skeleton />,
): Lazily<Props> {
  let loaded: ComponentType<Props> | null = null;
  function Loading(props: Props): ReactNode {
    const [{ Part, error }, setFound] = useState<Found<Props>>({ Part: loaded });
    const isInside = useContext(SessionContext) !== null;
    // Runs before the page is painted, so that a part that is loaded already appears at once.
    useLayoutEffect(() => {
      if (Part) return;
      loadScript(load).then(
        (Part) => {
          loaded = Part;
          setFound({ Part });
        },
        (error: unknown) => setFound({ Part: null, error }),
      );
    }, [Part]);
    useEffect(() => {
      if (!isInside || Part) return;
      // A silent service is away, too.
      const timer = setTimeout(() => void away.find(), SILENT_FOR);
      return () => clearTimeout(timer);
    }, [isInside, Part]);
    if (error) throw error;
    return Part ? <Part {...props} /> : waiting;
  }
  const Part = (props: Props) => (
    <Shield waiting={waiting}>
      <Loading {...props} />
    </Shield>
  );
  // A failure shows when the part does.
  const preload = () =>
    void load().then(
      (Part) => (loaded = Part),
      () => {},
    );
  return Object.assign(Part, { preload });
}

interface Lazily<Props> {
  (props: Props): ReactElement;
  /** Loads the part before it is shown. */
  preload(): void;
}

interface Found<Props> {
  readonly Part: ComponentType<Props> | null;
  readonly error?: unknown;
}

interface ShieldProps {
  readonly waiting?: ReactNode;
  readonly children: ReactNode;
}

/** Shows a notice in the place of children that cannot be loaded or shown. Without it, React would remove the whole page. */
class Shield extends Component<ShieldProps, { readonly failures: number; readonly isBroken: boolean }> {
  override state = { failures: 0, isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    const { children, waiting } = this.props;
    const { failures, isBroken } = this.state;
    if (!isBroken) return children;
    const again = () => this.setState({ failures: failures + 1, isBroken: false });
    return <Broken waiting={waiting} isRepeated={failures > 0} onAgain={again} />;
  }
}

/** Names the drafts that are not saved. */
function listUnsaved(session: Session): string[] {
  return listDrafts(session).map((what) =>
    what === NEW ? texts.trouble.newLink : texts.trouble.link(`#${what}`),
  );
}

/** True while the page shows what a reload would lose: new links, an import, a secret or a form in a dialog. */
const wouldLose = (): boolean => document.querySelector('.made, .card.many, dialog[open]') !== null;

function Broken({
  waiting,
  isRepeated,
  onAgain,
}: {
  waiting: ReactNode;
  isRepeated: boolean;
  onAgain: () => void;
}): ReactElement {
  const session = useContext(SessionContext);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const unsaved = session ? listUnsaved(session) : [];
  const mayReload = unsaved.length === 0;
  const isInside = session !== null;
  const tell = useEffectEvent((found: Trouble) => {
    // The service may be back by now: the first attempt is silent.
    if (found === 'broken' && !isRepeated) onAgain();
    else setTrouble(found);
  });
  useEffect(() => {
    let isOver = false;
    void findTrouble().then((found) => {
      // Only the signed-in console checks for the end of an outage.
      if (found === 'away' && isInside) void away.find();
      if (!isOver && !(found === 'updated' && mayReload && !wouldLose() && reloadOnce())) tell(found);
    });
    return () => {
      isOver = true;
    };
  }, [mayReload, isInside]);
  const isAway = useSyncExternalStore(away.subscribe, away.get);
  const wasAway = useRef(isAway);
  const back = useEffectEvent(onAgain);
  useEffect(() => {
    if (wasAway.current && !isAway) back();
    wasAway.current = isAway;
  }, [isAway]);
  // One message is enough, and another attempt follows by itself.
  const isQuiet = trouble === null || (trouble === 'away' && isAway);
  const t = texts.trouble;
  const text = trouble && t[trouble];
  // Some browsers remember a failed script until the page is loaded again.
  const again =
    trouble === 'away'
      ? { name: texts.tryAgain, run: onAgain }
      : { name: t.reload, run: () => location.reload() };
  const kept = trouble !== 'away' && unsaved.length > 0 ? t.unsaved(unsaved.join(', ')) : null;
  // A dialog has no place for a notice.
  const isApart = waiting === null;
  const whole = [text, kept].filter(Boolean).join(' ');
  const tellApart = useEffectEvent(() => showToast(whole, { wrong: true, about: 'part', action: again }));
  useEffect(() => {
    if (isApart && !isQuiet) tellApart();
  }, [isApart, isQuiet]);
  if (isQuiet || isApart) return <>{waiting}</>;
  return <Failure text={whole} action={again} />;
}
