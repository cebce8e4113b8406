import { type ReactElement, useState } from 'react';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import {
  CreateWebhookDocument,
  UpdateWebhookDocument,
  type WebhookEvent,
  type WebhookRowFragment,
} from '../../generated/documents.ts';
import { CheckField, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { RecordFormProps } from '../../parts/records-view.tsx';
import { useTexts } from '../../parts/tied.ts';
import { settingsTexts } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { withScheme } from '../../words/format.ts';
import { WebhookRequest } from './request.tsx';

const named = Object.keys(texts.webhookEvents) as WebhookEvent[]; // The texts have a name for every event.
/** The events to choose from: every webhook gets tests. */
export const events = named.filter((event) => event !== 'PING');
const eventKind = (event: WebhookEvent): string => event.replace(/_.*/, ''); // Each name begins with it.

/** Hosts that nothing is delivered to unless the operator allows it: the service knows more of them. */
const PRIVATE =
  /(^|\.)localhost$|^(10|127)(\.\d+){3}$|^(192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))(\.\d+){2}$|^\[(::1|f[cde].*)\]$/;

/** The secret of a webhook, which is shown once. */
export interface Secret {
  readonly text: string;
  readonly webhook: WebhookRowFragment;
}

export function WebhookForm({
  record: webhook,
  dialog,
  onSecret,
}: RecordFormProps<WebhookRowFragment> & { onSecret: (secret: Secret) => void }): ReactElement {
  const session = useSession();
  const [{ url }, tied] = useTexts({ url: webhook?.url ?? '' });
  const [chosen, setChosen] = useState<readonly WebhookEvent[]>(webhook?.events ?? events);
  const t = settingsTexts.webhooks;
  const address = withScheme(url);
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  const save = async () => {
    const input = { url: address, events: [...chosen] };
    if (webhook) {
      const { url: next, ...others } = input;
      const { updateWebhook } = await write(session, UpdateWebhookDocument, {
        id: webhook.id,
        // Another URL needs a recent sign-in.
        input: next === webhook.url ? others : input,
      });
      return updateWebhook;
    }
    const { createWebhook } = await write(session, CreateWebhookDocument, { input });
    if (createWebhook.__typename === 'CreatedWebhook')
      onSecret({ text: createWebhook.secret, webhook: createWebhook.webhook });
    return createWebhook;
  };
  return (
    <FormDialog
      {...dialog}
      wide
      shown={['url', 'events']}
      done={webhook ? texts.saved(address) : undefined}
      onSubmit={save}
    >
      {(errors) => (
        <>
          <TextField
            label={t.url}
            type="url"
            {...tied('url', errors)}
            hint={t.urlHint}
            warning={PRIVATE.test(host) ? t.notPublic(host) : null}
            placeholder="https://crm.example/hook"
            autoFocus
          />
          <fieldset className="events">
            <legend>{t.events}</legend>
            <CheckField
              label={t.allEvents}
              checked={chosen.length === events.length}
              onChecked={(on) => setChosen(on ? events : [])}
            />
            {[...new Set(events.map(eventKind))].map((kind) => (
              <fieldset key={kind} aria-label={texts.recordKinds[kind]}>
                {events
                  .filter((event) => eventKind(event) === kind)
                  .map((event) => (
                    <CheckField
                      key={event}
                      label={texts.webhookEvents[event]}
                      checked={chosen.includes(event)}
                      onChecked={(on) =>
                        setChosen(events.filter((one) => (one === event ? on : chosen.includes(one))))
                      }
                    />
                  ))}
              </fieldset>
            ))}
            {errors.events && <p className="error">{errors.events}</p>}
          </fieldset>
          <details>
            <summary>{t.receives}</summary>
            <p className="hint">{t.receivesHint}</p>
            <WebhookRequest url={url} />
          </details>
        </>
      )}
    </FormDialog>
  );
}
