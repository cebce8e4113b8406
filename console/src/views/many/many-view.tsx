import {
  type ChangeEvent,
  type ComponentProps,
  type DragEvent,
  type ReactElement,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { focusSoon, showWrong } from '../../app/focus.ts';
import { attempt } from '../../data/actions.ts';
import type { Progress } from '../../data/batches.ts';
import { useCheckedLines } from '../../data/checked-lines.ts';
import { textIn } from '../../data/import.ts';
import { formats, IMPORT, importRecords, type Outcome } from '../../data/import-run.ts';
import { namedAreThere, spaceNamed } from '../../data/named.ts';
import { useRead } from '../../data/read.ts';
import { refusalText } from '../../data/refusals.ts';
import { inColumns, separatorIn } from '../../data/separators.ts';
import { useSession } from '../../data/session.ts';
import { ChoicesDocument } from '../../generated/documents.ts';
import { CheckField, Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/notice.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { texts } from '../../texts.ts';
import { SpaceField } from '../link-form/space-field.tsx';
import { ManyDone } from './many-done.tsx';
import { ManyRows } from './many-rows.tsx';

/** The largest file, in bytes. */
const MAX_FILE = 20_000_000;

/** How many links become that. */
const countOf = (outcomes: readonly Outcome[], status: 'CREATED' | 'EXISTS'): number =>
  outcomes.flatMap(({ results }) => results).filter((one) => one.status === status).length;

/** Whether all links of a record lead where others lead already. */
const isLinked = ({ results }: Outcome): boolean =>
  results.length > 0 && results.every(({ existingLink }) => existingLink !== null);

/** Whether its aliases are made: a record that has one says that its link is wanted. */
const isPlain = ({ record, results }: Outcome): boolean =>
  !results.some(({ alias }) => alias !== null && record.text.includes(alias));

/** The lines of records that repeat another one, each with the line of that one. */
function repeatsIn(outcomes: readonly Outcome[]): ReadonlyMap<number, number> {
  const made = new Map<string | null, number>();
  const repeats = new Map<number, number>();
  for (const { record, results } of outcomes)
    for (const { status, alias } of results) {
      const first = made.get(alias);
      if (status === 'CREATED') made.set(alias, record.line);
      else if (status === 'EXISTS' && first !== undefined) repeats.set(record.line, first);
    }
  return repeats;
}

/** The question what stands behind the URLs of all lines. */
function Separated({
  example,
  onColumns,
  onPartOfUrl,
}: {
  example: string;
  onColumns: () => void;
  onPartOfUrl: () => void;
}): ReactElement {
  const t = texts.many;
  const answer = (act: () => void) => () => {
    flushSync(act);
    focusSoon('.many textarea');
  };
  return (
    <fieldset className="notice" aria-label={t.separated(example)}>
      <p>{t.separated(example)}</p>
      <div className="buttons">
        <button type="button" className="button small" onClick={answer(onColumns)}>
          {t.columns}
        </button>
        <button type="button" className="button quiet small" onClick={answer(onPartOfUrl)}>
          {t.partOfUrl}
        </button>
      </div>
    </fieldset>
  );
}

/** What was made, of which lines. */
type Made = Pick<ComponentProps<typeof ManyDone>, 'cut' | 'outcomes' | 'repeats' | 'spaceId'>;

/** Many new links from lines or a file: checked, then made. */
export function ManyView(): ReactElement {
  const session = useSession();
  const lines = useCheckedLines(session);
  const { text, spaceId, checked, setText } = lines;
  const [making, setMaking] = useState<Progress | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const [spaceTyped, setSpaceTyped] = useState('');
  const [spaceError, setSpaceError] = useState<string | undefined>();
  const [chosen, setLeavesOut] = useState<boolean | null>(null);
  const [wrongFile, setWrongFile] = useState<string | undefined>();
  /** Whether the encoding of the file was guessed. */
  const [isGuessed, setGuessed] = useState(false);
  /** The separator that belongs to the URLs. */
  const [partOfUrls, setPartOfUrls] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  const given = useRef<File>(undefined);
  const spaces = useRead(ChoicesDocument, {}, { on: ['SPACE'] }).data?.spaces.nodes ?? [];
  const progress = making ?? lines.progress;
  const t = texts.many;

  const outcomes = checked?.outcomes ?? [];
  const linked = outcomes.filter(isLinked);
  const leavesOut = chosen ?? linked.every(isPlain);
  const repeats = repeatsIn(outcomes);
  const isWanted = (one: Outcome) => countOf([one], 'CREATED') > 0 && !(leavesOut && isLinked(one));
  const ready = countOf(outcomes.filter(isWanted), 'CREATED');
  const there = countOf(outcomes, 'EXISTS') - repeats.size;
  /** Those that were wrong at first keep their places. */
  const wasWrong = ({ record }: Outcome) => checked?.wrong.has(record.line) === true;
  const wrong = outcomes.filter(wasWrong);
  const isThere = (one: Outcome) => isLinked(one) || countOf([one], 'EXISTS') > 0;
  const rest = outcomes.filter((one) => !wasWrong(one));
  /** Those that are there already come first. */
  const others = [...rest.filter(isThere), ...rest.filter((one) => !isThere(one))];
  const rows = checked && { cut: checked.cut, repeats, isWanted };
  const found = checked && separatorIn(checked.cut);
  const separated = found?.separator === partOfUrls ? null : found;
  const wrongCount = outcomes.filter(({ error }) => error !== null).length;
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    given.current = file;
    const read = file.size > MAX_FILE ? null : await textIn(file);
    // Another one was chosen meanwhile.
    if (given.current !== file) return;
    if (file.size > MAX_FILE) return setWrongFile(t.tooLarge);
    if (read === null) return setWrongFile(t.workbook);
    if (read.text.trim() === '') return setWrongFile(t.nothing);
    setWrongFile(undefined);
    setGuessed(read.isGuessed);
    setPartOfUrls(null);
    // As a field has it, which would else become another text when somebody leaves it.
    setText(read.text.replace(/\r\n?/g, '\n'));
  };
  const create = async () => {
    stop.current = new AbortController();
    setMaking({ done: 0, of: ready });
    await attempt(IMPORT, async () => {
      await namedAreThere();
      const space = spaceTyped === '' ? { id: spaceId } : await spaceNamed(session, spaceTyped.trim());
      if (!('id' in space)) return showWrong('.many', () => setSpaceError(refusalText(space)));
      const settled = await lines.settled();
      if (settled === null) return;
      const { cut } = settled;
      const good = settled.outcomes.filter(isWanted);
      const { outcomes: done } = await importRecords(
        session,
        cut,
        good.map(({ record }) => record),
        { spaceId: space.id, dryRun: false, signal: stop.current.signal, onProgress: setMaking },
      );
      const results = new Map(done.map((one) => [one.record, one]));
      const unmade = (one: Outcome) => ({
        ...one,
        ...(good.includes(one) && { results: [], error: t.notMade }),
      });
      const all = settled.outcomes.map((one) => results.get(one.record) ?? unmade(one));
      flushSync(() => {
        setMade({ cut, outcomes: all, repeats: repeatsIn(settled.outcomes), spaceId: space.id });
        setGuessed(false);
        setText('');
        setSpaceTyped('');
        lines.setSpaceId(space.id);
        setLeavesOut(null);
      });
      focusSoon('.many .buttons .button');
    });
    setMaking(null);
  };
  const choose = ({ target }: ChangeEvent<HTMLSelectElement>) =>
    lines.setFormat(formats.find((one) => one === target.value) ?? 'LINES');
  const goOn = () => {
    flushSync(() => setMade(null));
    focusSoon('.many textarea');
  };
  /** Goes on with these records, such as those that failed. */
  const correct = (records: string) => {
    setText(records);
    if (made) lines.setFormat(made.cut.format);
    goOn();
  };

  if (!session.canWrite) return <Empty title={texts.mayNotWrite} />;
  return (
    <>
      <Link href="/links" className="back">
        <Icon name="back" />
        {texts.link.back}
      </Link>
      <h1>{t.title}</h1>
      {made ? (
        <ManyDone {...made} onCorrect={correct} onAgain={goOn} />
      ) : (
        <section
          className="card many"
          aria-label={t.title}
          onDragOver={(event: DragEvent) => event.preventDefault()}
          onDrop={(event: DragEvent) => {
            event.preventDefault();
            void attempt('file', () => take(event.dataTransfer.files[0]));
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
                onChange={(event) => {
                  setText(event.target.value);
                  setGuessed(false);
                  setWrongFile(undefined);
                  if (event.target.value === '') setPartOfUrls(null);
                }}
              />
            )}
          </Field>
          <div className="pair">
            <Field label={t.file} hint={t.fileHint} warning={isGuessed ? t.guessed : null} error={wrongFile}>
              {(parts) => (
                <input
                  {...parts}
                  type="file"
                  accept=".csv,.tsv,.txt,.json,.xlsx,.xls,.ods,text/csv,text/plain,application/json"
                  // The same file may be chosen again, after it was corrected.
                  onClick={(event) => {
                    event.currentTarget.value = '';
                  }}
                  onChange={(event) => void attempt('file', () => take(event.target.files?.[0]))}
                />
              )}
            </Field>
            <Field label={t.format} hint={lines.format === 'LINES' ? undefined : t.formatHint}>
              {(parts) => (
                <select {...parts} value={lines.format} onChange={choose}>
                  {formats.map((format) => (
                    <option key={format} value={format}>
                      {t.formats[format]}
                    </option>
                  ))}
                </select>
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
          {checked && rows && making === null && (
            <>
              <p role="status">
                <b>{t.ready(ready)}</b>
                {repeats.size > 0 && ` ${t.repeated(repeats.size)}`}
                {there > 0 && ` ${t.there(there)}`}
                {wrongCount > 0 && <span className="error"> {t.wrong(wrongCount)}</span>}
              </p>
              {separated && (
                <Separated
                  example={separated.separator + separated.alias}
                  onColumns={() => setText(inColumns(text, checked.cut, separated.separator))}
                  onPartOfUrl={() => setPartOfUrls(separated.separator)}
                />
              )}
              {checked.unusedColumns.length > 0 && (
                <p className="notice">{t.unread(checked.unusedColumns.join(', '))}</p>
              )}
              {linked.length > 0 && (
                <CheckField label={t.leaveOut(linked.length)} checked={leavesOut} onChecked={setLeavesOut} />
              )}
              {wrong.length > 0 && (
                <ManyRows name={t.wrongRows} {...rows} outcomes={wrong} onCorrect={lines.correct} />
              )}
              {others.length > 0 && <ManyRows name={t.rows} {...rows} outcomes={others} />}
              <div className="buttons end">
                <button
                  type="button"
                  className="button"
                  disabled={ready === 0 || separated !== null}
                  onClick={create}
                >
                  {t.create(ready)}
                </button>
              </div>
            </>
          )}
        </section>
      )}
    </>
  );
}
