import { type ReactElement, useState } from 'react';
import { useClient } from 'urql';
import { Button } from '../controls/button.tsx';
import { toFault } from '../data/faults.ts';
import { readNow } from '../data/read.ts';
import { failureText } from '../data/refusals.ts';
import { type ChangedValue, type NameOf, type ShownValue, showValue, type ValueRow } from '../data/values.ts';
import { ChangeDocument, type LoggedChangeFragment } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { type Split, splitChanged } from '../words/difference.ts';

/** A text in quotes, perhaps with the part that was taken away or added. */
function Quoted({ text, as }: { text: string | Split | null; as: 'del' | 'ins' }): ReactElement {
  if (text === null) return <>{texts.link.nothing}</>;
  const [start, changed, end] = typeof text === 'string' ? [text, '', ''] : text;
  const Part = as;
  return (
    <q>
      <bdi>
        {start}
        {changed !== '' && <Part>{changed}</Part>}
        {end}
      </bdi>
    </q>
  );
}

function Row({
  row: { name, was, is, isAddress },
  isGone,
}: {
  row: ValueRow;
  isGone: boolean;
}): ReactElement {
  const [before, after] = isAddress && was !== null && is !== null ? splitChanged(was, is) : [was, is];
  return (
    <li>
      {name}: <Quoted text={before} as="del" />
      {!isGone && (
        <>
          {' → '}
          <Quoted text={after} as="ins" />
        </>
      )}
    </li>
  );
}

function Shown({ value: { rows, unshown, name }, isGone }: { value: ShownValue; isGone: boolean }) {
  const t = texts.history.unshown;
  return (
    <>
      {rows.map((row) => (
        <Row key={row.key} row={row} isGone={isGone} />
      ))}
      {unshown !== null && (rows.length === 0 || unshown !== 'cut') && (
        <li>{texts.labelled(name, unshown === 'secret' && isGone ? t.hidden : t[unshown])}</li>
      )}
    </>
  );
}

interface Change extends Pick<LoggedChangeFragment, 'id' | 'kind' | 'action'> {
  readonly values: readonly ChangedValue[];
}

/** Fields with their values before and after. */
export function Differences({
  change,
  nameOf,
}: {
  change: Pick<Change, 'kind' | 'action' | 'values'>;
  nameOf: NameOf;
}): ReactElement | null {
  const shown = change.values.map((value) => showValue(change, value, nameOf));
  if (shown.every(({ rows, unshown }) => rows.length === 0 && unshown === null)) return null;
  return (
    <ul className="differences">
      {shown.map((value) => (
        <Shown key={value.name} value={value} isGone={change.action === 'DELETED'} />
      ))}
    </ul>
  );
}

/** The values of a change; those that a list has cut are read whole when somebody asks for them. */
export function Values({ change, nameOf }: { change: Change; nameOf: NameOf }): ReactElement | null {
  const client = useClient();
  const [whole, setWhole] = useState<Change | null>(null);
  const [fault, setFault] = useState('');
  const { id } = change;
  const isCut = whole === null && change.values.some((value) => value.isCut);
  const read = async () => {
    const { data, error } = await readNow(client, ChangeDocument, { id });
    if (data?.change) setWhole(data.change);
    setFault(error ? failureText(toFault(error)) : '');
  };
  if (change.values.length === 0) return null;
  const all = <Differences change={whole ?? change} nameOf={nameOf} />;
  const t = texts.history;
  return (
    <>
      {change.action === 'DELETED' ? (
        <details>
          <summary>{t.wasLike}</summary>
          {all}
        </details>
      ) : (
        all
      )}
      {isCut && <Button look="text small" text={t.showWhole} onClick={() => void read()} />}
      {fault !== '' && (
        <p className="error" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}
