import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Caller } from '../../src/testing/caller.ts';
import { type Program, startProgram } from '../support/process.ts';

const KEY = 'the-first-key-of-an-empty-database';

let folder: string;
let program: Program & { origin: string };
let caller: Caller;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'linkspace-hostile-'));
  program = await startProgram({
    DATABASE_URL: `file:${join(folder, 'linkspace.db')}`,
    INITIAL_API_KEY: KEY,
  });
  caller = new Caller(program.origin, KEY);
});
afterAll(async () => {
  await program.end('SIGTERM');
  rmSync(folder, { recursive: true });
});

/** The process's memory in MB; 0 if the system does not report it. */
function memory(): number {
  if (platform() !== 'linux') return 0;
  const [, kilobytes = '0'] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${program.child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Sends a body of a gigabyte until it is refused; returns the status, and how many MB were sent. */
function sendGigabyte(path: string, type: string): Promise<{ status: number | undefined; sent: number }> {
  return new Promise((resolve) => {
    let [sent, status]: [number, number | undefined] = [0, undefined];
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': type };
    const req = request(`${program.origin}${path}`, { method: 'POST', headers });
    const done = () => resolve({ status, sent: sent / 1024 / 1024 });
    req.on('response', (response) => {
      status = response.statusCode;
      response.resume();
    });
    req.on('close', done).on('error', () => {});
    const write = () => {
      while (!req.destroyed && sent < 1e9) {
        sent += chunk.length;
        if (!req.write(chunk)) return;
      }
      if (!req.destroyed) req.end();
    };
    req.on('drain', write);
    write();
  });
}

test.each([
  ['/api/v1/links', 'application/x-www-form-urlencoded', 413],
  ['/api/v1/links', 'application/json', 413],
  ['/graphql', 'application/json', 413],
])('refuses a gigabyte to %s as %s early, in constant memory', async (path, type, expected) => {
  const before = memory();
  const { status, sent } = await sendGigabyte(path, type);
  expect(status).toBe(expected);
  expect(sent).toBeLessThan(100);
  expect(memory() - before).toBeLessThan(80);
  expect((await caller.rest('GET', '/spaces')).status).toBe(200);
});

test('a thousand half-open requests do not delay others', async () => {
  const { hostname, port } = new URL(program.origin);
  const sockets: Socket[] = [];
  const opened = Array.from(
    { length: 1_000 },
    () =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write('POST /api/v1/spaces HTTP/1.1\r\nHost: s.example\r\nX-Slow: ');
          resolve();
        });
        socket.on('error', () => {}).resume();
        sockets.push(socket);
      }),
  );
  await Promise.all(opened);
  expect((await caller.rest('POST', '/spaces', { name: 'Served' })).status).toBe(201);
  expect((await caller.graphql('{ __typename }')).status).toBe(200);
  expect(sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(1_000);
  for (const socket of sockets) socket.destroy();
});

test('keeps an idle connection longer than proxies do', async () => {
  const { headers } = await caller.fetch('/livez');
  expect(headers.get('Keep-Alive')).toBe('timeout=65');
});

test('returns 400 for random bytes', async () => {
  const { hostname, port } = new URL(program.origin);
  for (const seed of [1, 7, 42]) {
    const bytes = Buffer.from(Array.from({ length: 2_000 }, (_, i) => (i * i * seed + i * 31) % 256));
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.end(bytes));
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', () => {}).on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect((await caller.rest('GET', '/spaces')).status).toBe(200);
});
