// node --test node-test.mjs
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startLinkspace } from 'linkspace/testing';

let linkspace;
before(async () => {
  linkspace = await startLinkspace();
});
after(() => linkspace.close());

test('a link counts its visits', async () => {
  const link = await linkspace.client.createLink({ url: 'https://shop.example/' });
  const { status } = await linkspace.visit(link.shortUrl, { country: 'DE' });
  assert.equal(status, 302);
  assert.equal((await linkspace.client.getLink(link.id)).clicks, 1);
});
