import { type ReactElement, useEffect, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { attempt } from '../../data/actions.ts';
import { refusalText } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { aboutRecord, showToast } from '../../data/toasts.ts';
import { write } from '../../data/write.ts';
import { DeliveriesDocument, RedeliverDocument, type WebhookRowFragment } from '../../generated/documents.ts';
import { Unread } from '../../parts/notice.tsx';
import { usePages } from '../../parts/pages.tsx';
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
  const { nodes, turns, fault, again } = usePages(
    { document: DeliveriesDocument, pageOf: ({ webhook }) => webhook?.deliveries },
    (after) => ({ id, after }),
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
  if (!nodes) return <Unread fault={fault} again={again} rows={2} />;
  if (nodes.length === 0) return <p className="hint">{t.noDeliveries}</p>;
  const ping = isTested && nodes.find(({ event }) => event === 'PING');
  return (
    <>
      {ping && <WebhookRequest url={webhook.url} test={{ id, at: ping.createdAt }} />}
      <ul className="deliveries">
        {nodes.map((one) => (
          <li key={one.id} className="flow">
            <span
              className={
                one.status === 'FAILED' ? 'badge bad' : one.status === 'PENDING' ? 'badge warn' : 'badge ok'
              }
            >
              {texts.deliveryStatus[one.status] ?? one.status}
            </span>
            <b>{texts.webhookEvents[one.event] ?? one.event}</b>
            <span className="quiet fields" aria-live="polite">
              {describeAttempt(one, webhook)}
            </span>
            <time dateTime={one.createdAt} title={atMoment(one.createdAt)} className="quiet">
              {ago(one.createdAt)}
            </time>
            {session.may('WEBHOOKS') && !disabled && (
              <Button look="text" text={t.redeliver} onClick={() => redeliver(one.id)} />
            )}
          </li>
        ))}
      </ul>
      <div className="buttons">
        <Button look="text" text={t.refresh} onClick={again} />
      </div>
      {turns}
    </>
  );
}
