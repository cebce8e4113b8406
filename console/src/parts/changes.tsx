import { Fragment, type ReactElement, useId, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../controls/button.tsx';
import { type ChangeGroup, isOwn, useChanges } from '../data/changes.ts';
import { MAX_RECORDS, useNames } from '../data/record-names.ts';
import { type Session, useSession } from '../data/session.ts';
import { useValueNames } from '../data/value-names.ts';
import { type NameOf, nameIn } from '../data/values.ts';
import type { ChangeRowFragment, LoggedChangeFragment, RecordKind } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { ago, atMoment, atNearMoment } from '../words/format.ts';
import { Empty, Unread } from './notice.tsx';
import { Restore } from './restore.tsx';
import { Values } from './values.tsx';

/** The most records of one line that are named at once; a button lists the others. */
const MAX_NAMED = 3;

/** The action, such as “changed: title, space”. */
function describeChange({ action, kind, fields }: ChangeRowFragment): string {
  const t = texts.history;
  const deed = t.actionsOf[kind]?.[action] ?? t.actions[action] ?? action;
  if (action !== 'UPDATED' || fields.length === 0) return deed;
  return t.changed(
    deed,
    fields.map((field) => t.fieldsOf[kind]?.[field] ?? t.fields[field] ?? field).join(', '),
  );
}

/** The author, such as “by Kim”. */
export function byWhom(change: Pick<ChangeRowFragment, 'by'>, session: Session): string {
  const t = texts.history;
  const { by } = change;
  if (by === null) return t.byOperator;
  if (by.__typename === 'ApiKey') return t.byKey(by.name, by.prefix);
  return t.byUser(by.name, isOwn(change, session));
}

type RecordNames = ReadonlyMap<string, string | null>;

/** The name of a record as it is now, or was when it was deleted; null if that is unknown. */
function recordName(change: LoggedChangeFragment, names: RecordNames, nameOf: NameOf): string | null {
  return names.get(change.recordNodeId) ?? nameIn(change, nameOf);
}

function RecordName({
  change,
  names,
  name,
}: {
  change: LoggedChangeFragment;
  names: RecordNames;
  name: string;
}) {
  const isThere = names.get(change.recordNodeId) != null;
  return (
    <bdi>
      {change.kind === 'LINK' && isThere ? <Link href={`/links/${change.recordId}`}>{name}</Link> : name}
    </bdi>
  );
}

/** Many records, listed once they are opened, each with its values. */
function Several({
  id,
  group: { change, records },
  nameOf,
}: {
  /** The id of the line that says what was done. */
  id: string;
  group: ChangeGroup;
  nameOf: NameOf;
}): ReactElement {
  const { kind } = change;
  const [isOpen, setOpen] = useState(false);
  const shown = [...records.values()].slice(0, MAX_RECORDS);
  const names = useNames(new Map(isOpen ? [[change.id, shown.map(({ recordNodeId }) => recordNodeId)]] : []));
  const t = texts.history;
  const kindName = texts.recordKinds[kind] ?? kind;
  return (
    <details
      onToggle={({ currentTarget, target }) => currentTarget === target && setOpen(currentTarget.open)}
    >
      <summary id={id}>
        <b>{t.several(records.size, kind)}</b>
        {t.joint}
        {describeChange(change)}
      </summary>
      <ul>
        {shown.map((one) => {
          if (!names.has(one.recordNodeId)) return null;
          const name = recordName(one, names, nameOf);
          return (
            <li key={one.id}>
              {name === null ? (
                t.gone(kindName, one.recordId)
              ) : (
                <RecordName change={one} names={names} name={name} />
              )}
              <Values change={one} nameOf={nameOf} />
            </li>
          );
        })}
        {records.size > MAX_RECORDS && <li>{t.further(records.size - MAX_RECORDS)}</li>}
      </ul>
    </details>
  );
}

/** The changed records by their names, or their number. */
function Subject({
  group: { change, records },
  names,
  nameOf,
}: {
  group: ChangeGroup;
  names: RecordNames;
  nameOf: NameOf;
}): ReactElement {
  const { kind } = change;
  const t = texts.history;
  const named = [...records.values()].flatMap((one) => {
    const name = recordName(one, names, nameOf);
    return name === null ? [] : [{ one, name }];
  });
  // Some deleted records have no names.
  if (named.length < records.size)
    return <b>{records.size === 1 ? (texts.recordKinds[kind] ?? kind) : t.several(records.size, kind)}</b>;
  return (
    <>
      {(records.size === 1 ? texts.recordKinds : t.kinds)[kind] ?? kind}{' '}
      {named.map(({ one, name }, index) => (
        <Fragment key={one.id}>
          {index > 0 && ', '}
          <b>
            <RecordName change={one} names={names} name={name} />
          </b>
        </Fragment>
      ))}
    </>
  );
}

/** The values of the records: once if they are equal. */
function GroupValues({ group: { records }, names, nameOf }: Parts): ReactElement {
  const all = [...records.values()];
  const [first] = all;
  const isEqual = first && new Set(all.map(({ values }) => JSON.stringify(values))).size === 1;
  if (isEqual) return <Values change={first} nameOf={nameOf} />;
  return (
    <ul>
      {all.map((one) => (
        <li key={one.id}>
          <bdi>{recordName(one, names, nameOf) ?? one.recordId}</bdi>
          <Values change={one} nameOf={nameOf} />
        </li>
      ))}
    </ul>
  );
}

interface Parts {
  readonly group: ChangeGroup;
  readonly names: RecordNames;
  readonly nameOf: NameOf;
}

/** A change with its values, and a button to take it back unless its record is gone. */
function Deed({
  isOfRecord,
  isGone,
  ...parts
}: Parts & { isOfRecord: boolean; isGone: boolean }): ReactElement {
  const { group, nameOf } = parts;
  const id = useId();
  return (
    <div className="deed">
      {group.records.size > MAX_NAMED ? (
        <Several id={id} group={group} nameOf={nameOf} />
      ) : (
        <>
          <div id={id}>
            {!isOfRecord && (
              <>
                <Subject {...parts} />
                {texts.history.joint}
              </>
            )}
            {describeChange(group.change)}
          </div>
          <GroupValues {...parts} />
        </>
      )}
      {!isGone && <Restore changes={[...group.records.values()]} nameOf={nameOf} describedBy={id} />}
    </div>
  );
}

/** True for the last 24 hours, whose times are told as words. */
const isFresh = (iso: string): boolean => Date.now() - Date.parse(iso) < 86_400_000;

/** The changes of the account, or of one record, newest first: who did what, and when. */
export function Changes({ kind, recordId }: { kind: RecordKind | null; recordId?: string }): ReactElement {
  const session = useSession();
  const { groups, hasOlder, fault, readOlder, again } = useChanges({
    kind,
    ...(recordId !== undefined && { recordId }),
  });
  const few = recordId === undefined ? (groups ?? []).filter(({ records }) => records.size <= MAX_NAMED) : [];
  const names = useNames(new Map(few.map(({ change, records }) => [change.id, [...records.keys()]])));
  const nameOf = useValueNames((groups ?? []).flatMap(({ records }) => [...records.values()]));
  const t = texts.history;
  const [newest] = groups ?? [];
  // Only its deletion can be taken back then.
  const isDeleted = recordId !== undefined && newest?.change.action === 'DELETED';
  return (
    <>
      <Unread fault={fault} again={again} isKept={groups !== null} />
      {groups?.length === 0 && <Empty title={t.none}>{t.keptFor}</Empty>}
      {groups && groups.length > 0 && (
        <ol className="history card">
          {groups.map((group) => (
            <li key={group.change.id}>
              <Deed
                {...{ group, names, nameOf }}
                isOfRecord={recordId !== undefined}
                isGone={isDeleted && group !== newest}
              />
              <p className="quiet">
                {byWhom(group.change, session)} ·{' '}
                <time dateTime={group.change.at} title={atMoment(group.change.at)}>
                  {isFresh(group.change.at) ? ago(group.change.at) : atNearMoment(group.change.at)}
                </time>
              </p>
            </li>
          ))}
        </ol>
      )}
      {groups && groups.length > 0 && !hasOlder && <p className="hint">{t.keptFor}</p>}
      {groups && hasOlder && (
        <div className="pager">
          <Button look="quiet" text={t.older} onClick={readOlder} />
        </div>
      )}
    </>
  );
}
