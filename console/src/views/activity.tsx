import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { allKinds } from '../data/bus.ts';
import { useRead } from '../data/read.ts';
import {
  ActivityDocument,
  ChangedRecordsDocument,
  type ChangedRecordsQuery,
  type RecordKind,
} from '../generated/documents.ts';
import { ago, atMoment, withoutScheme } from '../parts/format.ts';
import { Empty, FaultNotice, Skeleton } from '../parts/notice.tsx';
import { MorePages, RecordsHead } from '../parts/records.tsx';
import { texts } from '../texts.ts';

const fieldsIn = (fields: readonly string[]): string =>
  fields.map((field) => texts.history.fields[field] ?? field).join(', ');

/** The names of the records that are still there, by their global ids. */
function namesIn(data: ChangedRecordsQuery | undefined): ReadonlyMap<string, string> {
  const named = (data?.nodes ?? []).flatMap((record): [string, string][] => {
    if (record === null) return [];
    if ('shortUrl' in record) return [[record.nodeId, record.title ?? withoutScheme(record.shortUrl)]];
    if ('name' in record) return [[record.nodeId, record.name]];
    return 'receiver' in record ? [[record.nodeId, withoutScheme(record.receiver)]] : [];
  });
  return new Map(named);
}

/** The changes of the account, newest first. */
export function ActivityView(): ReactElement {
  const [before, setBefore] = useState<string | null>(null);
  const [kind, setKind] = useState<RecordKind | null>(null);
  const { data, fault, again } = useRead(ActivityDocument, { before, kind }, { on: allKinds });
  const changes = data?.changes.nodes.toReversed() ?? [];
  const nodeIds = [...new Set(changes.map(({ recordNodeId }) => recordNodeId))];
  const records = useRead(ChangedRecordsDocument, { nodeIds }, { pause: nodeIds.length === 0 });
  const names = namesIn(records.data);
  const t = texts.history;
  return (
    <>
      <RecordsHead title={texts.places.activity} lead={t.lead} />
      <div className="toolbar">
        <select
          className={kind === null ? 'filter' : 'filter set'}
          aria-label={t.kind}
          value={kind ?? ''}
          onChange={({ target: { value } }) => {
            setBefore(null);
            setKind(allKinds.find((one) => one === value) ?? null);
          }}
        >
          <option value="">{t.anyKind}</option>
          {allKinds.map((one) => (
            <option key={one} value={one}>
              {texts.recordKinds[one]}
            </option>
          ))}
        </select>
      </div>
      {fault && <FaultNotice fault={fault} again={again} />}
      {!data && !fault && <Skeleton />}
      {data && changes.length === 0 && <Empty title={t.none} />}
      {changes.length > 0 && (
        <ol className="history card">
          {changes.map((change) => (
            <li key={change.id}>
              <span className="quiet">{texts.recordKinds[change.kind] ?? change.kind}</span>
              <b>
                {change.kind === 'LINK' && names.has(change.recordNodeId) ? (
                  <Link href={`/links/${change.recordId}`}>{names.get(change.recordNodeId)}</Link>
                ) : (
                  (names.get(change.recordNodeId) ?? t.record(change.recordId))
                )}
              </b>
              <span>{(t.actions[change.action] ?? change.action).toLowerCase()}</span>
              <span className="fields quiet">{change.action === 'UPDATED' && fieldsIn(change.fields)}</span>
              <span className="quiet">{change.key ? t.byKey(change.key.prefix) : t.byOperator}</span>
              <time dateTime={change.at} title={atMoment(change.at)} className="quiet">
                {ago(change.at)}
              </time>
            </li>
          ))}
        </ol>
      )}
      {data && (
        <MorePages
          hasNext={data.changes.pageInfo.hasPreviousPage}
          isFirst={before === null}
          onFirst={() => setBefore(null)}
          onNext={() => setBefore(data.changes.pageInfo.startCursor)}
        />
      )}
    </>
  );
}
