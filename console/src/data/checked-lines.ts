import { useEffect, useMemo, useRef, useState } from 'react';
import type { ImportFormat } from '../generated/documents.ts';
import { attempt } from './actions.ts';
import { BATCH, type Progress } from './batches.ts';
import { type Mapping, mapColumns } from './columns.ts';
import { type CutText, cut, type TextRecord, withRecord } from './import.ts';
import { IMPORT, importRecords, type Outcome } from './import-run.ts';
import type { Session } from './session.ts';

/** The pause after typing before the lines are checked, in milliseconds. */
export const PAUSE = 400;

/** Records of new links, checked; nothing is written. */
export interface Checked {
  readonly text: string;
  readonly cut: CutText;
  readonly spaceId: string;
  readonly outcomes: readonly Outcome[];
  /** The lines of the records that were wrong at first. */
  readonly wrong: ReadonlySet<number>;
  readonly unusedColumns: readonly string[];
}

export interface CheckedLines {
  readonly text: string;
  readonly spaceId: string;
  readonly format: ImportFormat;
  /** The text between its records, with the columns as it names them. */
  readonly cut: CutText;
  readonly mapping: Mapping | null;
  /** Null while they are checked. */
  readonly checked: Checked | null;
  /** The progress of the check. */
  readonly progress: Progress | null;
  setText(text: string): void;
  setSpaceId(id: string): void;
  setFormat(format: ImportFormat): void;
  setMapping(mapping: Mapping): void;
  /** Puts a corrected record into the text, and checks it. */
  correct(record: TextRecord): void;
  /** Returns the checked lines as soon as the corrected records are checked, too. */
  settled(): Promise<Checked | null>;
}

const lineKey = (text: string, { format, header }: CutText, spaceId: string): string =>
  `${format} ${spaceId} ${header} ${text}`;

/** The line with the names of columns, if any: another one has other columns. */
const firstLine = (text: string): string => text.split('\n', 1).join('');

/** The lines that somebody enters, checked soon after they are. */
export function useCheckedLines(session: Session): CheckedLines {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ImportFormat | null>(null);
  const [mapping, setMapping] = useState<Mapping | null>(null);
  const [spaceId, setSpaceId] = useState('');
  const [checked, setChecked] = useState<Checked | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const given = useMemo(() => cut(text, chosen), [text, chosen]);
  const parts = useMemo(() => mapColumns(given, mapping), [given, mapping]);
  const { format } = parts;
  /** The key of a text of which only the corrected record is checked. */
  const settled = useRef('');
  /** The next value of `checked`, and the checks of corrected records. */
  const latest = useRef<Checked | null>(null);
  const corrections = useRef(Promise.resolve());
  const put = (next: Checked | null) => {
    latest.current = next;
    setChecked(next);
  };

  useEffect(() => {
    if (parts.records.length === 0 || settled.current === lineKey(text, parts, spaceId)) return;
    settled.current = '';
    const over = new AbortController();
    const check = async () => {
      const options = { spaceId, dryRun: true, signal: over.signal, onProgress: setProgress };
      const { outcomes, unusedColumns } = await importRecords(session, parts, parts.records, options);
      if (over.signal.aborted) return;
      const wrong = new Set(outcomes.filter(({ error }) => error !== null).map(({ record }) => record.line));
      latest.current = { text, cut: parts, spaceId, outcomes, wrong, unusedColumns };
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
  }, [session, parts, text, spaceId]);

  /** Puts a record instead of the one before, unless that was corrected again meanwhile. */
  const replace = (before: TextRecord, outcome: Partial<Outcome>) => {
    if (latest.current === null) return;
    const outcomes = latest.current.outcomes.map((one) =>
      one.record === before ? { ...one, ...outcome } : one,
    );
    put({ ...latest.current, outcomes });
  };
  /** Checks a record, together with all others if they fit into one request: another may have its alias. */
  const check = (record: TextRecord) =>
    attempt(IMPORT, async () => {
      const signal = new AbortController().signal;
      const options = { spaceId, dryRun: true, signal, onProgress: () => undefined };
      const all = latest.current?.outcomes.map((one) => one.record) ?? [];
      const records = all.length > BATCH ? [record] : all;
      const { outcomes } = await importRecords(session, parts, records, options);
      for (const outcome of outcomes) replace(outcome.record, outcome);
    });
  const correct = (record: TextRecord) => {
    const before = latest.current;
    const index = before?.outcomes.findIndex((one) => one.record.line === record.line) ?? -1;
    const old = before?.outcomes[index];
    if (!before || !old) return;
    const corrected = withRecord(before.text, cut(before.text, format), index, record.text);
    // The header may say less than the choice.
    setChosen(format);
    setText(corrected);
    // A record that became several is checked like a pasted text.
    if (cut(corrected, format).records.length !== before.outcomes.length) return;
    settled.current = lineKey(corrected, parts, spaceId);
    put({ ...before, text: corrected });
    replace(old.record, { record });
    const earlier = corrections.current;
    corrections.current = Promise.all([earlier, check(record)]).then(() => undefined);
  };
  const isCurrent =
    checked?.text === text &&
    checked.cut.format === format &&
    checked.cut.header === parts.header &&
    checked.spaceId === spaceId &&
    text.trim() !== '';
  return {
    ...{ text, spaceId, format, checked: isCurrent ? checked : null, progress, setSpaceId, correct },
    ...{ cut: given, mapping, setMapping },
    setText(next) {
      // Another text may have another format.
      if (text === '' || next === '') setChosen(null);
      if (firstLine(next) !== firstLine(text)) setMapping(null);
      setText(next);
    },
    setFormat: setChosen,
    settled: () => corrections.current.then(() => latest.current),
  };
}
