import { type ReactElement, useState } from 'react';
import { Menu } from '../../controls/menu.tsx';
import { attempt } from '../../data/actions.ts';
import { announce } from '../../data/bus.ts';
import { useRead } from '../../data/read.ts';
import { refusalText } from '../../data/refusals.ts';
import { type Session, useSession } from '../../data/session.ts';
import { aboutRecord, showToast } from '../../data/toasts.ts';
import { write } from '../../data/write.ts';
import {
  DeleteWebhookDocument,
  type DeliveryRowFragment,
  RotateSecretDocument,
  TestWebhookDocument,
  UpdateWebhookDocument,
  type WebhookMakerFragment,
  type WebhookRowFragment,
  WebhooksDocument,
} from '../../generated/documents.ts';
import { Address } from '../../parts/address.tsx';
import { Confirm } from '../../parts/form-dialog.tsx';
import { Empty, FaultNotice, Skeleton } from '../../parts/notice.tsx';
import { Records, RecordsHead } from '../../parts/records.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { Deliveries } from './deliveries.tsx';
import { describeAttempt, tellOutcome } from './outcome.ts';
import { events, WebhookDialog } from './webhook-dialog.tsx';

const changed = () => announce([{ kind: 'WEBHOOK', recordId: null, action: null }]);

async function setDisabled(
  session: Session,
  { id, url }: WebhookRowFragment,
  disabled: boolean,
): Promise<void> {
  const about = aboutRecord('WEBHOOK', id);
  await attempt(about, async () => {
    const { updateWebhook: result } = await write(session, UpdateWebhookDocument, {
      id,
      input: { disabled },
    });
    if (result.__typename === 'Webhook') showToast(texts.saved(url), { about });
    else showToast(refusalText(result), { wrong: true, about });
    changed();
  });
}

async function sendTest(session: Session, webhook: WebhookRowFragment): Promise<void> {
  const { id } = webhook;
  const about = aboutRecord('WEBHOOK', id);
  await attempt(about, async () => {
    const { testWebhook: sent } = await write(session, TestWebhookDocument, { id });
    if (sent.__typename === 'WebhookDelivery') await tellOutcome(session, webhook, sent);
    else showToast(refusalText(sent), { wrong: true, about });
    changed();
  });
}

/** The name of a webhook's maker; null if unknown. */
function makerName(maker: WebhookMakerFragment | null): string | null {
  return maker && (maker.name || (maker.__typename === 'ApiKey' ? `${maker.prefix}…` : null));
}

/** The reason why the newest delivery has not arrived, if it was tried. */
function LastFailure(props: {
  webhook: WebhookRowFragment;
  deliveries: readonly DeliveryRowFragment[];
}): ReactElement | null {
  const [newest] = props.deliveries;
  if (!newest || newest.error === null || newest.status === 'DELIVERED') return null;
  return (
    <p className="notice wrong">
      {settingsTexts.webhooks.notDelivered(describeAttempt(newest, props.webhook))}
    </p>
  );
}

