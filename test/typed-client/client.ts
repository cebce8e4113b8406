import createClient from 'openapi-fetch';
import type { components, paths, webhooks } from './build/v1.js';

type Link = components['schemas']['Link'];

/** Fails with v1's message where an answer has no data. */
function required<Data>({ data, error }: { data?: Data; error?: { message: string } }): Data {
  if (data === undefined) throw new Error(error?.message ?? 'no answer');
  return data;
}

/** Uses v1 as a program would: each step needs its types as they are, without a cast. */
export async function useV1(origin: string, key: string): Promise<string[]> {
  const client = createClient<paths>({
    baseUrl: `${origin}/api/v1`,
    headers: { Authorization: `Bearer ${key}` },
  });
  const steps: string[] = [];

  // Store: the optional fields may be left out, or have no value.
  const space = required(await client.POST('/spaces', { body: { name: 'Launch' } })).data;
  const plain = required(await client.POST('/links', { body: { url: 'https://example.com/plain' } })).data;
  const none = { title: null, space_id: null, pixel_ids: [], expiration_date: null, expiration_clicks: null };
  const empty = required(
    await client.POST('/links', { body: { url: 'https://example.com/empty', ...none } }),
  );
  const link = required(
    await client.POST('/links', {
      body: {
        url: 'https://example.com/',
        alias: 'typed',
        title: 'Typed',
        password: 'a good one',
        space_id: space.id,
        disabled: 0,
        privacy: 1,
        expiration_url: 'https://example.com/over',
        expiration_date: '2099-12-31',
        expiration_time: '23:59',
        expiration_clicks: 100,
        target_type: 2,
        country: [{ key: 'DE', value: 'https://example.com/de' }],
        platform: [{ key: 'OS X', value: 'https://example.com/mac' }],
        rotation: [{ value: 'https://example.com/turn' }],
      },
      params: { header: { 'Idempotency-Key': 'typed once' } },
    }),
  ).data;
  steps.push(
    `stored ${link.alias} in ${link.space?.name}, ${plain.title ?? 'untitled'}, ${empty.data.id > 0}`,
  );

  // List: an answer is an object, and no text.
  const list = required(
    await client.GET('/links', {
      params: { query: { status: 1, per_page: 25, sort_by: 'url', sort: 'asc' } },
    }),
  );
  const urls: string[] = list.data.map(({ url }) => url);
  const next: string | null = list.links.next;
  steps.push(`listed ${urls.length} of ${list.meta.total}, next ${next}`);
  const spaces = required(await client.GET('/spaces', { params: { query: { search: 'Lau' } } }));
  steps.push(`listed ${spaces.data.map(({ name }) => name).join()}`);

  // Update: what was read can be sent back.
  const params = { path: { id: link.id } };
  const shown: Link = required(await client.GET('/links/{id}', { params })).data;
  required(await client.PATCH('/links/{id}', { params, body: shown }));
  const updated = required(
    await client.PUT('/links/{id}', { params, body: { ...shown, title: 'Anew' } }),
  ).data;
  steps.push(`updated ${updated.title}, ${updated.expiration_date} ${updated.expiration_time}`);

  // Clear, by null and by an empty text.
  const cleared = required(
    await client.PATCH('/links/{id}', {
      params,
      body: {
        ...{
          title: null,
          password: null,
          space_id: null,
          pixel_ids: null,
          tag_ids: [],
          privacy_password: null,
        },
        ...{ expiration_url: null, expiration_date: null, expiration_clicks: null, target_type: 0 },
        ...{ country: [], platform: null, language: null, rotation: [] },
      },
    }),
  ).data;
  const { title, space_id, expiration_date, expiration_clicks, has_password } = cleared;
  steps.push(`cleared ${[title, space_id, expiration_date, expiration_clicks, has_password]}`);
  required(
    await client.PATCH('/links/{id}', {
      params,
      body: {
        title: '',
        space_id: '',
        expiration_date: '',
        expiration_time: '',
        expiration_clicks: '',
        rotation: '',
      },
    }),
  );
  const renamed = required(
    await client.PATCH('/spaces/{id}', { params: { path: { id: space.id } }, body: { name: 'Landed' } }),
  );
  steps.push(`renamed ${renamed.data.name}`);

  // A refusal says which fields are wrong.
  const refused = await client.POST('/links', { body: { url: 'nowhere' } });
  if (refused.error && 'errors' in refused.error) steps.push(`refused ${refused.error.errors.url?.join()}`);

  const stats = required(
    await client.GET('/stats/{id}', { params: { ...params, query: { name: 'country' } } }),
  );
  steps.push(`counted ${stats.data.reduce((sum, { count }) => sum + count, 0)}`);

  const gone = required(await client.DELETE('/links/{id}', { params }));
  steps.push(`deleted ${gone.object} ${gone.deleted}`);
  return steps;
}

type Message = {
  [Event in keyof webhooks]: webhooks[Event] extends {
    post: { requestBody: { content: { 'application/json': infer Payload } } };
  }
    ? Payload
    : never;
}[keyof webhooks];

/** Says what a webhook tells; each kind of message has its own data. */
export function tell(message: Message): string {
  switch (message.type) {
    case 'link.created':
    case 'link.updated':
      // A record that was deleted meanwhile has only its id.
      return `${message.type} ${'alias' in message.data ? message.data.alias : message.data.id}`;
    case 'space.created':
    case 'space.updated':
    case 'tag.created':
    case 'tag.updated':
      return `${message.type} ${'name' in message.data ? message.data.name : message.data.id}`;
    case 'link.deleted':
    case 'space.deleted':
    case 'tag.deleted':
    case 'ping':
      return `${message.type} ${message.data.id}`;
  }
}
