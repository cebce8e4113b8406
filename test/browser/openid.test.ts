import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { chromiumPath, closeTabs, newTab } from '../support/browser.ts';
import { CLIENT, startProvider } from '../support/openid-provider.ts';

describe.runIf(chromiumPath)('OpenID in a browser', () => {
  let server: TestServer;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let origin: string;
  beforeAll(async () => {
    // Each needs the port of the other.
    const { issuer, port, stop } = await startProvider();
    await stop();
    server = await startTestServer({
      ...{ baseUrl: undefined, oidcIssuer: issuer, oidcClientId: CLIENT.id, oidcClientSecret: CLIENT.secret },
      oidcRoles: [{ value: 'staff', account: '1', role: 'EDITOR' }],
    });
    await server.caller('default');
    origin = `http://localhost:${new URL(server.origin).port}`;
    const client = { redirect_uris: [`${origin}/auth/oidc/callback`] };
    provider = await startProvider({ port, client });
  });
  afterAll(async () => {
    await closeTabs();
    await server.stop();
    await provider.stop();
  });

  test('signs in at another site, and links from a page of the service alone', async () => {
    provider.people.set('ana', { email: 'ana@x.example', name: 'Ana', groups: ['staff'] });
    const page = await newTab();
    const open = async (path: string, expected: RegExp) => {
      await page.evaluate(`location.assign(${JSON.stringify(path)})`);
      await page.waitForURL(expected);
    };
    const session = () =>
      page.evaluate<Record<string, unknown>>(`fetch('/auth/session').then((answer) => answer.json())`);
    await page.goto(`${origin}/docs`);
    provider.next = 'ana';
    await open('/auth/oidc?to=/console/1/links', /\/console\/1\/links$/);
    await expect.poll(() => session()).toMatchObject({ user: { name: 'Ana' }, role: 'EDITOR' });
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('linkspace-oidc');

    // The provider knows Ana still, and asks nobody.
    await open('/auth/oidc?link=1&to=/console/1/profile', /\/console\/1\/profile$/);
    const elsewhere = origin.replace('localhost', '127.0.0.1');
    await page.goto(`${elsewhere}/docs`);
    const refused = page.waitForResponse((response) => response.url().startsWith(`${origin}/auth/oidc`));
    await page.evaluate(`location.assign('${origin}/auth/oidc?link=1')`);
    expect((await refused).status()).toBe(403);
  });
});
