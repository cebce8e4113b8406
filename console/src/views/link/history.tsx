import { type ReactElement, useState } from 'react';
import { useRead } from '../../data/read.ts';
import { LinkHistoryDocument } from '../../generated/documents.ts';
import { ago, atMoment } from '../../parts/format.ts';
import { Empty, FaultNotice, Skeleton } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';

/** What was changed, by whom and when. */
export function History({ id }: { id: string }): ReactElement {
  const [after, setAfter] = useState<string | null>(null);
  const { data, fault, again } = useRead(
    LinkHistoryDocument,
    { id, after },
    { on: ({ recordId }) => recordId === null || recordId === id },
  );
  if (fault && !data) return <FaultNotice fault={fault} again={again} />;
  if (!data) return <Skeleton rows={4} />;
  const { nodes = [], pageInfo } = data.link?.history ?? {};
  const t = texts.history;
  if (nodes.length === 0) return <Empty title={t.none} />;
  return (
    <>
      <ol className="history card">
        {nodes.map(({ id: change, at, action, fields, key }) => (
          <li key={change}>
            <b>{t.actions[action] ?? action}</b>
            <span className="fields">
              {action === 'UPDATED' && fields.map((field) => t.fields[field] ?? field).join(', ')}
            </span>
            <span className="quiet">{key ? t.byKey(key.prefix) : t.byOperator}</span>
            <time dateTime={at} title={atMoment(at)} className="quiet">
              {ago(at)}
            </time>
          </li>
        ))}
      </ol>
      {(pageInfo?.hasNextPage || after !== null) && (
        <nav className="pager" aria-label={texts.pages.all}>
          <button
            type="button"
            className="button quiet"
            disabled={after === null}
            onClick={() => setAfter(null)}
          >
            {t.newest}
          </button>
          <button
            type="button"
            className="button quiet"
            disabled={!pageInfo?.hasNextPage}
            onClick={() => setAfter(pageInfo?.endCursor ?? null)}
          >
            {t.older}
          </button>
        </nav>
      )}
    </>
  );
}
