import { type ReactElement, useEffect, useState } from 'react';
import { attempt } from '../../data/actions.ts';
import { useRead } from '../../data/read.ts';
import { refusalText } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { aboutRecord, showToast } from '../../data/toasts.ts';
import { write } from '../../data/write.ts';
import { DeliveriesDocument, RedeliverDocument, type WebhookRowFragment } from '../../generated/documents.ts';
import { FaultNotice } from '../../parts/notice.tsx';
import { MorePages } from '../../parts/records.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { ago, atMoment } from '../../words/format.ts';
import { describeAttempt, tellOutcome } from './outcome.ts';
import { WebhookRequest } from './request.tsx';

/**
 * The deliveries of a webhook, shown on request or after a test.
 * @param props.test another object for each test; null before one
 */
export function Deliveries(props: { webhook: WebhookRowFragment; test: object | null }): ReactElement {
  const { webhook, test } = props;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (test) setOpen(true);
  }, [test]);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{settingsTexts.webhooks.deliveries}</summary>
      {isOpen && <List webhook={webhook} isTested={test !== null} />}
    </details>
  );
}

function List({
  webhook,
  isTested,
}: {
  webhook: WebhookRowFragment;
  /** True to show the newest test as it is sent. */
  isTested: boolean;
}): ReactElement | null {
  const { id, disabled } = webhook;
  const session = useSession();
  const [after, setAfter] = useState<string | null>(null);
  const { data, fault, again } = useRead(
    DeliveriesDocument,
    { id, after },
    { on: ['LINK', 'SPACE', 'WEBHOOK'] },
  );
  const t = settingsTexts.webhooks;
  const about = aboutRecord('WEBHOOK', id);
  const redeliver = (deliveryId: string) =>
    attempt(about, async () => {
      const { redeliver: sent } = await write(session, RedeliverDocument, { id: deliveryId });
      if (sent.__typename === 'WebhookDelivery') await tellOutcome(session, webhook, sent);
      else showToast(refusalText(sent), { wrong: true, about });
    });
  if (fault && !data) return <FaultNotice fault={fault} again={again} />;
  const { nodes = [], pageInfo } = data?.webhook?.deliveries ?? {};
  if (!data) return null;
  if (nodes.length === 0) return <p className="hint">{t.noDeliveries}</p>;
  const ping = isTested && nodes.find(({ event }) => event === 'PING');
  return (
    <>
      {ping && <WebhookRequest url={webhook.url} test={{ id, at: ping.createdAt }} />}
      <ul className="deliveries">
        {nodes.map((one) => (
          <li key={one.id}>
            <span
              className={
                one.status === 'FAILED' ? 'badge bad' : one.status === 'PENDING' ? 'badge warn' : 'badge ok'
              }
            >
              {texts.deliveryStatus[one.status] ?? one.status}
            </span>
            <b>{texts.webhookEvents[one.event] ?? one.event}</b>
            <span className="quiet fields">{describeAttempt(one, webhook)}</span>
            <time dateTime={one.createdAt} title={atMoment(one.createdAt)} className="quiet">
              {ago(one.createdAt)}
            </time>
            {session.may('WEBHOOKS') && !disabled && (
              <button type="button" className="button text" onClick={() => redeliver(one.id)}>
                {t.redeliver}
              </button>
            )}
          </li>
        ))}
      </ul>
      <div className="buttons">
        <button type="button" className="button text" onClick={again}>
          {t.refresh}
        </button>
      </div>
      <MorePages
        hasNext={pageInfo?.hasNextPage ?? false}
        isFirst={after === null}
        onFirst={() => setAfter(null)}
        onNext={() => setAfter(pageInfo?.endCursor ?? null)}
      />
    </>
  );
}
