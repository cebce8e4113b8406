import type { ReactElement } from 'react';
import { type CutText, joined } from '../../data/import.ts';
import type { Outcome, Result } from '../../data/import-run.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { withoutScheme } from '../../parts/format.ts';
import { saveCsv, saveFile } from '../../parts/save-file.ts';
import { texts } from '../../texts.ts';
import { MAX_ROWS, ManyRows } from './many-rows.tsx';

type Made = NonNullable<Result['link']>;

const fileOf = (text: string): Blob => new Blob([`\uFEFF${text}`], { type: 'text/plain' });

/** What became of the lines. */
export function ManyDone({
  cut,
  outcomes,
  onCorrect,
  onAgain,
}: {
  cut: CutText;
  outcomes: readonly Outcome[];
  /** Goes on with the text of the records that failed. */
  onCorrect: (text: string) => void;
  onAgain: () => void;
}): ReactElement {
  const made = outcomes
    .flatMap(({ results }) => results)
    .flatMap(({ status, link }) => (status === 'CREATED' && link ? [link] : []));
  const failed = outcomes.filter(({ error }) => error !== null);
  const t = texts.many;
  const failedText = () =>
    joined(
      cut,
      failed.map(({ record }) => record),
    ).text;
  const saveMade = () => {
    const rows = made.map(({ shortUrl, url, title }) => [shortUrl, url, title]);
    saveCsv('links.csv', [['short_url', 'url', 'title'], ...rows]);
  };
  const extension = cut.isJson ? 'json' : cut.format === 'LINES' ? 'txt' : 'csv';
  return (
    <section className="card many" aria-label={t.title}>
      <h2 role="status">{t.created(made.length)}</h2>
      {made.length > 0 && <MadeLinks made={made} />}
      <div className="buttons">
        {made.length > 0 && (
          <>
            <CopyButton text={made.map(({ shortUrl }) => shortUrl).join('\n')} label={t.copyAll} wide />
            <button type="button" className="button quiet" onClick={saveMade}>
              {t.saveMade}
            </button>
          </>
        )}
        <button type="button" className="button text" onClick={onAgain}>
          {t.again}
        </button>
      </div>
      {failed.length > 0 && (
        <>
          <p className="error">{t.failed(failed.length)}</p>
          <ManyRows outcomes={failed} wrong={new Set()} />
          <div className="buttons">
            <button type="button" className="button" onClick={() => onCorrect(failedText())}>
              {t.correct}
            </button>
            <button
              type="button"
              className="button quiet"
              onClick={() => saveFile(`failed.${extension}`, fileOf(failedText()))}
            >
              {t.saveFailed}
            </button>
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
                  <span>{withoutScheme(shortUrl)}</span>
                  <CopyButton text={shortUrl} />
                </th>
                <td>{title || withoutScheme(url)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {made.length > MAX_ROWS && <p className="hint">{t.onlyFirst(MAX_ROWS)}</p>}
    </>
  );
}
