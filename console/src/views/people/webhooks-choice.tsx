import { type ReactElement, useEffect, useEffectEvent, useState } from 'react';
import { useAfterOutage, useRetry } from '../../data/away.ts';
import { type Fault, toFault } from '../../data/faults.ts';
import { readNow } from '../../data/read.ts';
import { faultText } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import {
  type WebhookMakerFragment,
  WebhookMakersDocument,
  type WebhookMakersQuery,
} from '../../generated/documents.ts';
import { CheckField } from '../../parts/field.tsx';
import { settingsTexts } from '../../settings-texts.ts';

type Webhook = WebhookMakersQuery['webhooks']['nodes'][number];

/** True for a person, and for a key that the person made. */
export const isOfUser =
  (userId: string) =>
  (maker: WebhookMakerFragment): boolean =>
    maker.__typename === 'User' ? maker.id === userId : maker.maker?.id === userId;

/** True for a key. */
export const isKey =
  (keyId: string) =>
  (maker: WebhookMakerFragment): boolean =>
    maker.__typename === 'ApiKey' && maker.id === keyId;

/** The webhooks that go on without their maker, and whether they are disabled with them. */
export interface WebhooksChoice {
  readonly isKnown: boolean;
  readonly disables: boolean;
  readonly field: ReactElement | null;
}

/** Finds the webhooks of a maker, and asks whether to disable them. */
export function useWebhooksChoice(isMaker: (maker: WebhookMakerFragment) => boolean): WebhooksChoice {
  const session = useSession();
  const mayDisable = session.may('WEBHOOKS');
  const [webhooks, setWebhooks] = useState<readonly Webhook[] | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [isWanted, setWanted] = useState(true);
  const find = () => {
    readNow(session.client, WebhookMakersDocument, {}).then(({ data, error }) => {
      setFault(error ? toFault(error) : null);
      const isOne = ({ disabled, createdBy, changedBy }: Webhook) =>
        !disabled && [createdBy, changedBy].some((maker) => maker !== null && isMaker(maker));
      setWebhooks(data?.webhooks.nodes.filter(isOne) ?? null);
    });
  };
  const findFirst = useEffectEvent(find);
  useEffect(() => findFirst(), []);
  useAfterOutage(() => fault && find());
  useRetry(fault, find);
  const t = settingsTexts.people;
  if (fault) return { isKnown: false, disables: false, field: <p className="error">{faultText(fault)}</p> };
  if (webhooks === null) return { isKnown: false, disables: false, field: null };
  if (webhooks.length === 0) return { isKnown: true, disables: false, field: null };
  return {
    isKnown: true,
    disables: mayDisable && isWanted,
    field: (
      <>
        <p>{t.webhooksStay(webhooks.length)}</p>
        <ul className="stopping">
          {webhooks.map(({ id, url }) => (
            <li key={id}>
              <b>{url}</b>
            </li>
          ))}
        </ul>
        {mayDisable && <CheckField label={t.disableWebhooks} checked={isWanted} onChecked={setWanted} />}
      </>
    ),
  };
}
