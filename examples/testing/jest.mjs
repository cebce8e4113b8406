// NODE_OPTIONS=--experimental-vm-modules npx jest --testMatch '**/jest.mjs'
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLinkspace } from 'linkspace/testing';

let linkspace;
beforeAll(async () => {
  linkspace = await startLinkspace();
});
afterAll(() => linkspace.close());

test('a link counts its visits', async () => {
  const link = await linkspace.client.createLink({ url: 'https://shop.example/' });
  const visited = await linkspace.visit(link.shortUrl, { country: 'DE' });
  expect(visited.status).toBe(302);
  expect((await linkspace.client.getLink(link.id)).clicks).toBe(1);
});
