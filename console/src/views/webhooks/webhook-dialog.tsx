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
import { withScheme } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

const named = Object.keys(texts.webhookEvents) as WebhookEvent[]; // The texts have a name for every event.
/** Those to choose from: each webhook gets tests. */
const events = named.filter((event) => event !== 'PING');

export function WebhookDialog({
  webhook,
  onClose,
  onSecret,
  onChanged,
}: {
  webhook: WebhookRowFragment | null;
  onClose: () => void;
  onSecret: (secret: string) => void;
  onChanged: () => void;
}): ReactElement {
  const session = useSession();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [chosen, setChosen] = useState<readonly WebhookEvent[]>(webhook?.events ?? events);
  const t = texts.webhooks;
  const save = async () => {
    const input = { url: withScheme(url), events: [...chosen] };
    if (webhook) {
      const { updateWebhook } = await write(session, UpdateWebhookDocument, { id: webhook.id, input });
      onChanged();
      return updateWebhook;
    }
    const { createWebhook } = await write(session, CreateWebhookDocument, { input });
    if (createWebhook.__typename === 'CreatedWebhook') onSecret(createWebhook.secret);
    onChanged();
    return createWebhook;
  };
  return (
    <FormDialog
      title={webhook ? t.edit : t.create}
      shown={['url', 'events']}
      done={webhook ? texts.link.saved : undefined}
      onClose={onClose}
      onSubmit={save}
    >
      {(errors) => (
        <>
          <TextField label={t.url} type="url" value={url} onText={setUrl} error={errors.url} autoFocus />
          <fieldset className="events">
            <legend>{t.events}</legend>
            {events.map((event) => (
              <CheckField
                key={event}
                label={texts.webhookEvents[event]}
                checked={chosen.includes(event)}
                onChecked={(on) =>
                  setChosen(events.filter((one) => (one === event ? on : chosen.includes(one))))
                }
              />
            ))}
            {errors.events && <p className="error">{errors.events}</p>}
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}
