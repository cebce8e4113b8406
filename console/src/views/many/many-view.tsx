import { type DragEvent, type ReactElement, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { focusSoon, showWrong } from '../../app/focus.ts';
import { attempt } from '../../data/actions.ts';
import type { Progress } from '../../data/batches.ts';
import { useCheckedLines } from '../../data/checked-lines.ts';
import { lacksPassword, textIn, withRows } from '../../data/import.ts';
import { createRows, IMPORT, knownIn, type RowResult } from '../../data/import-run.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { ChoicesDocument } from '../../generated/documents.ts';
import { Field } from '../../parts/field.tsx';
import { inDigits } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/notice.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { dismissAbout, showToast } from '../../parts/toasts.tsx';
import { texts } from '../../texts.ts';
import { SpaceField } from '../link-form/space-field.tsx';
import { ManyDone } from './many-done.tsx';
import { ManyRows } from './many-rows.tsx';

/** The largest file, in bytes. */
const MAX_FILE = 20_000_000;

const isGood = ({ error }: RowResult): boolean => error === null;

/** Many new links from lines or a file: checked, then made. */
export function ManyView(): ReactElement {
  const session = useSession();
  const lines = useCheckedLines(session);
  const { text, spaceId, checked, setText } = lines;
  const [making, setMaking] = useState<Progress | null>(null);
  const [made, setMade] = useState<{ text: string; results: readonly RowResult[] } | null>(null);
  const [spaceTyped, setSpaceTyped] = useState('');
  const [spaceError, setSpaceError] = useState<string | undefined>();
  const stop = useRef(new AbortController());
  const spaces = useRead(ChoicesDocument, {}, { on: ['SPACE'] }).data?.spaces.nodes ?? [];
  const progress = making ?? lines.progress;
  const t = texts.many;

  const good = checked?.rows.filter(isGood) ?? [];
  const locked = good.filter(({ row }) => lacksPassword(row)).length;
  const wrongCount = (checked?.rows.length ?? 0) - good.length;
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_FILE) return void showToast(t.tooLarge, { wrong: true, about: IMPORT });
    dismissAbout(IMPORT);
    setText(await textIn(file));
  };
  const create = async () => {
    if (spaceTyped !== '') {
      const wrong = texts.form.noSuchSpace(spaceTyped.trim());
      return showWrong('.many', () => setSpaceError(wrong));
    }
    stop.current = new AbortController();
    setMaking({ done: 0, of: good.length });
    await attempt(IMPORT, async () => {
      const settled = await lines.settled();
      if (settled === null) return;
      const rows = settled.rows.filter(isGood).map(({ row }) => row);
      const known = await knownIn(session, rows);
      const results = await createRows(session, rows, known, spaceId, {
        signal: stop.current.signal,
        onProgress: setMaking,
      });
      const failed = settled.rows.filter((one) => !isGood(one));
      const all = [...results, ...failed].sort((a, b) => a.row.number - b.row.number);
      flushSync(() => {
        setMade({ text: settled.text, results: all });
        setText('');
      });
      focusSoon('.many .buttons .button');
    });
    setMaking(null);
  };
  const goOn = () => {
    flushSync(() => setMade(null));
    focusSoon('.many textarea');
  };
  /** Goes on with the lines that failed. */
  const correctFailed = () => {
    if (made === null) return;
    const failed = new Set(made.results.filter(({ error }) => error !== null).map(({ row }) => row.number));
    setText(withRows(made.text, ({ number, cells }) => (failed.has(number) ? cells : undefined)));
    goOn();
  };

  if (!session.canWrite) return <Empty title={texts.mayNotWrite} />;
  return (
    <>
      <Link href="/" className="back">
        <Icon name="back" />
        {texts.link.back}
      </Link>
      <h1>{t.title}</h1>
      {made ? (
        <ManyDone results={made.results} onCorrect={correctFailed} onAgain={goOn} />
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
                disabled={making !== null}
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
            <SpaceField
              value={spaceId}
              typed={spaceTyped}
              spaces={spaces}
              onValue={(id, typed) => {
                lines.setSpaceId(id);
                setSpaceTyped(typed);
                setSpaceError(undefined);
              }}
              error={spaceError}
            />
          </div>
          {progress && (
            <ProgressBar
              progress={progress}
              name={making ? t.making : t.checking}
              onStop={() => (making ? stop.current.abort() : setText(''))}
            />
          )}
          {checked && making === null && (
            <>
              <p role="status">
                <b>{t.ready(good.length)}</b>
                {wrongCount > 0 && <span className="error"> {t.wrong(wrongCount)}</span>}
              </p>
              <ManyRows rows={checked.rows} wrong={checked.wrong} onCorrect={lines.correct} />
              {locked > 0 && <p className="hint">{t.locked(locked)}</p>}
              {checked.unknown.length > 0 && <p className="hint">{t.unread(checked.unknown.join(', '))}</p>}
              {checked.newSpaces.length > 0 && (
                <p className="hint">{t.newSpaces(checked.newSpaces.join(', '))}</p>
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
