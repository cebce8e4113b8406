// The compiler refuses what v1 refuses: it fails here if the document allowed it.
import type { Client } from 'openapi-fetch';
import type { paths } from './build/v1.js';

const params = { path: { id: 1 } };

export async function askForRefused(client: Client<paths>): Promise<void> {
  // @ts-expect-error a link has a URL
  await client.POST('/links', { body: { title: 'Nowhere' } });
  // @ts-expect-error the URL cannot be cleared
  await client.PATCH('/links/{id}', { params, body: { url: null } });
  // @ts-expect-error a choice cannot be cleared
  await client.PATCH('/links/{id}', { params, body: { privacy: null } });
  // @ts-expect-error an id is a number
  await client.PATCH('/links/{id}', { params, body: { space_id: 'seven' } });
  // @ts-expect-error a space has a name
  await client.PATCH('/spaces/{id}', { params, body: { name: null } });
  // @ts-expect-error there is no such order
  await client.GET('/links', { params: { query: { sort_by: 'colour' } } });
}
