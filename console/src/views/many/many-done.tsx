import { type ReactElement, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../controls/button.tsx';
import { attempt } from '../../data/actions.ts';
import type { Progress } from '../../data/batches.ts';
import { announceKinds } from '../../data/bus.ts';
import { type CutText, cellsIn as cellsOfCsv, cellsOfLine, joined, namesIn } from '../../data/import.ts';
import type { Outcome, Result } from '../../data/import-run.ts';
import {
  type BulkOptions,
  type BulkResult,
  type BulkUpdate,
  changeMany,
  changesBy,
  deleteMany,
  linksChosen,
  MANY,
  type Told,
} from '../../data/many-links.ts';
import { saveCsv, saveFile } from '../../data/save-file.ts';
import { useSession } from '../../data/session.ts';
import { showToast } from '../../data/toasts.ts';
import { Address } from '../../parts/address.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/form-dialog.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { texts } from '../../texts.ts';
import { shortUrlText } from '../../words/format.ts';
import { BulkTags } from '../links/bulk-tags.tsx';
import { type LinksState, parseState, toQuery } from '../links/links-state.ts';
import { MAX_ROWS, ManyRows } from './many-rows.tsx';

type Made = NonNullable<Result['link']>;

interface ManyDoneProps {
  readonly cut: CutText;
  readonly outcomes: readonly Outcome[];
  readonly repeats: ReadonlyMap<number, number>;
  /** Goes on with the text of some of the records. */
  onCorrect(text: string): void;
  onAgain(): void;
  /** Keeps the results for somebody who comes back. */
  onLeave(): void;
}

/** The list of the links that were created in the time of these: no filter names them one by one. */
function madeIn(made: readonly Made[]): LinksState {
  const times = made.map(({ createdAt }) => Date.parse(createdAt));
  const [since = '', until = ''] = [Math.min(...times), Math.max(...times) + 1].map((time) =>
    new Date(time).toISOString(),
  );
  return { ...parseState(''), since, until };
}

/** The results of the lines. */
export function ManyDone(props: ManyDoneProps): ReactElement {
  const { cut, outcomes, repeats, onCorrect, onAgain, onLeave } = props;
  const made = outcomes
    .flatMap(({ results }) => results)
    .flatMap(({ status, link }) => (status === 'CREATED' && link ? [link] : []));
  const failed = outcomes.filter(({ error }) => error !== null);
  const skipped = outcomes.filter(
    ({ error, results }) =>
      error === null && results.every(({ status, link }) => status !== 'CREATED' || link === null),
  );
  const session = useSession();
  const [isAsked, setAsked] = useState(false);
  const [isTagging, setTagging] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const stop = useRef(new AbortController());
  /** Changes the new links, and shows the first failure. */
  const work = async (act: (options: BulkOptions) => Promise<BulkResult>) => {
    stop.current = new AbortController();
    const options = { onProgress: setProgress, signal: stop.current.signal };
    await attempt(MANY, async () => {
      const [first] = (await act(options)).failed;
      if (first) showToast(first.message, { wrong: true, about: MANY });
    });
    setProgress(null);
    announceKinds('LINK');
  };
  const tag = (update: BulkUpdate, told: Told = texts.bulk.done) =>
    work(async (options) => {
      const changes = changesBy(update, await linksChosen(session, made));
      return changeMany(session, changes, options, told);
    });
  /** Deletes the new links, and goes back to the lines. */
  const undo = () =>
    work(async (options) => {
      const ids = made.map(({ id }) => id);
      const result = await deleteMany(session, ids, options);
      if (result.done.length === ids.length) onCorrect(formatOutcomes(outcomes));
      return result;
    });
  const t = texts.many;
  const formatOutcomes = (some: readonly Outcome[]) =>
    joined(
      cut,
      some.map(({ record }) => record),
    ).text;
  const firsts = new Map(outcomes.map(({ record, results: [first] }) => [record.line, first]));
  /** The link of a line, also one that was there or that another line has. */
  const doneLink = ({ record, results: [first] }: Outcome) =>
    first?.link ?? first?.existingLink ?? firsts.get(repeats.get(record.line) ?? 0)?.link;
  /** The lines as they are in a sheet, which may have empty ones. */
  const inOrder = outcomes.flatMap((one, index) => {
    const { line, text } = outcomes[index - 1]?.record ?? { line: one.record.line - 1, text: '' };
    const skips = one.record.line - line - text.split(/\r\n?|\n/).length;
    return [...Array.from({ length: skips }, () => null), one];
  });
  const saveMade = () => {
    const rows = inOrder.map((one) => {
      const { shortUrl = '', url = '', title = '' } = (one && doneLink(one)) ?? {};
      return [one?.record.line ?? null, shortUrl, url, title, one?.error ?? null];
    });
    saveCsv('links.csv', [['line', 'short_url', 'url', 'title', 'error'], ...rows]);
  };
  const isLines = cut.format === 'LINES';
  /** With what is wrong behind the columns, which an import leaves out. */
  const saveFailed = () => {
    if (cut.isJson)
      return saveFile('failed.json', new Blob([formatOutcomes(failed)], { type: 'application/json' }));
    const cellsIn = (text: string) => (isLines ? cellsOfLine(text) : cellsOfCsv(text, cut.delimiter));
    const names = isLines ? ['url', 'alias', 'title'] : namesIn(cut);
    const rows = failed.map(({ record, error }) => {
      const cells = cellsIn(record.text).slice(0, names.length);
      return [...cells, ...Array.from({ length: names.length - cells.length }, () => ''), error];
    });
    saveCsv('failed.csv', [[...names, 'error'], ...rows]);
  };
  return (
    <section className="card many stack" aria-label={t.title}>
      <h2 role="status">{t.created(made.length)}</h2>
      {made.length > 0 && <MadeLinks made={made} />}
      <div className="buttons">
        {made.length > 0 && (
          <>
            <CopyButton
              text={inOrder.map((one) => (one && doneLink(one)?.shortUrl) ?? '').join('\n')}
              label={t.copyAll}
              wide
            />
            <Button look="quiet" text={t.saveMade} onClick={saveMade} />
            <Button look="quiet" text={t.addTags} onClick={() => setTagging(true)} />
            <Link className="button quiet" href={`/links${toQuery(madeIn(made))}`} onClick={onLeave}>
              {t.inList}
            </Link>
            <Button look="quiet" text={texts.undo} onClick={() => setAsked(true)} />
          </>
        )}
        <Button look="text" text={t.again} onClick={onAgain} />
      </div>
      {made.length > 0 && made.length < inOrder.length && <p className="hint">{t.inOrder}</p>}
      {progress && (
        <ProgressBar progress={progress} name={texts.bulk.working} onStop={() => stop.current.abort()} />
      )}
      {isTagging && (
        <BulkTags
          count={made.length}
          onClose={() => setTagging(false)}
          onUpdate={(update, told) => void tag(update, told)}
        />
      )}
      {isAsked && (
        <Confirm
          title={texts.bulk.ask(texts.delete, made.length)}
          action={texts.bulk.confirm(texts.delete, made.length)}
          onClose={() => setAsked(false)}
          onSubmit={async () => {
            // The page shows the progress.
            void undo();
            return { __typename: 'DeletedRecord' };
          }}
        >
          {texts.bulk.deleteWarning(null, null)}
        </Confirm>
      )}
      {skipped.length > 0 && (
        <>
          <p>{t.skipped(skipped.length)}</p>
          <ManyRows name={t.rows} cut={cut} outcomes={skipped} repeats={repeats} isWanted={() => false} />
        </>
      )}
      {failed.length > 0 && (
        <>
          <p className="error">{t.failed(failed.length)}</p>
          <ManyRows name={t.wrongRows} cut={cut} outcomes={failed} />
          <div className="buttons">
            <Button text={t.correct} onClick={() => onCorrect(formatOutcomes(failed))} />
            <Button look="quiet" text={t.saveFailed} onClick={saveFailed} />
          </div>
        </>
      )}
    </section>
  );
}

function MadeLinks({ made }: { made: readonly Made[] }): ReactElement {
  const t = texts.many;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll lines" aria-label={t.made} tabIndex={0}>
        <table>
          <tbody>
            {made.slice(0, MAX_ROWS).map(({ id, shortUrl, title, url }) => (
              <tr key={id}>
                <th scope="row" className="made">
                  <span>{shortUrlText(shortUrl)}</span>
                  <CopyButton text={shortUrl} />
                </th>
                <td>{title ? <bdi>{title}</bdi> : <Address of={url} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {made.length > MAX_ROWS && <p className="hint">{t.onlyFirst(MAX_ROWS)}</p>}
    </>
  );
}