export function WebhooksView(): ReactElement {
  const session = useSession();
  const mayChange = session.may('WEBHOOKS');
  const [edited, setEdited] = useState<WebhookRowFragment | 'new' | null>(null);
  const [deleted, setDeleted] = useState<WebhookRowFragment | null>(null);
  const [rotated, setRotated] = useState<WebhookRowFragment | null>(null);
  const [secret, setSecret] = useState<{ text: string; webhook: WebhookRowFragment } | null>(null);
  const [tested, setTested] = useState<WebhookRowFragment | null>(null);
  const { data, fault, again } = useRead(WebhooksDocument, {}, { on: ['LINK', 'SPACE', 'WEBHOOK'] });
  const t = settingsTexts.webhooks;
  const test = (webhook: WebhookRowFragment) => {
    setTested({ ...webhook });
    void sendTest(session, webhook);
  };
  const isEmpty = data?.webhooks.nodes.length === 0;
  return (
    <>
      <RecordsHead
        title={texts.places.webhooks}
        lead={t.lead}
        create={mayChange && !isEmpty ? t.create : undefined}
        onCreate={() => setEdited('new')}
      />
      {fault && <FaultNotice fault={fault} again={again} />}
      {!data && !fault && <Skeleton rows={3} />}
      {isEmpty && (
        <Empty title={t.none} create={mayChange ? t.create : undefined} onCreate={() => setEdited('new')}>
          {t.noneYet}
        </Empty>
      )}
      {data && data.webhooks.nodes.length > 0 && (
        <Records>
          {data.webhooks.nodes.map((webhook) => (
            <li key={webhook.id} className="tall">
              <div className="line">
                <b className="grow name">
                  <Address of={webhook.url} />
                </b>
                {webhook.disabled && <span className="badge warn">{texts.status.DISABLED}</span>}
                {mayChange && (
                  <Menu
                    label={texts.links.actionsOf(webhook.url)}
                    items={[
                      { name: texts.links.edit, icon: 'edit', run: () => setEdited(webhook) },
                      {
                        name: webhook.disabled ? texts.links.enable : texts.links.disable,
                        icon: 'power',
                        run: () => void setDisabled(session, webhook, !webhook.disabled),
                      },
                      ...(webhook.disabled
                        ? []
                        : [
                            {
                              name: t.test,
                              icon: 'check' as const,
                              run: () => test(webhook),
                            },
                          ]),
                      { name: t.rotate, icon: 'webhook', run: () => setRotated(webhook) },
                      { name: texts.delete, icon: 'trash', danger: true, run: () => setDeleted(webhook) },
                    ]}
                  />
                )}
              </div>
              <p className="marks">
                {(events.every((event) => webhook.events.includes(event))
                  ? [t.allEvents]
                  : webhook.events.map((event) => texts.webhookEvents[event] ?? event)
                ).map((name) => (
                  <span key={name} className="badge">
                    {name}
                  </span>
                ))}
              </p>
              <p className="more quiet">
                {t.madeBy(makerName(webhook.createdBy), makerName(webhook.changedBy))}
              </p>
              {webhook.disabledReason !== null && (
                <p className="notice">{t.disabledFor[webhook.disabledReason] ?? webhook.disabledReason}</p>
              )}
              {webhook.warning !== null && (
                <p className="notice">{t.notPublic(new URL(webhook.url).hostname)}</p>
              )}
              <LastFailure webhook={webhook} deliveries={webhook.deliveries.nodes} />
              <Deliveries webhook={webhook} test={tested?.id === webhook.id ? tested : null} />
            </li>
          ))}
        </Records>
      )}
      {edited && (
        <WebhookDialog
          webhook={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onSecret={setSecret}
          onChanged={changed}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={t.secret}
          warning={t.secretWarning}
          secret={secret.text}
          onClose={() => {
            setSecret(null);
            showToast(texts.saved(secret.webhook.url), {
              about: aboutRecord('WEBHOOK', secret.webhook.id),
              action: { name: t.test, run: () => test(secret.webhook) },
            });
          }}
        />
      )}
      {rotated && (
        <Confirm
          title={t.rotateTitle}
          action={t.rotate}
          onClose={() => setRotated(null)}
          onYes={async () => {
            const { rotateWebhookSecret: result } = await write(session, RotateSecretDocument, {
              id: rotated.id,
            });
            if (result.__typename === 'CreatedWebhook')
              setSecret({ text: result.secret, webhook: result.webhook });
            return result;
          }}
        >
          {t.rotateWarning}
        </Confirm>
      )}
      {deleted && (
        <Confirm
          title={t.deleteTitle}
          done={texts.deleted(deleted.url)}
          onClose={() => setDeleted(null)}
          onYes={async () => {
            const { deleteWebhook } = await write(session, DeleteWebhookDocument, { id: deleted.id });
            changed();
            return deleteWebhook;
          }}
        >
          {t.deleteWarning(deleted.url)}
        </Confirm>
      )}
    </>
  );
}
