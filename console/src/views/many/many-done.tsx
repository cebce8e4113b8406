import type { ReactElement } from 'react';
import { csvOf } from '../../data/import.ts';
import type { RowResult } from '../../data/import-run.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { saveFile } from '../../parts/qr.tsx';
import { texts } from '../../texts.ts';
import { ManyRows } from './many-rows.tsx';

/** What became of the lines. */
export function ManyDone({
  results,
  onAgain,
}: {
  results: readonly RowResult[];
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
      <h2 role="status">{t.made(made.length)}</h2>
      <div className="buttons">
        {made.length > 0 && (
          <>
            <CopyButton text={made.map(({ shortUrl }) => shortUrl).join('\n')} label={t.copyAll} wide />
            <button type="button" className="button quiet" onClick={saveMade}>
              {t.saveMade}
            </button>
          </>
        )}
        {failed.length > 0 && (
          <button type="button" className="button quiet" onClick={saveFailed}>
            {t.saveFailed}
          </button>
        )}
        <button type="button" className="button text" onClick={onAgain}>
          {t.again}
        </button>
      </div>
      {failed.length > 0 && <ManyRows rows={failed} />}
    </section>
  );
}
