import { type ComponentProps, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { focusSoon, showWrong } from '../../app/focus.ts';
import { attempt } from '../../data/actions.ts';
import type { Progress } from '../../data/batches.ts';
import { type CheckedLines, useCheckedLines } from '../../data/checked-lines.ts';
import { IMPORT, linesIn, makeWanted } from '../../data/import-run.ts';
import { namedAreThere, spaceNamed } from '../../data/named.ts';
import { refusalText } from '../../data/refusals.ts';
import { type Session, useSession } from '../../data/session.ts';
import { type CheckedSummary, repeatsIn, summarize } from './checked-summary.ts';
import type { ManyDone } from './many-done.tsx';

/** The links that were made, and their lines. */
type Made = Pick<ComponentProps<typeof ManyDone>, 'cut' | 'outcomes' | 'repeats'>;

interface ImportState {
  readonly making: Progress | null;
  readonly made: Made | null;
  readonly spaceTyped: string;
  readonly spaceError: string | undefined;
  /** True to leave out destinations that have a link; null if nobody has chosen. */
  readonly leavesOut: boolean | null;
  readonly wrongFile: string | undefined;
  /** True if the encoding of the file was guessed. */
  readonly isGuessed: boolean;
  /** The separator that belongs to the URLs. */
  readonly partOfUrls: string | null;
}

export interface Import extends ImportState {
  readonly lines: CheckedLines;
  readonly summary: CheckedSummary;
  put(patch: Partial<ImportState>): void;
  /** Takes the lines of a file. */
  take(file: File | undefined): Promise<void>;
  create(): Promise<void>;
  stop(): void;
  /** Goes on with other lines, such as those that failed. */
  goOn(): void;
  correct(records: string): void;
  /** Keeps the results for Back. */
  leave(): void;
}

/** The results that somebody left for the list, by their session, and the mark of the page to which Back returns. */
const left = new WeakMap<Session['client'], Made>();
const LEFT = 'imported';

const nothing: ImportState = {
  ...{ making: null, made: null, spaceTyped: '', spaceError: undefined, leavesOut: null },
  ...{ wrongFile: undefined, isGuessed: false, partOfUrls: null },
};

/**
 * The state of an import: its lines, and the links that are made of them. Lines are typed or come from a file, and are checked soon
 * after each change. `create` makes the wanted links; its results take the place of the form.
 */
export function useImport(): Import {
  const session = useSession();
  const lines = useCheckedLines(session);
  const [state, setState] = useState<ImportState>(() => ({
    ...nothing,
    made: (history.state === LEFT && left.get(session.client)) || null,
  }));
  const put: Import['put'] = (patch) => setState((before) => ({ ...before, ...patch }));
  const stop = useRef(new AbortController());
  const given = useRef<File>(undefined);
  const { made, spaceTyped } = state;
  const summary = summarize(lines.checked, state.leavesOut, state.partOfUrls);
  const take: Import['take'] = async (file) => {
    if (file === undefined) return;
    given.current = file;
    const read = await linesIn(file);
    // Another file was chosen meanwhile.
    if (given.current !== file) return;
    if ('wrong' in read) return put({ wrongFile: read.wrong });
    put({ wrongFile: undefined, isGuessed: read.isGuessed, partOfUrls: null });
    // A text field changes line ends when somebody leaves it: these are its own.
    lines.setText(read.text.replace(/\r\n?/g, '\n'));
  };
  const make = async () => {
    await namedAreThere();
    const space = spaceTyped === '' ? { id: lines.spaceId } : await spaceNamed(session, spaceTyped.trim());
    if (!('id' in space)) return showWrong('.many', () => put({ spaceError: refusalText(space) }));
    const settled = await lines.settled();
    if (settled === null) return;
    const onProgress = (making: Progress) => put({ making });
    const options = { spaceId: space.id, signal: stop.current.signal, onProgress };
    const outcomes = await makeWanted(session, settled, summary.isWanted, options);
    flushSync(() => {
      const made = { cut: settled.cut, outcomes, repeats: repeatsIn(settled.outcomes) };
      put({ made, isGuessed: false, spaceTyped: '', leavesOut: null });
      lines.setText('');
      lines.setSpaceId(space.id);
    });
    focusSoon('.many .buttons .button');
  };
  const goOn = () => {
    flushSync(() => put({ made: null }));
    focusSoon('.many textarea');
  };
  return {
    ...{ ...state, lines, summary, put, take, goOn },
    async create() {
      stop.current = new AbortController();
      put({ making: { done: 0, of: summary.ready } });
      await attempt(IMPORT, make);
      put({ making: null });
    },
    stop: () => stop.current.abort(),
    leave() {
      if (made) left.set(session.client, made);
      history.replaceState(LEFT, '');
    },
    correct(records) {
      lines.setText(records);
      if (made) lines.setFormat(made.cut.format);
      goOn();
    },
  };
}
