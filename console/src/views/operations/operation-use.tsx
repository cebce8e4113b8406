import { type ReactElement, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { attempt } from '../../data/actions.ts';
import {
  clientCode,
  curlLine,
  exampleVariables,
  parseVariables,
  runOperation,
  type Variables,
} from '../../data/run-operation.ts';
import { useSession } from '../../data/session.ts';
import { aboutRecord } from '../../data/toasts.ts';
import type { OperationRowFragment } from '../../generated/documents.ts';
import { operationTexts } from '../../operation-texts.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { AreaField, Field } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { inDigits, onUtcDay } from '../../words/format.ts';

const t = operationTexts;

/** The ways to use an operation, and a form to try it; shown on request. */
export function OperationUse({ operation }: { operation: OperationRowFragment }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.use}</summary>
      {isOpen && <Use operation={operation} />}
    </details>
  );
}

function Use({ operation }: { operation: OperationRowFragment }): ReactElement {
  const { isRunnable } = useRights(operation);
  const [text, setText] = useState(() => exampleVariables(operation.variables));
  // While a text is no object, the lines show the last one.
  const [shown, setShown] = useState<Variables>(() => parseVariables(text) ?? {});
  const change = (next: string) => {
    setText(next);
    setShown((before) => parseVariables(next) ?? before);
  };
  const lines: readonly (readonly [string, string])[] = [
    [t.path, operation.path],
    [t.curl, curlLine(operation, shown)],
    [t.code, clientCode(operation, shown)],
    ...(operation.isTool ? [[t.toolName, operation.name.replaceAll('-', '_')] as const] : []),
  ];
  return (
    <div className="part stack near">
      <Source label={t.document} text={operation.document} />
      <dl className="uses stack near">
        {lines.map(([label, line]) => (
          <div key={label}>
            <dt className="hint">{label}</dt>
            <dd className="line">
              <code>{line}</code>
              <CopyButton text={line} label={texts.labelled(texts.copy, label)} alone />
            </dd>
          </div>
        ))}
      </dl>
      {isRunnable && <Try operation={operation} text={text} onText={change} />}
      <Days operation={operation} />
    </div>
  );
}

/** A text to read, which the keyboard can scroll. */
function Source({ label, text }: { label: string; text: string }): ReactElement {
  return (
    <Field label={label}>
      {(parts) => <textarea {...parts} className="code" readOnly rows={rowsOf(text, 16)} value={text} />}
    </Field>
  );
}

const rowsOf = (text: string, most: number): number => Math.min(most, text.trimEnd().split('\n').length + 1);

/** True if the operation can be tried here: viewers run only what reads. */
function useRights({ broken, kind }: OperationRowFragment): { readonly isRunnable: boolean } {
  const session = useSession();
  return { isRunnable: broken === null && (kind === 'QUERY' || session.canWrite) };
}

function Try(props: {
  operation: OperationRowFragment;
  text: string;
  onText: (text: string) => void;
}): ReactElement {
  const { operation, text, onText } = props;
  const { accountId } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [isWrong, setWrong] = useState(false);
  const [answer, setAnswer] = useState<string | null>(null);
  const run = async () => {
    const variables = parseVariables(text);
    setWrong(variables === null);
    if (variables === null || isBusy) return;
    setBusy(true);
    await attempt(aboutRecord('SAVED_OPERATION', operation.id), async () => {
      setAnswer(JSON.stringify(await runOperation(accountId, operation, variables), null, 2));
    });
    setBusy(false);
  };
  const names = operation.variables.map(
    ({ name, type, defaultValue }) => `${name}: ${type}${defaultValue === null ? '' : ` = ${defaultValue}`}`,
  );
  return (
    <form
      className="part stack near"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {names.length > 0 && (
        <AreaField
          label={t.variables}
          hint={t.takes(names.join(', '))}
          error={isWrong ? t.notJson : undefined}
          className="code"
          rows={rowsOf(text, 10)}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onText={onText}
        />
      )}
      <div className="buttons">
        {operation.kind === 'MUTATION' && <span className="hint">{t.changes}</span>}
        <Button look="quiet" text={t.run} type="submit" aria-disabled={isBusy} />
      </div>
      <div role="status">{answer !== null && <Source label={t.answer} text={answer} />}</div>
    </form>
  );
}

/** The days on which it ran, the newest first. */
function Days({ operation: { runs } }: { operation: OperationRowFragment }): ReactElement | null {
  if (runs.length === 0) return null;
  return (
    <table className="days">
      <thead>
        <tr>
          <th scope="col">{t.day}</th>
          <th scope="col">{t.runs}</th>
          <th scope="col">{t.errors}</th>
        </tr>
      </thead>
      <tbody>
        {[...runs].reverse().map((day) => (
          <tr key={day.date}>
            <td>{onUtcDay(day.date)}</td>
            <td>{inDigits(day.runs)}</td>
            <td>{inDigits(day.errors)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
