import { expect, onTestFinished, test } from 'vitest';
import { startTestServer, type TestServerOptions } from '../../src/testing/server.ts';

/** A server that stops with the test, also if it fails. */
async function startServer(options: TestServerOptions = {}) {
  const server = await startTestServer(options);
  onTestFinished(() => server.stop());
  return server;
}

test('a link is expired from its expiry date on', async () => {
  const server = await startServer({ now: new Date('2026-11-20T23:59:59Z') });
  const caller = await server.caller();
  const { id } = await caller.link({ expiration_date: '2026-11-21' });
  const status = () => caller.data('query ($id: ID!) { link(id: $id) { status } }', { id });
  expect(await status()).toEqual({ link: { status: 'ACTIVE' } });
  server.clock.now = new Date('2026-11-21T00:00:00Z');
  expect(await status()).toEqual({ link: { status: 'EXPIRED' } });
});

test('a domain leads visitors, by their countries, once its TXT record is found', async () => {
  const server = await startServer({ verifiesDomains: true });
  const caller = await server.caller();
  const id = await caller.domain('go.example');
  const { domain } = await caller.data<{ domain: { verification: { name: string; value: string } } }>(
    'query ($id: ID!) { domain(id: $id) { verification { name value } } }',
    { id },
  );
  server.dns.set(domain.verification.name, [domain.verification.value]);
  await caller.data('mutation ($id: ID!) { verifyDomain(id: $id) { __typename } }', { id });
  const german = { 'country[0][key]': 'DE', 'country[0][value]': 'https://example.com/de' };
  await caller.link({ alias: 'sale', domain: id, target_type: 1, ...german });
  const headers = { 'X-Forwarded-Host': 'go.example', 'X-Country': 'DE' };
  const { headers: answer } = await fetch(`${server.origin}/sale`, { headers, redirect: 'manual' });
  expect(answer.get('Location')).toBe('https://example.com/de');
});
