import { useEffect, useRef, useState } from 'react';
import { showFault } from './actions.ts';
import type { Progress } from './batches.ts';
import { type ImportRow, parseRows, withRows } from './import.ts';
import { checkRows, knownIn, missingSpaces, type RowResult } from './import-run.ts';
import type { Session } from './session.ts';

/** How long after typing the lines are checked, in milliseconds. */
const PAUSE = 400;

/** Lines of new links, checked; nothing is written. */
export interface Checked {
  readonly text: string;
  readonly spaceId: string;
  readonly rows: readonly RowResult[];
  /** The numbers of the lines that were wrong at first. */
  readonly wrong: ReadonlySet<number>;
  /** The columns that are not read. */
  readonly unknown: readonly string[];
  readonly newSpaces: readonly string[];
}

export interface CheckedLines {
  readonly text: string;
  readonly spaceId: string;
  /** Null while they are checked. */
  readonly checked: Checked | null;
  /** How far the check is. */
  readonly progress: Progress | null;
  setText(text: string): void;
  setSpaceId(id: string): void;
  /** Takes a corrected line into the text, and checks it alone. */
  correct(row: ImportRow): void;
}

const keyOf = (text: string, spaceId: string): string => `${spaceId} ${text}`;

/** The lines that somebody enters, checked soon after they are. */
export function useCheckedLines(session: Session): CheckedLines {
  const [text, setText] = useState('');
  const [spaceId, setSpaceId] = useState('');
  const [checked, setChecked] = useState<Checked | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  /** The key of lines of which only the corrected one is checked. */
  const settled = useRef('');

  useEffect(() => {
    if (text.trim() === '' || settled.current === keyOf(text, spaceId)) return;
    settled.current = '';
    const over = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { rows, unknown } = parseRows(text);
        const known = await knownIn(session, rows);
        const options = { signal: over.signal, onProgress: setProgress };
        const results = await checkRows(session, rows, known, spaceId, options);
        if (over.signal.aborted) return;
        const wrong = results.filter(({ error }) => error !== null).map(({ row }) => row.number);
        const newSpaces = missingSpaces(rows, known);
        setChecked({ text, spaceId, rows: results, wrong: new Set(wrong), unknown, newSpaces });
      } catch (error) {
        showFault(error);
      } finally {
        if (!over.signal.aborted) setProgress(null);
      }
    }, PAUSE);
    return () => {
      over.abort();
      clearTimeout(timer);
      setProgress(null);
    };
  }, [session, text, spaceId]);

  const correct = async (row: ImportRow) => {
    const corrected = withRows(text, (one) => (one.number === row.number ? row.cells : one.cells));
    settled.current = keyOf(corrected, spaceId);
    setText(corrected);
    const put = (result: Pick<RowResult, 'row'>) =>
      setChecked((before) => {
        if (before === null) return null;
        const rows = before.rows.map((one) => (one.row.number === row.number ? { ...one, ...result } : one));
        return { ...before, rows };
      });
    setChecked((before) => before && { ...before, text: corrected });
    put({ row });
    try {
      const options = { signal: new AbortController().signal, onProgress: () => undefined };
      const [result] = await checkRows(session, [row], await knownIn(session, [row]), spaceId, options);
      if (result) put(result);
    } catch (error) {
      showFault(error);
    }
  };
  const isCurrent = checked?.text === text && checked.spaceId === spaceId && text.trim() !== '';
  return { text, spaceId, checked: isCurrent ? checked : null, progress, setText, setSpaceId, correct };
}
