import { type KeyboardEvent, type ReactElement, useEffect, useEffectEvent, useState } from 'react';
import { PAUSE } from '../../data/checked-lines.ts';
import type { ImportRow } from '../../data/import.ts';
import type { RowResult } from '../../data/import-run.ts';
import { inDigits, trimPasted } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

/** How many lines are shown; all wrong ones come first. */
export const MAX_ROWS = 200;

interface RowsProps {
  readonly rows: readonly RowResult[];
  /** The numbers of the lines that were wrong when all were checked: they come first, and can be corrected. */
  readonly wrong: ReadonlySet<number>;
  /** Without it, nothing can be corrected. */
  readonly onCorrect?: (row: ImportRow) => void;
}

/** The lines as they were understood, and what is wrong with them. */
export function ManyRows({ rows, wrong, onCorrect }: RowsProps): ReactElement {
  const shown = [
    ...rows.filter(({ row }) => wrong.has(row.number)),
    ...rows.filter(({ row }) => !wrong.has(row.number)),
  ].slice(0, MAX_ROWS);
  const hasTitles = shown.some(({ row }) => row.cells.title);
  const t = texts.many;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroll lines" aria-label={t.rows} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.line}</th>
            <th scope="col">{texts.form.url}</th>
            <th scope="col">{texts.form.alias}</th>
            {hasTitles && <th scope="col">{texts.form.title}</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ row, error, field }) => (
            <tr key={row.number} className={error === null ? undefined : 'wrong'}>
              <th scope="row">{inDigits(row.number)}</th>
              <td>
                <Cell row={row} name="url" onCorrect={wrong.has(row.number) ? onCorrect : undefined} />
                {error !== null && field !== 'alias' && <span className="error">{error}</span>}
              </td>
              <td>
                <Cell row={row} name="alias" onCorrect={wrong.has(row.number) ? onCorrect : undefined} />
                {error !== null && field === 'alias' && <span className="error">{error}</span>}
              </td>
              {hasTitles && <td>{row.cells.title}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A cell, which is checked again soon after it was changed. */
function Cell({
  row,
  name,
  onCorrect,
}: {
  row: ImportRow;
  name: 'url' | 'alias';
  onCorrect: RowsProps['onCorrect'];
}): ReactElement {
  const value = row.cells[name] ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const correct = () => {
    if (typed !== null && trimPasted(typed) !== value)
      onCorrect?.({ ...row, cells: { ...row.cells, [name]: trimPasted(typed) } });
  };
  const send = useEffectEvent(correct);
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => send(), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  // A file may have no such column.
  if (onCorrect === undefined || !(name in row.cells)) return <>{value}</>;
  const commit = () => {
    correct();
    setTyped(null);
  };
  return (
    <input
      type="text"
      aria-label={texts.many.cellOf(texts.form[name], row.number)}
      placeholder={texts.form[name]}
      value={typed ?? value}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setTyped(event.target.value)}
      onBlur={commit}
      onKeyDown={(event: KeyboardEvent) => event.key === 'Enter' && commit()}
    />
  );
}
