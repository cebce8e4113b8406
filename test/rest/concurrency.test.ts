import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

test('links that move while their spaces and pixels are deleted never fail, and all totals stay correct', async () => {
  const spaces = await Promise.all(Array.from({ length: 4 }, (_, i) => owner.space(`Space ${i}`)));
  const pixels = await Promise.all(Array.from({ length: 3 }, () => owner.pixel()));
  const links = await Promise.all(Array.from({ length: 12 }, () => owner.link()));
  const any = <T>(list: T[], index: number): T => list[index % list.length] as T;
  const statuses = new Set<number>();
  await Promise.all(
    links.map(async ({ id }, index) => {
      for (let round = 0; round < 12; round++) {
        const form = { space_id: any(spaces, index + round), pixel_ids: any(pixels, index * round) };
        statuses.add((await owner.rest('PATCH', `/links/${id}`, form)).status);
        if (round === 6 && index < 2)
          statuses.add((await owner.rest('DELETE', `/spaces/${spaces[index]}`)).status);
        if (round === 8 && index === 3)
          await owner.data('mutation ($id: ID!) { deletePixel(id: $id) { __typename } }', { id: pixels[0] });
      }
    }),
  );
  expect([...statuses].sort()).toEqual([200, 422]);
  for (const space of spaces.slice(2)) {
    const { body } = await owner.rest('GET', `/links?space_id=${space}&per_page=100`);
    const { data, meta } = body as { data: unknown[]; meta: { total: number } };
    expect(meta.total).toBe(data.length);
  }
});
