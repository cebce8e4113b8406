import type { ReactElement } from 'react';
import { csvOf } from '../../data/import.ts';
import type { RowResult } from '../../data/import-run.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { withoutScheme } from '../../parts/format.ts';
import { saveFile } from '../../parts/qr.tsx';
import { texts } from '../../texts.ts';
import { MAX_ROWS, ManyRows } from './many-rows.tsx';

/** What became of the lines. */
export function ManyDone({
  results,
  onCorrect,
  onAgain,
}: {
  results: readonly RowResult[];
  /** Goes on with the lines that failed. */
  onCorrect: () => void;
  onAgain: () => void;
}): ReactElement {
  const made = results.filter(({ shortUrl }) => shortUrl !== null);
  const failed = results.filter(({ error }) => error !== null);
  const t = texts.many;
  const saveMade = () =>
    saveFile(
      'links.csv',
      csvOf(made.map(({ row, shortUrl }) => ({ short_url: shortUrl ?? '', ...row.cells }))),
    );
  const saveFailed = () =>
    saveFile('failed.csv', csvOf(failed.map(({ row, error }) => ({ ...row.cells, error: error ?? '' }))));
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
          <ManyRows rows={failed} wrong={new Set()} />
          <div className="buttons">
            <button type="button" className="button" onClick={onCorrect}>
              {t.correct}
            </button>
            <button type="button" className="button quiet" onClick={saveFailed}>
              {t.saveFailed}
            </button>
          </div>
        </>
      )}
    </section>
  );
}

function MadeLinks({ made }: { made: readonly RowResult[] }): ReactElement {
  const t = texts.many;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll lines" aria-label={t.made} tabIndex={0}>
        <table>
          <tbody>
            {made.slice(0, MAX_ROWS).map(({ row, shortUrl }) => (
              <tr key={row.number}>
                <th scope="row" className="made">
                  <span>{withoutScheme(shortUrl ?? '')}</span>
                  <CopyButton text={shortUrl ?? ''} />
                </th>
                <td>{row.cells.title || withoutScheme(row.cells.url ?? '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {made.length > MAX_ROWS && <p className="hint">{t.onlyFirst(MAX_ROWS)}</p>}
    </>
  );
}
