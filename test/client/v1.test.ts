import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeForm } from '../../packages/client/src/v1.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test.each([
  [{ url: 'https://example.com/?a=b&c', title: 'é' }, 'url=https://example.com/?a=b&c|title=é'],
  [{ pixel_ids: [1, 2] }, 'pixel_ids[0]=1|pixel_ids[1]=2'],
  [
    { country: [{ key: 'DE', value: 'https://a.example' }] },
    'country[0][key]=DE|country[0][value]=https://a.example',
  ],
  [{ 'rotation[3][value]': 'https://a.example' }, 'rotation[3][value]=https://a.example'],
  [{ title: null, tag_ids: [], space_id: undefined }, 'title=|tag_ids='],
  [{ disabled: true, forward_query: false, privacy: 1 }, 'disabled=1|forward_query=0|privacy=1'],
  [{}, ''],
])('encodes %j as a form', (fields, expected) => {
  expect([...encodeForm(fields)].map((pair) => pair.join('=')).join('|')).toBe(expected);
});

test('what v1 has answered can be sent back as a form, and changes nothing', async () => {
  const owner = await server.caller();
  const pixel = await owner.pixel();
  const form = encodeForm({
    url: 'https://example.com/',
    title: 'Whole',
    disabled: true,
    pixel_ids: [pixel],
    target_type: 1,
    country: [
      { key: 'DE', value: 'https://example.com/de' },
      { key: 'FR', value: 'https://example.com/fr' },
    ],
    rotation: [{ value: 'https://example.com/turn' }],
  });
  const made = await owner.rest('POST', '/links', [...form]);
  expect(made).toMatchObject({
    status: 201,
    body: {
      data: { disabled: 1, pixel_ids: [pixel], country: [{ key: 'DE' }, { key: 'FR' }], rotation: [{}] },
    },
  });
  const { data } = made.body as { data: { id: number } };
  const again = await owner.rest('PUT', `/links/${data.id}`, [...encodeForm(data)]);
  expect(again).toMatchObject({ status: 200, body: { data } });
});
