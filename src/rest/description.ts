import { readFileSync } from 'node:fs';
import { type EventKind, messageTypeOf, type WebhookEvent, webhookEvents } from '../domain/webhook/events.ts';
import type { JsonSchema } from '../engine/rest/form/field.ts';
import { JSON_TYPE } from '../engine/rest/form/form.ts';
import { type Description, describeApi, ref } from '../engine/rest/openapi/openapi.ts';
import { integerType, object, textType, timestamp } from '../engine/rest/record.ts';
import { shownCountLimit } from '../engine/rules/input.ts';
import { keysOf } from '../engine/tools/keys-of.ts';
import { builtFile } from '../engine/tools/own-files.ts';
import { linkAnswer } from './link-answer.ts';
import { routes } from './routes.ts';
import { spaceAnswer } from './spaces.ts';

const tags: Readonly<Record<string, string>> = {
  spaces: 'Spaces group links.',
  links: 'Short links.',
  stats: 'Statistics of links.',
  webhooks: 'Messages that the service sends to your URLs.',
};

const about = `
The REST API for spaces and links. To try an operation here, press Authorize and paste an API key. Only this page keeps the key.

Answers are JSON whose \`status\` equals the HTTP status. Text is trimmed. An empty value counts as absent in a \
query and when a record is created; in an update, it
clears a field that can be cleared, and an absent field does not change. Unknown fields are ignored.
`.trim();

/** Real answers of the server, by operation (or `any`) and status; a test writes them, and keeps them up to date. */
const examples: Description['examples'] = JSON.parse(
  readFileSync(builtFile('rest/openapi/examples.json'), 'utf8'),
);

const schemas: Record<string, JsonSchema> = {
  Space: spaceAnswer.schema,
  Link: linkAnswer.schema,
  Tag: spaceAnswer.schema,
  DeletedRecord: object({ id: integerType }),
  Count: object({
    value: { ...textType, description: 'Empty if it is not known.' },
    count: { ...integerType, description: shownCountLimit },
  }),
};

/** The headers of each message to a webhook. */
const messageHeaders = {
  'webhook-id': 'The id of the message, the same on every attempt.',
  'webhook-timestamp': 'The time of the attempt, in seconds.',
  'webhook-signature':
    '`v1,` and the HMAC-SHA256 of id, timestamp and body, in base64; two of them after a new secret.',
};

/** The records in messages, by the kind in the name of an event. */
const records: Readonly<Record<EventKind, string>> = { LINK: 'Link', SPACE: 'Space', TAG: 'Tag' };

/** The data of a message. A record that is deleted before its message is sent has only its id. */
function messageData(event: WebhookEvent): JsonSchema {
  const deleted = ref('DeletedRecord');
  const [kind, action] = event.split('_');
  const record = Object.entries(records).find(([name]) => name === kind)?.[1];
  if (record === undefined) return { ...deleted, description: 'The id of the webhook.' };
  if (action === 'DELETED') return { ...deleted, description: 'The id of the deleted record.' };
  const description = 'The record when the message is sent, or only its id if it is deleted by then.';
  return { anyOf: [ref(record), deleted], description };
}

/** A message to a webhook, as an operation of the receiver. */
function describeMessage(event: WebhookEvent): object {
  const type = messageTypeOf(event);
  const body = object({
    type: { type: 'string', const: type, description: 'The event.' },
    timestamp: { ...timestamp, description: 'The time of the change.' },
    data: messageData(event),
  });
  return {
    operationId: `on${type.replaceAll(/(?:^|\.)\w/g, (letters) => letters.slice(-1).toUpperCase())}`,
    summary: type,
    description: webhookEvents[event],
    tags: ['webhooks'],
    // The signature tells who sends it.
    security: [],
    parameters: Object.entries(messageHeaders).map(([name, about]) => ({
      ...{ name, in: 'header', required: true, description: about, schema: textType },
    })),
    requestBody: { required: true, content: { [JSON_TYPE]: { schema: body } } },
    responses: { '2XX': { description: 'The message was received; anything else is sent again later.' } },
  };
}

/** The OpenAPI 3.1 document of v1. */
export function openApi(): object {
  return describeApi(routes, {
    ...{ title: 'Linkspace v1', about, url: '/api/v1', tags, schemas, examples },
    aboutKeys: 'An API key, created by `npm run keys -- create`.',
    webhooks: Object.fromEntries(
      keysOf(webhookEvents).map((event) => [messageTypeOf(event), { post: describeMessage(event) }]),
    ),
  });
}
