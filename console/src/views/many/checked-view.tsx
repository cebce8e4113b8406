import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { focusSoon } from '../../app/focus.ts';
import { Button } from '../../controls/button.tsx';
import { isUnnamed } from '../../data/columns.ts';
import { inColumns } from '../../data/separators.ts';
import { CheckField } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { ManyRows } from './many-rows.tsx';
import type { Import } from './use-import.ts';

/** The checked lines: their numbers, questions about them, each of them, and the button that makes the links. */
export function CheckedView({ state }: { state: Import }): ReactElement | null {
  const { lines, summary, making, put } = state;
  const { checked, text } = lines;
  const { linked, leavesOut, repeats, ready, separated, wrong, others, isWanted } = summary;
  const t = texts.many;
  if (making !== null) return null;
  const create = (
    <div className="buttons end stays">
      {checked && ready === 0 && <p className="hint">{t.noneReady}</p>}
      <Button
        text={checked ? t.create(ready) : t.createNone}
        disabled={!checked || ready === 0 || separated !== null}
        onClick={() => void state.create()}
      />
    </div>
  );
  if (!checked) return create;
  const unread = checked.unusedColumns.filter((name) => !isUnnamed(name));
  const rows = { cut: checked.cut, repeats, isWanted };
  return (
    <>
      <Numbers {...summary} />
      {separated && (
        <Separated
          example={separated.separator + separated.alias}
          onColumns={() => lines.setText(inColumns(text, checked.cut, separated.separator))}
          onPartOfUrl={() => put({ partOfUrls: separated.separator })}
        />
      )}
      {unread.length > 0 && <p className="notice">{t.unread(unread.join(', '))}</p>}
      {linked.length > 0 && (
        <CheckField
          label={t.leaveOut(linked.length)}
          checked={leavesOut}
          onChecked={(chosen) => put({ leavesOut: chosen })}
        />
      )}
      {wrong.length > 0 && (
        <ManyRows name={t.wrongRows} {...rows} outcomes={wrong} onCorrect={lines.correct} />
      )}
      {others.length > 0 && <ManyRows name={t.rows} {...rows} outcomes={others} />}
      {create}
    </>
  );
}

function Numbers({ ready, repeats, there, wrongCount }: Import['summary']): ReactElement {
  const t = texts.many;
  return (
    <p role="status">
      <b>{t.ready(ready)}</b>
      {repeats.size > 0 && ` ${t.repeated(repeats.size)}`}
      {there > 0 && ` ${t.there(there)}`}
      {wrongCount > 0 && <span className="error"> {t.wrong(wrongCount)}</span>}
    </p>
  );
}

/** Asks if texts behind the URLs of all lines are a column or a part of the URL. */
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
        <Button look="small" text={t.columns} onClick={answer(onColumns)} />
        <Button look="quiet small" text={t.partOfUrl} onClick={answer(onPartOfUrl)} />
      </div>
    </fieldset>
  );
}
