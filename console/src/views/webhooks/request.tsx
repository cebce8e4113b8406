import type { ReactElement } from 'react';
import { CopyBox } from '../../parts/copy.tsx';
import { settingsTexts } from '../../settings-texts.ts';
import { withScheme } from '../../words/format.ts';

/** The time and the data of the example. */
const EXAMPLE = '2026-11-20T19:24:00.000Z';
const LINK = { id: 9, url: 'https://example.com/', title: 'New' };

/** A request as a receiver gets it, without its secret signature: an example, or a test of a webhook. */
export function WebhookRequest({
  url,
  test,
}: {
  url: string;
  /** The test; absent for an example of a change. */
  test?: { readonly id: string; readonly at: string };
}): ReactElement {
  const address = withScheme(url);
  const { host, pathname, search } = new URL(URL.canParse(address) ? address : 'https://crm.example/hook');
  const at = test?.at ?? EXAMPLE;
  const body = JSON.stringify(
    test
      ? { type: 'ping', timestamp: at, data: { id: Number(test.id) } }
      : { type: 'link.updated', timestamp: at, data: LINK },
  );
  const text = [
    `POST ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json; charset=utf-8',
    'webhook-id: msg_…',
    `webhook-timestamp: ${Math.floor(Date.parse(at) / 1_000)}`,
    'webhook-signature: v1,…',
    '',
    body,
  ].join('\n');
  const t = settingsTexts.webhooks;
  return (
    <div className="request">
      {test && <p className="quiet">{t.tested}</p>}
      <CopyBox text={text} />
    </div>
  );
}
