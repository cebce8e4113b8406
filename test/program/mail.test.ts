import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createMailer } from '../../src/engine/outgoing/mail.ts';
import { MailServer } from '../support/mail-server.ts';

const mail = { to: 'ana@example.com', subject: 'A new password', text: 'Open https://s.example/x\n' };

function collected() {
  const lines: string[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
  return { log: pino(sink), lines };
}

test('sends a mail from the sender to the address', async () => {
  const { url, received } = await MailServer.start();
  const { log, lines } = collected();
  createMailer(url, 'Linkspace <links@s.example>', log)(mail);
  await expect.poll(() => received.join('')).toMatch(/\r\n\.\r\n$/);
  const said = received.join('');
  expect(said).toContain('MAIL FROM:<links@s.example>');
  expect(said).toContain('RCPT TO:<ana@example.com>');
  expect(said).toMatch(/Subject: A new password\r\n.*Open https:\/\/s\.example\/x/s);
  expect(lines).toEqual([]);
});

test('logs why a mail was not sent, without the password of the mail server', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const { log, lines } = collected();
  createMailer(`smtp://user:secret@127.0.0.1:${port}`, 'links@s.example', log)(mail);
  await expect.poll(() => lines.length).toBe(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'a mail was not sent',
    reason: expect.stringContaining('ECONNREFUSED'),
  });
  expect(lines[0]).not.toContain('secret');
});
