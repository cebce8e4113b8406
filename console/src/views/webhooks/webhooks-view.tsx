import { type ReactElement, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { attempt } from '../../data/actions.ts';
import { announceKinds } from '../../data/bus.ts';
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
  type WebhooksQuery,
} from '../../generated/documents.ts';
import { Address } from '../../parts/address.tsx';
import { Confirm } from '../../parts/form-dialog.tsx';
import { type RecordFormProps, RecordsView } from '../../parts/records-view.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { Deliveries } from './deliveries.tsx';
import { describeAttempt, tellOutcome } from './outcome.ts';
import { events, type Secret, WebhookForm } from './webhook-form.tsx';

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
    announceKinds('WEBHOOK');
  });
}

async function sendTest(session: Session, webhook: WebhookRowFragment): Promise<void> {
  const { id } = webhook;
  const about = aboutRecord('WEBHOOK', id);
  await attempt(about, async () => {
    const { testWebhook: sent } = await write(session, TestWebhookDocument, { id });
    if (sent.__typename === 'WebhookDelivery') await tellOutcome(session, webhook, sent);
    else showToast(refusalText(sent), { wrong: true, about });
    announceKinds('WEBHOOK');
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

/** The webhooks of the account; their URLs are their names. */
const namedWebhooks = ({ webhooks }: WebhooksQuery) => ({
  ...webhooks,
  nodes: webhooks.nodes.map((one) => ({ ...one, name: one.url })),
});

export function WebhooksView(): ReactElement {
  const session = useSession();
  const [rotated, setRotated] = useState<WebhookRowFragment | null>(null);
  const [secret, setSecret] = useState<Secret | null>(null);
  const [tested, setTested] = useState<WebhookRowFragment | null>(null);
  // One component for as long as the view is there: it keeps what is typed.
  const [Form] = useState(() => (props: RecordFormProps<WebhookRowFragment>) => (
    <WebhookForm {...props} onSecret={setSecret} />
  ));
  const t = settingsTexts.webhooks;
  const testOf = ({ id }: WebhookRowFragment) => (tested?.id === id ? tested : null);
  const test = (webhook: WebhookRowFragment) => {
    setTested({ ...webhook });
    void sendTest(session, webhook);
  };
  return (
    <>
      <RecordsView
        kind="WEBHOOK"
        permission="WEBHOOKS"
        on={['LINK', 'SPACE', 'WEBHOOK']}
        title={texts.places.webhooks}
        words={{ ...t, edit: () => t.edit, deleteTitle: () => t.deleteTitle }}
        document={WebhooksDocument}
        pageOf={namedWebhooks}
        Form={Form}
        remove={async (id) => (await write(session, DeleteWebhookDocument, { id })).deleteWebhook}
        actionsOf={(webhook) => [
          {
            ...({ name: texts.links[webhook.disabled ? 'enable' : 'disable'], icon: 'power' } as const),
            run: () => void setDisabled(session, webhook, !webhook.disabled),
          },
          ...(webhook.disabled ? [] : [{ name: t.test, icon: 'check', run: () => test(webhook) } as const]),
          { name: t.rotate, icon: 'webhook', run: () => setRotated(webhook) },
        ]}
        more={(webhook) => (
          <div className="stack tall">
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
            <p className="quiet">{t.madeBy(makerName(webhook.createdBy), makerName(webhook.changedBy))}</p>
            {webhook.disabledReason !== null && (
              <p className="notice">{t.disabledFor[webhook.disabledReason] ?? webhook.disabledReason}</p>
            )}
            {webhook.warning !== null && (
              <p className="notice">{t.notPublic(new URL(webhook.url).hostname)}</p>
            )}
            <Deliveries webhook={webhook} test={testOf(webhook)} />
            {webhook.warning === null && (
              <LastFailure webhook={webhook} deliveries={webhook.deliveries.nodes} />
            )}
          </div>
        )}
      >
        {({ url, disabled }) => (
          <>
            <b className="grow name">
              <Address of={url} />
            </b>
            {disabled && <span className="badge warn">{texts.status.DISABLED}</span>}
          </>
        )}
      </RecordsView>
      {secret !== null && (
        <SecretDialog
          title={t.secret}
          warning={t.secretWarning}
          secret={secret.text}
          onClose={() => {
            setSecret(null);
            showToast(texts.saved(secret.webhook.url), { about: aboutRecord('WEBHOOK', secret.webhook.id) });
          }}
          wide
          action={
            !secret.webhook.disabled && (
              <Button look="quiet" text={t.test} onClick={() => test(secret.webhook)} />
            )
          }
        >
          {testOf(secret.webhook) && <Deliveries webhook={secret.webhook} test={testOf(secret.webhook)} />}
        </SecretDialog>
      )}
      {rotated && (
        <Confirm
          title={t.rotateTitle}
          action={t.rotate}
          onClose={() => setRotated(null)}
          onSubmit={async () => {
            const { rotateWebhookSecret: result } = await write(session, RotateSecretDocument, {
              id: rotated.id,
            });
            if (result.__typename === 'CreatedWebhook') {
              setTested(null);
              setSecret({ text: result.secret, webhook: result.webhook });
            }
            return result;
          }}
        >
          {t.rotateWarning}
        </Confirm>
      )}
    </>
  );
}
