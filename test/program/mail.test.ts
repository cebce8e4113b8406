import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createMailer } from '../../src/outgoing/mail.ts';

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

/** A mail server that takes every mail, and what it was sent. */
async function startMailServer() {
  const received: string[] = [];
  const server = createServer((socket: Socket) => {
    let isData = false;
    socket.write('220 mail.example\r\n');
    socket.setEncoding('utf8').on('data', (text: string) => {
      received.push(text);
      if (isData ? text.endsWith('\r\n.\r\n') : !text.startsWith('DATA')) socket.write('250 OK\r\n');
      else if (!isData) socket.write('354 Go on\r\n');
      isData = text.startsWith('DATA') || (isData && !text.endsWith('\r\n.\r\n'));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server, received };
}

test('sends a mail from the sender to the address', async () => {
  const { port, server, received } = await startMailServer();
  const { log, lines } = collected();
  createMailer(`smtp://127.0.0.1:${port}`, 'Linkspace <links@s.example>', log)(mail);
  await expect.poll(() => received.join('')).toMatch(/\r\n\.\r\n$/);
  const said = received.join('');
  expect(said).toContain('MAIL FROM:<links@s.example>');
  expect(said).toContain('RCPT TO:<ana@example.com>');
  expect(said).toMatch(/Subject: A new password\r\n.*Open https:\/\/s\.example\/x/s);
  expect(lines).toEqual([]);
  server.unref();
});

test('logs why a mail was not sent, without the password of the mail server', async () => {
  const { port, server } = await startMailServer();
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
