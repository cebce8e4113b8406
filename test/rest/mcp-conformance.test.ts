import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

const scenarios = fileURLToPath(new URL('../../node_modules/.bin/conformance', import.meta.url));
const run = promisify(execFile);

let server: TestServer;
let address: string;
/** Adds the key, which the scenarios cannot send, and passes `Host` and `Origin` on as they are. */
const proxy = createServer((asked, answer) => {
  const { method, url } = asked;
  const sent = request(new URL(url ?? '/', server.origin), {
    method,
    headers: { ...asked.headers, authorization },
  });
  sent.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  asked.pipe(sent);
});
let authorization: string;

beforeAll(async () => {
  server = await startTestServer({ background: true });
  authorization = `Bearer ${(await server.caller('owner')).key}`;
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const listening = proxy.address();
  if (listening === null || typeof listening === 'string') throw new Error('no port');
  address = `http://localhost:${listening.port}/api/mcp`;
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await server.stop();
});

// Slow: each scenario is a process of its own. All others are of parts that are not offered, or of tools that a test server has.
test.each([
  ['server-initialize', 1],
  ['ping', 1],
  ['tools-list', 1],
  ['dns-rebinding-protection', 2],
])('the scenario %s of the protocol passes', async (name, checks) => {
  const args = [scenarios, 'server', '--url', address, '--scenario', name];
  const { stdout } = await run(process.execPath, args);
  expect(stdout).toContain(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`);
});
