import { Fragment, type ReactElement, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { type ChangeGroup, isOwn, useChanges } from '../data/changes.ts';
import { MAX_RECORDS, useNames } from '../data/record-names.ts';
import { type Session, useSession } from '../data/session.ts';
import type { ChangeRowFragment, RecordKind } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { ago, atMoment } from '../words/format.ts';
import { Empty, FaultNotice, Skeleton } from './notice.tsx';

/** The most records of one line that are named at once; a button lists the others. */
const MAX_NAMED = 3;

/** The action, such as “changed: title, space”. */
function describeChange({ change: { action, kind, fields } }: ChangeGroup): string {
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

/** Many records, listed once they are opened; deleted ones have no names. */
function Several({ group }: { group: ChangeGroup }): ReactElement {
  const { change, records } = group;
  const { kind } = change;
  const [isOpen, setOpen] = useState(false);
  const shown = [...records].slice(0, MAX_RECORDS);
  const names = useNames(new Map(isOpen ? [[change.id, shown.map(([nodeId]) => nodeId)]] : []));
  const t = texts.history;
  const kindName = texts.recordKinds[kind] ?? kind;
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>
        <b>{t.several(records.size, kind)}</b>
        {t.joint}
        {describeChange(group)}
      </summary>
      <ul>
        {shown.map(([nodeId, id]) => {
          const name = names.get(nodeId);
          if (name === undefined) return null;
          if (name === null) return <li key={id}>{t.gone(kindName, id)}</li>;
          return (
            <li key={id}>
              <bdi>{kind === 'LINK' ? <Link href={`/links/${id}`}>{name}</Link> : name}</bdi>
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
}: {
  group: ChangeGroup;
  names: ReadonlyMap<string, string | null>;
}): ReactElement {
  const { kind } = change;
  const t = texts.history;
  if (records.size > MAX_NAMED) return <b>{t.several(records.size, kind)}</b>;
  const named = [...records].flatMap(([nodeId, id]) => {
    const name = names.get(nodeId);
    return name == null ? [] : [{ id, name }];
  });
  // Deleted records have no names.
  if (named.length < records.size)
    return <b>{records.size === 1 ? (texts.recordKinds[kind] ?? kind) : t.several(records.size, kind)}</b>;
  return (
    <>
      {(records.size === 1 ? texts.recordKinds : t.kinds)[kind] ?? kind}{' '}
      {named.map(({ id, name }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <b>
            <bdi>{kind === 'LINK' ? <Link href={`/links/${id}`}>{name}</Link> : name}</bdi>
          </b>
        </Fragment>
      ))}
    </>
  );
}

/** The changes of the account, or of one record, newest first: who did what, and when. */
export function Changes({
  kind,
  recordId,
  more,
}: {
  kind: RecordKind | null;
  recordId?: string;
  /** More details of a change. */
  more?: (change: ChangeRowFragment) => ReactNode;
}): ReactElement {
  const session = useSession();
  const { groups, hasOlder, fault, readOlder, again } = useChanges({
    kind,
    ...(recordId !== undefined && { recordId }),
  });
  const few = recordId === undefined ? (groups ?? []).filter(({ records }) => records.size <= MAX_NAMED) : [];
  const names = useNames(new Map(few.map(({ change, records }) => [change.id, [...records.keys()]])));
  const t = texts.history;
  return (
    <>
      {fault && <FaultNotice fault={fault} again={again} />}
      {!groups && !fault && <Skeleton rows={4} />}
      {groups?.length === 0 && <Empty title={t.none}>{t.keptFor}</Empty>}
      {groups && groups.length > 0 && (
        <ol className="history card">
          {groups.map((group) => (
            <li key={group.change.id}>
              <div className="deed">
                {group.records.size > MAX_NAMED && group.change.action !== 'DELETED' ? (
                  <Several group={group} />
                ) : (
                  <>
                    {recordId === undefined && (
                      <>
                        <Subject group={group} names={names} />
                        {t.joint}
                      </>
                    )}
                    {describeChange(group)}
                    {more?.(group.change)}
                  </>
                )}
              </div>
              <p className="quiet">
                {byWhom(group.change, session)} ·{' '}
                <time dateTime={group.change.at}>
                  {ago(group.change.at)}, {atMoment(group.change.at)}
                </time>
              </p>
            </li>
          ))}
        </ol>
      )}
      {groups && groups.length > 0 && !hasOlder && <p className="hint">{t.keptFor}</p>}
      {groups && hasOlder && (
        <div className="pager">
          <button type="button" className="button quiet" onClick={readOlder}>
            {t.older}
          </button>
        </div>
      )}
    </>
  );
}
