import { type DragEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { showFault } from '../../data/actions.ts';
import type { Progress } from '../../data/batches.ts';
import { parseRows } from '../../data/import.ts';
import { checkRows, createRows, knownIn, missingSpaces, type RowResult } from '../../data/import-run.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { ChoicesDocument } from '../../generated/documents.ts';
import { Field } from '../../parts/field.tsx';
import { inDigits } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/notice.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { texts } from '../../texts.ts';
import { SpaceField } from '../link-form/space-field.tsx';
import { ManyDone } from './many-done.tsx';
import { ManyRows } from './many-rows.tsx';

/** How long after typing the lines are checked, in milliseconds. */
const PAUSE = 400;
/** The largest file, in bytes. */
const MAX_FILE = 20_000_000;

interface Checked {
  readonly text: string;
  readonly spaceId: string;
  readonly rows: readonly RowResult[];
  readonly newSpaces: readonly string[];
}

/** Many new links from lines or a file: checked, then made. */
export function ManyView(): ReactElement {
  const session = useSession();
  const [text, setText] = useState('');
  const [spaceId, setSpaceId] = useState('');
  const [checked, setChecked] = useState<Checked | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<readonly RowResult[] | null>(null);
  const stop = useRef(new AbortController());
  const spaces = useRead(ChoicesDocument, {}, { on: ['SPACE'] }).data?.spaces.nodes ?? [];
  const t = texts.many;

  useEffect(() => {
    if (text.trim() === '') return;
    const over = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { rows } = parseRows(text);
        const known = await knownIn(session, rows);
        const options = { signal: over.signal, onProgress: setProgress };
        const results = await checkRows(session, rows, known, spaceId, options);
        if (over.signal.aborted) return;
        setProgress(null);
        setChecked({ text, spaceId, rows: results, newSpaces: missingSpaces(rows, known) });
      } catch (error) {
        setProgress(null);
        showFault(error);
      }
    }, PAUSE);
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [session, text, spaceId]);

  const current =
    checked?.text === text && checked.spaceId === spaceId && text.trim() !== '' ? checked : null;
  const good = current?.rows.filter(({ error }) => error === null) ?? [];
  const take = async (file: File | undefined) => {
    if (file && file.size <= MAX_FILE) setText(await file.text());
  };
  const create = async () => {
    if (current === null) return;
    stop.current = new AbortController();
    setMaking(true);
    try {
      const rows = good.map(({ row }) => row);
      const known = await knownIn(session, rows);
      const results = await createRows(session, rows, known, spaceId, {
        signal: stop.current.signal,
        onProgress: setProgress,
      });
      const failed = current.rows.filter(({ error }) => error !== null);
      setMade([...results, ...failed].sort((a, b) => a.row.number - b.row.number));
      setText('');
    } catch (error) {
      showFault(error);
    } finally {
      setMaking(false);
      setProgress(null);
    }
  };

  if (!session.canWrite) return <Empty title={texts.faults.forbidden ?? ''} />;
  return (
    <>
      <Link href="/" className="back">
        <Icon name="back" />
        {texts.link.back}
      </Link>
      <h1>{t.title}</h1>
      {made ? (
        <ManyDone results={made} onAgain={() => setMade(null)} />
      ) : (
        <section
          className="card many"
          aria-label={t.title}
          onDragOver={(event: DragEvent) => event.preventDefault()}
          onDrop={(event: DragEvent) => {
            event.preventDefault();
            void take(event.dataTransfer.files[0]);
          }}
        >
          <Field label={t.lines} hint={t.hint}>
            {(parts) => (
              <textarea
                {...parts}
                rows={8}
                value={text}
                spellCheck={false}
                placeholder={t.placeholder}
                disabled={isMaking}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
          <div className="pair">
            <Field label={t.file} hint={t.fileHint}>
              {(parts) => (
                <input
                  {...parts}
                  type="file"
                  accept=".csv,.txt,text/csv,text/plain"
                  onChange={(event) => void take(event.target.files?.[0])}
                />
              )}
            </Field>
            <SpaceField value={spaceId} spaces={spaces} onValue={setSpaceId} error={undefined} />
          </div>
          {progress && (
            <ProgressBar
              progress={progress}
              name={isMaking ? t.making : t.checking}
              onStop={() => (isMaking ? stop.current.abort() : setText(''))}
            />
          )}
          {current && !isMaking && (
            <>
              <ManyRows rows={current.rows} />
              {current.newSpaces.length > 0 && (
                <p className="hint">{t.newSpaces(current.newSpaces.join(', '))}</p>
              )}
              <div className="buttons end">
                <button type="button" className="button" disabled={good.length === 0} onClick={create}>
                  {t.create(good.length, inDigits(good.length))}
                </button>
              </div>
            </>
          )}
        </section>
      )}
    </>
  );
}
