import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { Webhook as Signer } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import { freePort } from '../support/postgres-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ background: true });
  // The examples use the real time.
  server.clock.now = new Date();
});
afterAll(() => server.stop());

const node = (port: number) => [process.execPath, 'examples/webhooks/receiver.mjs', String(port)];
const php = (port: number) => ['php', '-S', `127.0.0.1:${port}`, 'examples/webhooks/receiver.php'];
const hasPhp = spawnSync('php', ['--version']).status === 0;

describe.each([['Node', node] as const, ...(hasPhp ? [['PHP', php] as const] : [])])(
  'the webhook example in %s',
  (name, command) => {
    let child: ChildProcess;
    let said = '';
    let url: string;
    let secret: string;
    let caller: Caller;
    beforeAll(async () => {
      const port = await freePort();
      url = `http://127.0.0.1:${port}/`;
      caller = await server.caller(name);
      const { createWebhook } = await caller.data<{ createWebhook: { secret: string } }>(
        `mutation ($url: String!) { createWebhook(input: { url: $url, events: [SPACE_CREATED] }) {
        ... on CreatedWebhook { secret } } }`,
        { url },
      );
      secret = createWebhook.secret;
      const [program = '', ...args] = command(port);
      const { PATH = '' } = process.env;
      child = spawn(program, args, { env: { PATH, WEBHOOK_SECRET: secret, PORT: String(port) } });
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (text) => {
          said += text;
        });
    });
    afterAll(() => child.kill());

    test('handles what the service sends', async () => {
      await expect.poll(() => fetch(url).then(({ status }) => status, String)).toBe(401);
      const space = await caller.space('Told of');
      await expect.poll(() => said).toContain(`${server.clock.now.toISOString()} space.created ${space}\n`);
    });

    const body = JSON.stringify({
      type: 'space.deleted',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: { id: 7 },
    });
    const send = async (at: Date, by: string, sent = body, more = '') => {
      const signature = new Signer(by).sign('msg_test', at, body);
      const headers = {
        'webhook-id': 'msg_test',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': `${more}${signature}`,
      };
      return (await fetch(url, { method: 'POST', body: sent, headers })).status;
    };

    test('refuses other signatures, changed bodies and old timestamps', async () => {
      const another = `whsec_${Buffer.alloc(32).toString('base64')}`;
      expect(await send(new Date(), secret)).toBe(204);
      expect(
        await send(new Date(), secret, body, `${new Signer(another).sign('msg_test', new Date(), body)} `),
      ).toBe(204);
      expect(await send(new Date(), another)).toBe(401);
      expect(await send(new Date(), secret, `${body} `)).toBe(401);
      expect(await send(new Date(Date.now() - 600_000), secret)).toBe(401);
      expect(await send(new Date(Date.now() + 600_000), secret)).toBe(401);
    });
  },
);
