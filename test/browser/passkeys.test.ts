import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inviteByOperator } from '../../src/domain/access/invitation.ts';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { chromiumPath, closeTabs, newTab } from '../support/browser.ts';

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** Sends a request from the page. */
const send = (page: Page, path: string, body: object | null): Promise<Answer> =>
  page.evaluate<Answer>(`fetch('/auth/${path}', ${
    body
      ? JSON.stringify({
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        })
      : '{}'
  }).then(async (response) => {
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  })`);

/** Has the browser answer the options of a passkey, and sends the answer. */
async function answer(
  page: Page,
  method: 'create' | 'get',
  paths: [string, string],
  more: object,
): Promise<Answer> {
  const { body: options } = await send(page, `passkey/${paths[0]}`, {});
  const parse = method === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON';
  const response = await page.evaluate<object>(`navigator.credentials.${method}({
    publicKey: PublicKeyCredential.${parse}(${JSON.stringify(options)}) }).then((made) => made.toJSON())`);
  return send(page, `passkey/${paths[1]}`, { ...more, response });
}

const register = (page: Page) =>
  answer(page, 'create', ['registration-options', 'register'], { name: 'Laptop' });
const signIn = (page: Page) => answer(page, 'get', ['sign-in-options', 'sign-in'], {});

describe.runIf(chromiumPath)('passkeys in a browser', () => {
  let server: TestServer;
  let page: Page;
  let devices: CDPSession;
  let authenticatorId: string;
  beforeAll(async () => {
    // Browsers have passkeys on localhost without https.
    server = await startTestServer({ baseUrl: undefined });
    await server.caller('default');
    const { token } = await inviteByOperator(
      server.database,
      1,
      { email: 'ana@x.example', role: 'EDITOR' },
      server.clock.now,
    );
    page = await newTab();
    devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    ({ authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    }));
    await page.goto(`http://localhost:${new URL(server.origin).port}/docs`);
    const input = { token, name: 'Ana', email: 'ana@x.example', password: 'correct horse' };
    expect((await send(page, 'accept', input)).status).toBe(201);
  });
  afterAll(async () => {
    await closeTabs();
    await server.stop();
  });

  test('are registered, sign in after a sign-out, and not once they are removed or their counter goes back', async () => {
    expect((await send(page, 'methods', null)).body).toMatchObject({ passkeys: true });
    const { status, body } = await register(page);
    expect([status, body]).toEqual([201, { id: expect.any(String), name: 'Laptop' }]);
    await expect(register(page)).rejects.toThrow('InvalidStateError');
    expect((await send(page, 'sign-out', {})).status).toBe(204);
    expect((await send(page, 'session', null)).status).toBe(401);
    expect(await signIn(page)).toMatchObject({
      status: 200,
      body: { user: { name: 'Ana' }, role: 'EDITOR' },
    });

    const { credentials } = await devices.send('WebAuthn.getCredentials', { authenticatorId });
    const [credential] = credentials;
    if (credential === undefined) throw new Error('there is no passkey');
    const { credentialId } = credential;
    await devices.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    await devices.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: 0 },
    });
    expect((await signIn(page)).status).toBe(401);
    await devices.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    await devices.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: credential.signCount + 10 },
    });
    expect((await signIn(page)).status).toBe(200);

    expect((await send(page, 'passkey/remove', { id: body.id })).status).toBe(204);
    expect((await signIn(page)).status).toBe(401);
  });
});
