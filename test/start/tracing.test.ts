import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type CollectedSpan, Collector } from '../support/collector.ts';
import { newDatabase } from '../support/database.ts';
import { startProgram } from '../support/process.ts';
import { TestReceiver } from '../support/receiver.ts';
import { Caller } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const KEY = 'the-first-key-of-an-empty-database';
const SECRETS = [
  KEY,
  'receivers-token',
  'password-of-a-link',
  'value-in-a-query',
  'cookie-of-a-visitor',
  '203.0.113.77',
];
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const FAILS = 'a webhook fails';
const CLIENT = 'b7ad6b7169203331';

let collector: Collector;
let receiver: TestReceiver;
let log: Record<string, unknown>[];
beforeAll(async () => {
  collector = await Collector.start();
  receiver = await TestReceiver.start();
  const program = await startProgram({
    DATABASE_URL: await newDatabase({ migrated: false }),
    BASE_URL: 'https://s.example',
    INITIAL_API_KEY: KEY,
    TRUST_PROXY: 'loopback',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue',
    OTEL_SERVICE_NAME: 'links',
    OTEL_BSP_MAX_QUEUE_SIZE: '500',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  const caller = new Caller(program.origin, KEY);
  const url = receiver.url('/hook?token=receivers-token');
  await caller.data(
    `mutation { createWebhook(input: { url: "${url}", events: [SPACE_CREATED] }) { __typename } }`,
  );
  await caller.data(
    'mutation { createWebhook(input: { url: "http://127.0.0.1:1/", events: [SPACE_CREATED] }) { __typename } }',
  );
  const id = await caller.space('Told of');
  const { alias } = await caller.link({ space_id: id, password: 'password-of-a-link' });
  await caller.fetch('/graphql', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...{ traceparent: `00-${TRACE}-${CLIENT}-01`, tracestate: 'a=value-in-a-tracestate' },
    },
    body: JSON.stringify({
      query: `query Shown { links(first: 5, filter: { search: "value-in-a-query" }) { totalCount edges { node { space { name } } } }
        spaces { edges { node { name } } } }`,
    }),
  });
  const headers = { Cookie: 'a=cookie-of-a-visitor', 'X-Forwarded-For': '203.0.113.77' };
  await visit(program.origin, `/${alias}?of=value-in-a-query`, { headers });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), { timeout: 180_000 });
  await vi.waitFor(() => expect(program.log.some(({ msg }) => msg === FAILS)).toBe(true), {
    timeout: 180_000,
  });
  // What is not sent yet is sent before the end.
  expect((await program.end('SIGTERM')).code).toBe(0);
  ({ log } = program);
});
afterAll(async () => {
  collector.stop();
  await receiver.stop();
});

const named = (name: string): CollectedSpan => {
  const found = collector.spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name}: ${collector.spans.map((one) => one.name)}`);
  return found;
};
const findChildren = ({ id }: CollectedSpan) => collector.spans.filter(({ parent }) => parent === id);

test('continues the trace of a client: request, operation, resolvers that read, statements', () => {
  const request = named('POST /graphql');
  const ofClient = collector.spans.filter(({ traceId }) => traceId === TRACE);
  const [root, ...others] = ofClient.filter(({ parent }) => parent === CLIENT);
  expect([root?.name, root?.kind, others]).toEqual([request.name, 'SPAN_KIND_SERVER', []]);
  expect(root?.traceState).toBe('');
  expect(root?.attributes).toMatchObject({ 'http.response.status_code': 200, 'url.path': '/graphql' });
  expect(root?.resource).toMatchObject({ 'service.name': 'links', 'deployment.environment.name': 'test' });
  const [operation] = ofClient.filter(({ name }) => name === 'query Shown');
  expect(operation?.parent).toBe(root?.id);
  const resolvers = ofClient.filter(({ parent }) => parent === operation?.id);
  expect(resolvers.map(({ name }) => name)).toEqual(expect.arrayContaining(['Query.links', 'Query.spaces']));
  for (const resolver of resolvers) {
    const statements = findChildren(resolver);
    expect(statements.length).toBeGreaterThan(0);
    for (const { name, attributes, from, to } of statements) {
      expect(name).toBe(attributes['db.operation.name']);
      expect(attributes['db.system.name']).toBe(inject('database').provider);
      expect(attributes['db.query.text']).toContain('"');
      expect([from >= resolver.from, to <= resolver.to, from < to]).toEqual([true, true, true]);
    }
  }
});

test('v1, visits and webhooks have traces, too, with what Prisma’s client sends', () => {
  const store = named('POST /links');
  const [operation] = findChildren(store).filter(({ name }) => name.startsWith('mutation'));
  const within = (span: CollectedSpan): string[] => [span.name, ...findChildren(span).flatMap(within)];
  expect(operation && within(operation)).toContain('INSERT');
  expect(within(named('GET /:alias'))).toContain('SELECT');
  const webhooks = collector.spans.filter(({ name }) => name === 'webhook');
  expect(webhooks).toMatchObject([
    { kind: 'SPAN_KIND_CLIENT', parent: '', attributes: { 'server.address': '127.0.0.1' } },
    { kind: 'SPAN_KIND_CLIENT', parent: '', attributes: { 'server.address': '127.0.0.1' } },
  ]);
  const outcomes = webhooks.map(({ attributes, hasFailed }) => [
    attributes['http.response.status_code'],
    hasFailed,
  ]);
  expect(new Set(outcomes)).toEqual(
    new Set([
      [204, false],
      [undefined, true],
    ]),
  );
});

test('the lines of the log have the id of their trace', () => {
  const requests = log.filter(({ msg }) => msg === 'request');
  expect(requests.find(({ operation }) => operation === 'Shown')?.trace_id).toBe(TRACE);
  const traces = new Set(collector.spans.map(({ traceId }) => traceId));
  expect(requests.filter(({ trace_id }) => !traces.has(String(trace_id)))).toEqual([]);
  const failed = collector.spans.find(({ name, hasFailed }) => name === 'webhook' && hasFailed);
  expect(log.find(({ msg }) => msg === FAILS)?.trace_id).toBe(failed?.traceId);
});

test('warnings of the SDK are in the log', () => {
  expect(log.find(({ msg }) => msg === 'OpenTelemetry warns')?.reason).toContain('maxExportBatchSize');
});

test('spans have no secrets, and nothing of visitors', () => {
  const all = collector.spans.map(({ name, attributes }) => JSON.stringify([name, attributes])).join('\n');
  expect(SECRETS.filter((secret) => all.includes(secret))).toEqual([]);
  expect(collector.requests[0]).toMatchObject({ url: '/v1/traces', headers: { 'x-team': 'blue' } });
});
