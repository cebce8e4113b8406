import { type KeyboardEvent, type ReactElement, useEffect, useEffectEvent, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { PAUSE } from '../../data/checked-lines.ts';
import { fieldNamed, isUnnamed } from '../../data/columns.ts';
import { formatRow } from '../../data/csv-row.ts';
import {
  type CutText,
  cellsIn,
  cellsOfLine,
  namesIn,
  splitCells,
  type TextRecord,
} from '../../data/import.ts';
import type { Outcome, Result } from '../../data/import-run.ts';
import { moreTexts } from '../../more-texts.ts';
import { texts } from '../../texts.ts';
import { inDigits, shortUrlText } from '../../words/format.ts';

/** The number of lines of a table that are shown. */
export const MAX_ROWS = 200;

interface RowsProps {
  readonly name: string;
  readonly cut: Pick<CutText, 'header' | 'delimiter'>;
  readonly outcomes: readonly Outcome[];
  /** Maps the lines of repeated records to the lines of their originals. */
  readonly repeats?: ReadonlyMap<number, number>;
  /** True if links are made of it. */
  readonly isWanted?: (outcome: Outcome) => boolean;
  /** Absent if nothing can be corrected. */
  readonly onCorrect?: (record: TextRecord) => void;
}

const brokenRules = (results: readonly Result[]) =>
  results.flatMap(({ fields }) => fields.map(({ rule }) => rule));

/** The records as they stand in the text, with their results. */
export function ManyRows({ name, cut, outcomes, repeats, isWanted, onCorrect }: RowsProps): ReactElement {
  const isOut = (one: Outcome) => one.error === null && isWanted?.(one) === false;
  const t = texts.many;
  const inCells = (text: string) => splitCells(text, cut.delimiter).join(' · ');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroll lines" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.line}</th>
            <th scope="col">
              {namesIn(cut)
                .filter((one) => one && !isUnnamed(one))
                .join(' · ') || t.record}
            </th>
            {!onCorrect && <th scope="col">{texts.form.alias}</th>}
          </tr>
        </thead>
        <tbody>
          {outcomes.slice(0, MAX_ROWS).map((outcome) => {
            const { record, results, error } = outcome;
            // Of several URLs in cells, nobody knows which ones are destinations.
            const areUrls = cut.delimiter === ' ' && brokenRules(results).includes('TWO_URLS');
            const urls = areUrls ? record.text.trim().split(/[\s,;|]+(?=https?:\/\/)/i) : [];
            return (
              <tr key={record.line} className={error !== null ? 'wrong' : isOut(outcome) ? 'out' : undefined}>
                <th scope="row">{inDigits(record.line)}</th>
                <td>
                  {onCorrect ? (
                    <RecordText
                      key={cut.header}
                      wrong={results.flatMap(({ fields }) => fields.map(({ path }) => path.join('.')))}
                      {...{ record, cut, onCorrect }}
                    />
                  ) : (
                    <span>{inCells(record.text)}</span>
                  )}
                  {error !== null && <span className="error">{error}</span>}
                  {onCorrect && urls.length > 1 && (
                    <Button
                      look="quiet small"
                      text={t.split(urls.length)}
                      onClick={() => onCorrect({ ...record, text: urls.join('\n') })}
                    />
                  )}
                </td>
                {!onCorrect && (
                  <td>
                    {results.map((result, index) => (
                      <Alias
                        // biome-ignore lint/suspicious/noArrayIndexKey: they never move
                        key={index}
                        result={result}
                        isOut={isOut(outcome)}
                        repeated={repeats?.get(record.line)}
                      />
                    ))}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Alias({
  result: { alias, status, reason, existingLink, link },
  isOut,
  repeated,
}: {
  result: Result;
  isOut: boolean;
  repeated: number | undefined;
}): ReactElement {
  const t = texts.many;
  const there = repeated === undefined ? t.exists : t.repeats(repeated);
  const note = status === 'EXISTS' ? there : status === 'CREATED' ? reason : null;
  // A link that is there already has this alias.
  const isThere = status === 'EXISTS' && repeated === undefined;
  const isNamed = !isOut || isThere;
  const other = isThere ? link : existingLink;
  return (
    <>
      <span>{isNamed ? <bdi>{alias}</bdi> : t.leftOut}</span>
      {note !== null && <span className="hint">{note}</span>}
      {other && (
        <span className="hint">
          {!isThere && `${t.linked} `}
          <a href={`./links/${other.id}`} target="_blank" rel="noreferrer">
            {isThere ? t.existing : shortUrlText(other.shortUrl)}
          </a>
        </span>
      )}
    </>
  );
}

/** A record, which is checked again soon after it was changed. */
function RecordText({
  record,
  wrong,
  cut: { header, delimiter },
  onCorrect,
}: {
  record: TextRecord;
  /** The fields that are wrong. */
  wrong: readonly string[];
  cut: RowsProps['cut'];
  onCorrect: (record: TextRecord) => void;
}): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  // A cell that is emptied keeps its field.
  const [columns] = useState(() =>
    delimiter === ' '
      ? (['url', 'alias', 'title'] as const).map((field, index) => ({
          name: texts.form[field],
          index,
          field,
        }))
      : columnsOf(namesIn({ header, delimiter }), cellsIn(record.text, delimiter)),
  );
  /** True if it has a URL, an alias and a title behind tabs or spaces. */
  const isLine = delimiter === ' ';
  const correct = () => {
    const text = isLine ? typed?.trimEnd() : typed;
    if (text?.trim() && text !== record.text) onCorrect({ ...record, text });
  };
  const send = useEffectEvent(correct);
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => send(), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  const commit = () => {
    correct();
    setTyped(null);
  };
  const text = typed ?? record.text;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    commit();
  };
  const props = { spellCheck: false, autoComplete: 'off', onBlur: commit, onKeyDown };
  const t = texts.many;
  // JSON has no columns.
  if (delimiter === '\n')
    return (
      <textarea
        {...props}
        rows={Math.min(record.text.split('\n').length, 4)}
        aria-label={t.recordIn(record.line)}
        value={text}
        onChange={(event) => setTyped(event.target.value)}
      />
    );
  const cells: readonly string[] = isLine ? cellsOfLine(text) : cellsIn(text, delimiter);
  const withCell = (index: number, value: string) => {
    // What is pasted may be a whole line.
    if (isLine) return value.includes('\t') ? value : cells.with(index, value).join('\t');
    const missing = Array.from({ length: Math.max(0, index + 1 - cells.length) }, () => '');
    return formatRow([...cells, ...missing].with(index, value), delimiter);
  };
  return (
    <div className="cells">
      {columns.map(({ name, index, field }) => (
        <input
          {...props}
          key={index}
          aria-label={t.cellIn(name, record.line)}
          title={name}
          placeholder={name}
          aria-invalid={(field !== null && wrong.includes(field)) || undefined}
          value={cells[index] ?? ''}
          onChange={({ target: { value } }) => setTyped(withCell(index, value))}
        />
      ))}
    </div>
  );
}

/** The columns of a record that are worth a field: those with a value, the URL and the alias; the URL first. */
function columnsOf(names: readonly string[], cells: readonly string[]) {
  const isFirst = (name: string) => fieldNamed(name) === 'url';
  const all = names.flatMap((name, index) => {
    const field = fieldNamed(name);
    const isWanted = field === 'url' || field === 'alias' || cells[index];
    const shown =
      field === null ? name || moreTexts.columns.column(index + 1) : moreTexts.columns.fields[field];
    return isWanted && !isUnnamed(name) ? [{ name: shown, index, field }] : [];
  });
  return all.toSorted(
    (one, other) => Number(isFirst(names[other.index] ?? '')) - Number(isFirst(names[one.index] ?? '')),
  );
}
