import { useEffect, useRef, useState } from 'react';
import { attempt } from './actions.ts';
import type { Progress } from './batches.ts';
import { type ImportRow, parseRows, withRows } from './import.ts';
import { checkRows, IMPORT, knownIn, missingSpaces, type RowResult } from './import-run.ts';
import type { Session } from './session.ts';

/** How long after typing the lines are checked, in milliseconds. */
export const PAUSE = 400;

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
  /** What is there to create, after the corrected lines are checked. */
  settled(): Promise<Checked | null>;
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
  /** What `checked` becomes with the next render, and the checks of corrected lines. */
  const latest = useRef<Checked | null>(null);
  const corrections = useRef(Promise.resolve());
  const put = (next: Checked | null) => {
    latest.current = next;
    setChecked(next);
  };

  useEffect(() => {
    if (text.trim() === '' || settled.current === keyOf(text, spaceId)) return;
    settled.current = '';
    const over = new AbortController();
    const check = async () => {
      const { rows, unknown } = parseRows(text);
      const known = await knownIn(session, rows);
      const options = { signal: over.signal, onProgress: setProgress };
      const results = await checkRows(session, rows, known, spaceId, options);
      if (over.signal.aborted) return;
      const wrong = results.filter(({ error }) => error !== null).map(({ row }) => row.number);
      const newSpaces = missingSpaces(rows, known);
      latest.current = { text, spaceId, rows: results, wrong: new Set(wrong), unknown, newSpaces };
      setChecked(latest.current);
    };
    const timer = setTimeout(async () => {
      await attempt(IMPORT, check);
      if (!over.signal.aborted) setProgress(null);
    }, PAUSE);
    return () => {
      over.abort();
      clearTimeout(timer);
      setProgress(null);
    };
  }, [session, text, spaceId]);

  /** Puts a line instead of the one before, unless that was corrected again meanwhile. */
  const replace = (before: ImportRow, result: Pick<RowResult, 'row'>) => {
    if (latest.current === null) return;
    const rows = latest.current.rows.map((one) => (one.row === before ? { ...one, ...result } : one));
    put({ ...latest.current, rows });
  };
  const check = (row: ImportRow) =>
    attempt(IMPORT, async () => {
      const options = { signal: new AbortController().signal, onProgress: () => undefined };
      const [result] = await checkRows(session, [row], await knownIn(session, [row]), spaceId, options);
      if (result) replace(row, result);
    });
  const correct = (row: ImportRow) => {
    const before = latest.current;
    const old = before?.rows.find((one) => one.row.number === row.number);
    if (!before || !old) return;
    const corrected = withRows(before.text, (one) => (one.number === row.number ? row.cells : one.cells));
    settled.current = keyOf(corrected, spaceId);
    setText(corrected);
    put({ ...before, text: corrected });
    replace(old.row, { row });
    const earlier = corrections.current;
    corrections.current = Promise.all([earlier, check(row)]).then(() => undefined);
  };
  const isCurrent = checked?.text === text && checked.spaceId === spaceId && text.trim() !== '';
  return {
    ...{ text, spaceId, checked: isCurrent ? checked : null, progress, setText, setSpaceId, correct },
    settled: () => corrections.current.then(() => latest.current),
  };
}
