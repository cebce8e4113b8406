import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/server.ts';

test('the guide shows the same example as this test', () => {
  const example = readFileSync('test/program/example.test.ts', 'utf8');
  expect(readFileSync('docs/testing.md', 'utf8')).toContain(example);
});

test('a failed operation prints its query, the answer and the request id', async () => {
  const server = await startTestServer();
  const caller = await server.caller();
  const failed = await caller.data('{ nonsense }').catch((error: Error) => error.message);
  await server.stop();
  expect(failed).toContain('{ nonsense }');
  expect(failed).toContain('Cannot query field');
  expect(failed).toMatch(/request [\da-f-]{36}/);
});

test('deletes the database with the server', async () => {
  const server = await startTestServer();
  const file = server.databaseUrl.slice('file:'.length);
  expect(existsSync(file)).toBe(true);
  await server.stop();
  expect(existsSync(file)).toBe(false);
});

test('counts statements, and takes the country of visitors from the header', async () => {
  const server = await startTestServer();
  const caller = await server.caller();
  const targets = { 'country[0][key]': 'DE', 'country[0][value]': 'https://example.com/de' };
  const { alias } = await caller.link({ target_type: 1, ...targets });
  expect(await server.statementsOf(() => caller.data('{ links { edges { node { id } } } }'))).toHaveLength(1);
  const headers = { 'X-Forwarded-Host': 's.example', 'X-Country': 'DE' };
  const { headers: answer } = await fetch(`${server.origin}/${alias}`, { headers, redirect: 'manual' });
  await server.stop();
  expect(answer.get('Location')).toBe('https://example.com/de');
});
