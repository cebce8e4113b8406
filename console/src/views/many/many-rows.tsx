import type { ReactElement } from 'react';
import type { RowResult } from '../../data/import-run.ts';
import { inDigits } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

/** How many lines are shown; all wrong ones come first. */
const MOST = 200;

/** The lines as they were understood, and what is wrong with them. */
export function ManyRows({ rows }: { rows: readonly RowResult[] }): ReactElement {
  const wrong = rows.filter(({ error }) => error !== null);
  const shown = [...wrong, ...rows.filter(({ error }) => error === null)].slice(0, MOST);
  const t = texts.many;
  return (
    <>
      <p role="status">
        <b>{t.ready(rows.length - wrong.length)}</b>
        {wrong.length > 0 && <span className="error"> {t.wrong(wrong.length)}</span>}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll lines" aria-label={t.rows} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.line}</th>
              <th scope="col">{texts.form.url}</th>
              <th scope="col">{texts.form.alias}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ row: { number, cells }, error }) => (
              <tr key={number} className={error === null ? undefined : 'wrong'}>
                <th scope="row">{inDigits(number)}</th>
                <td>
                  {cells.url}
                  {error !== null && <span className="error">{error}</span>}
                </td>
                <td>{cells.alias}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
