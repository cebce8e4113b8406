import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { rowOf, signIn } from '../../support/console.ts';

describe.runIf(chromiumPath)('the form of a link, in a browser', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ verifiesDomains: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  test('names rules by their conditions, and then what all others get in turn', async () => {
    const caller = await server.caller('turns');
    const rotation = ['https://example.com/a', 'https://example.com/b'];
    const { id, alias } = await caller.link({ url: 'https://example.com/app' });
    const input = {
      targeting: { type: 'ROTATION', rotation },
      rules: [
        { when: [{ platform: { in: ['IOS'] } }], to: [{ url: 'https://example.com/ios' }] },
        { name: 'Home', when: [{ country: { in: ['DE'] } }], to: [{ url: 'https://example.com/de' }] },
        { when: [{ language: { in: ['fr'] } }], to: [{ url: 'https://example.com/fr' }] },
      ],
    };
    await caller.data(
      'mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { __typename } }',
      { id, input },
    );
    const { page, accountId } = await signIn({ server, key: caller.key });
    // Nobody gets to its own destination.
    await expect.poll(() => rowOf(page, alias).locator('.to').getAttribute('title')).toBe('example.com/a');
    await page.goto(`${server.origin}/console/${accountId}/links/${id}`);
    const lines = page.getByRole('complementary', { name: 'Preview' }).locator('p.quiet, p.address');
    await expect
      .poll(() => lines.allInnerTexts())
      .toEqual([
        ...['leads to', 'iOS: example.com/ios', 'Home: example.com/de', 'French: example.com/fr'],
        'All others in turn: example.com/a, example.com/b',
      ]);
  });
});
