import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeEvents } from '../../src/domain/webhook/events.ts';
import { routes } from '../../src/rest/routes.ts';
import { guideToV1 } from '../support/guide-to-v1.ts';
import { TestReceiver } from '../support/receiver.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

// Takes 8 s of processor time: it compiles the schemas of all answers, and sends each field of each body with each empty value.

interface Answer {
  content: Record<string, { schema: object; example?: unknown }>;
}

interface Operation {
  parameters: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: { properties: Record<string, object> } }> };
  responses: Record<string, Answer>;
}

interface Document {
  info: object;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { parameters: { name: string }[]; requestBody: Answer } }>;
  components: { schemas: Record<string, object> };
}

let server: TestServer;
let document: Document;
beforeAll(async () => {
  server = await startTestServer({ random: () => 0 });
  document = await (await fetch(`${server.origin}/openapi.json`)).json();
});
afterAll(() => server.stop());

/** The schema without properties that it does not name: the document allows those of later versions. */
function exact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(exact);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, exact(value)]));
  return { ...('properties' in schema && { additionalProperties: false }), ...inner };
}

/** A check of what the service sends: exactly what the document says. */
function exactly(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  return ajv.compile(exact({ ...schema, components: document.components }) as object);
}

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

test('GET /openapi.json is valid OpenAPI 3.1, and needs no key', async () => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('openapi.json has the version of the program, and does not mention GraphQL', () => {
  expect(document.info).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  });
  const words = JSON.stringify(document, (key, value) => (key === 'example' ? undefined : value));
  expect(words).not.toMatch(/GraphQL|null clears|null for none|PUBLIC|PASSWORD|TITLE/);
});

/** All objects in the document by their places, without examples. */
function* objectsIn(value: unknown, place: string): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [place, { ...value }];
  for (const [name, inner] of Object.entries(value))
    if (name !== 'example') yield* objectsIn(inner, `${place}/${name}`);
}

test('openapi.json describes every operation, tag, parameter, sent field and answer', () => {
  const described =
    /^\/(paths|webhooks)\/.+\/(get|post|put|patch|delete)$|\/tags\/\d+$|\/parameters\/\d+$|\/requestBody\/content\/.*\/properties\/[^/]+$|\/responses\/\d+$/;
  const bare = [...objectsIn(document, '')].filter(([place, { description }]) =>
    description === undefined
      ? described.test(place)
      : typeof description === 'string' && !/\w{3}/.test(description),
  );
  expect(bare.map(([place]) => place)).toEqual([]);
});

test('every example of a parameter or a sent field matches its schema', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const examples = [...objectsIn(document, '')].flatMap(([place, { example, schema, ...own }]) =>
    example === undefined || place.includes('/responses/') ? [] : [{ place, example, schema: schema ?? own }],
  );
  expect(examples.length).toBeGreaterThan(10);
  const wrong = examples.filter(({ example, schema }) => !ajv.validate(schema as object, example));
  expect(wrong.map(({ place }) => place)).toEqual([]);
});

test('openapi.json has every operation of v1, and no other', () => {
  const served = routes.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
  expect(operations().map(({ method, path }) => `${method} ${path.replace('{id}', ':id')}`)).toEqual(served);
});

test('its examples and those of the guide are what the server accepts and answers', async () => {
  const owner = await server.caller();
  const reader = await server.caller('owner', ['read']);
  const writer = await server.caller('owner', ['write']);
  const pixel = await owner.pixel();
  const examples: Record<string, Record<number, unknown>> = {};
  const put = (operation: string, status: number, body: unknown) => {
    examples[operation] = { ...examples[operation], [status]: body };
  };
  const headers = { 'X-Forwarded-Host': 's.example', 'X-Forwarded-Proto': 'https' };
  const call = async (method: string, path: string, form?: Record<string, string>) => {
    const body = form && new URLSearchParams(form);
    const response = await owner.fetch(`/api/v1${path}`, { method, body, headers });
    put(
      `${method} ${path.split('?')[0]?.replace(/\d+(?=$|\/)/, ':id')}`,
      response.status,
      await response.json(),
    );
  };
  const any = async (response: Promise<Response>) => {
    const { status } = await response;
    put('any', status, await (await response).json());
  };

  await call('POST', '/spaces', { name: 'Launch', color: '3' });
  await call('POST', '/spaces', { color: '7' });
  const targets = {
    target_type: '1',
    'country[0][key]': 'DE',
    'country[0][value]': 'https://example.com/de',
  };
  const url = 'https://example.com/';
  await call('POST', '/links', {
    url,
    title: 'A launch',
    space_id: '1',
    'pixel_ids[]': String(pixel),
    ...targets,
  });
  await call('POST', '/links', { url: 'example.com', 'country[0][key]': 'XX' });
  for (const path of ['/spaces', '/links', '/spaces/:id', '/links/:id', '/stats/:id', '/links/:id/qr']) {
    const ofOne = path.replace(':id', '1');
    put(`GET ${path}`, 400, (await owner.rest('GET', `${ofOne}?page=%ff`)).body);
    put(`GET ${path}`, 403, (await writer.rest('GET', ofOne)).body);
  }
  for (const path of ['/spaces', '/links']) {
    await call('GET', path);
    await call('GET', `${path}?sort=up&page=0`);
    await call('GET', `${path}/1`);
  }
  const { body } = await owner.rest('GET', '/links/1');
  const { alias } = (body as { data: { alias: string } }).data;
  await visit(server.origin, `/${alias}`, { headers: { 'X-Country': 'DE' } });
  await server.flush();
  await call('GET', '/stats/1?name=country');
  await call('GET', '/stats/1?name=colour&from=yesterday');
  await call('GET', '/links/1/qr?size=1&format=gif');
  for (const method of ['PUT', 'PATCH']) {
    await call(method, '/spaces/1', { name: 'Relaunch' });
    await call(method, '/spaces/1', { name: '' });
    await call(method, '/links/1', { title: 'A relaunch' });
    await call(method, '/links/1', { alias: 'no spaces', domain_id: '2' });
  }
  await call('DELETE', '/links/1');
  await call('DELETE', '/spaces/1');

  const post = (caller: typeof owner, body: string | URLSearchParams, type?: string) =>
    caller.fetch('/api/v1/spaces', { method: 'POST', body, headers: type ? { 'Content-Type': type } : {} });
  await any(post(owner, '{', 'application/json'));
  await any(server.callerWith('wrong').fetch('/api/v1/spaces'));
  await any(post(reader, new URLSearchParams({ name: 'x' })));
  await any(owner.fetch('/api/v1/spaces/999'));
  await any(post(owner, new URLSearchParams({ name: 'x'.repeat(2_000_000) })));
  await any(post(owner, 'name: x', 'text/plain'));

  const headersOnce = { 'Idempotency-Key': 'once' };
  const once = (path: string) => owner.fetch(path, { method: 'DELETE', headers: headersOnce });
  await once('/api/v1/spaces/999');
  await any(once('/api/v1/spaces/998'));

  const limited = await startTestServer({ rateLimit: 1 });
  const hasty = await limited.caller();
  await hasty.rest('GET', '/spaces');
  await any(hasty.fetch('/api/v1/spaces'));
  await limited.database.prisma.$executeRawUnsafe('ALTER TABLE "Space" RENAME TO "Elsewhere"');
  await any((await limited.caller()).fetch('/api/v1/spaces'));
  await limited.stop();
  // Other tests check why the server gives these answers.
  const running = 'The first request with this Idempotency-Key is still running. Try again shortly.';
  put('any', 409, { message: running, status: 409 });
  put('any', 503, { message: 'The database is not available. Try again shortly.', status: 503 });

  await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(
    '../../src/rest/openapi/examples.json',
  );
  await expect(guideToV1(examples)).toMatchFileSnapshot('../../docs/rest-v1.md');
});

test('every answer has an example that matches its schema', () => {
  for (const { method, path, operation } of operations()) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      // Images have no examples.
      if (Object.keys(content).some((type) => type.startsWith('image/'))) continue;
      const { schema, example } = content['application/json'] ?? { schema: {} };
      const where = `${method} ${path} ${status}`;
      expect(example, where).toBeDefined();
      const validate = exactly(schema);
      expect(validate(example), `${where}: ${JSON.stringify(validate.errors)}`).toBe(true);
      expect(example, where).toMatchObject({ status: Number(status) });
    }
  }
});

test('an answer with addresses in any script matches its schema', async () => {
  const owner = await server.caller();
  const url = 'https://münchen.example/a b?ö=ä#ß';
  const { id } = await owner.link({
    url,
    'rotation[0][value]': url,
    'country[0][key]': 'DE',
    'country[0][value]': url,
  });
  const { schema } = document.paths['/links/{id}']?.get?.responses['200']?.content['application/json'] ?? {};
  const validate = exactly(schema ?? {});
  const { body } = await owner.rest('GET', `/links/${id}`);
  expect(validate(body), JSON.stringify(validate.errors)).toBe(true);
  expect(body).toMatchObject({ data: { url } });
});

test('openapi.json has every type of body that v1 accepts', () => {
  const withBody = operations().filter(({ operation }) => operation.requestBody !== undefined);
  expect(withBody).toHaveLength(6);
  for (const { method, path, operation } of withBody)
    expect(Object.keys(operation.requestBody?.content ?? {}).sort(), `${method} ${path}`).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ]);
});

test('the date and the time of expiry each say in every body that they go together', () => {
  const bodies = operations()
    .map(({ operation }) => operation.requestBody?.content['application/json']?.schema.properties ?? {})
    .filter((properties) => 'expiration_date' in properties);
  expect(bodies).toHaveLength(3);
  const together = (other: string, alone: string) => ({
    description: expect.stringMatching(`together with \`${other}\`, in updates too: a \\w+ alone ${alone}`),
  });
  for (const properties of bodies)
    expect(properties).toMatchObject({
      expiration_date: together('expiration_time', 'means 00:00'),
      expiration_time: together('expiration_date', 'is refused'),
    });
});

test('openapi.json has schemas, descriptions and defaults of fields', () => {
  const [list, links] = [document.paths['/links']?.get, document.paths['/links']?.post];
  const parameter = (name: string) => list?.parameters.find((one) => one.name === name)?.schema;
  expect(parameter('search_by')).toEqual({
    type: 'string',
    enum: ['title', 'alias', 'url'],
    default: 'title',
  });
  expect(parameter('status')).toEqual({ type: 'integer', enum: [0, 1, 2, 3], default: 0 });
  expect(parameter('per_page')).toEqual({ type: 'integer', enum: [10, 25, 50, 100], default: 10 });
  expect(parameter('sort')).toEqual({ type: 'string', enum: ['desc', 'asc'], default: 'desc' });
  const orEmpty = (value: object) => ({ anyOf: [value, { const: '' }] });
  const form = links?.requestBody?.content['application/x-www-form-urlencoded']?.schema.properties ?? {};
  expect(form).toMatchObject({
    url: { type: 'string', maxLength: 2048 },
    disabled: orEmpty({ enum: [0, 1], default: 0 }),
    privacy: orEmpty({ enum: [0, 1, 2], default: 0 }),
    expiration_clicks: orEmpty({ type: 'integer', minimum: 1, maximum: 999_999_999 }),
    'pixel_ids[]': { type: 'array', items: orEmpty({ type: 'integer' }) },
    'platform[0][key]': orEmpty({
      enum: ['iOS', 'Android', 'Windows', 'OS X', 'Linux', 'Ubuntu', 'Chrome OS'],
    }),
    'rotation[0][value]': { type: 'string' },
  });
  const update = document.paths['/links/{id}']?.patch?.requestBody?.content['application/json']?.schema;
  expect(update?.properties).not.toHaveProperty('domain_id');
  for (const { method, path, operation } of operations()) {
    const fields = Object.values(operation.requestBody?.content['application/json']?.schema.properties ?? {});
    for (const field of [...fields, ...operation.parameters.filter((one) => one.in === 'query')])
      expect(field, `${method} ${path}`).toHaveProperty('description', expect.any(String));
  }
});

test('an answer may have more properties in a later version, for the document', () => {
  const closed = [...objectsIn(document, '')].filter(
    ([, { additionalProperties }]) => additionalProperties === false,
  );
  expect(closed.map(([place]) => place)).toEqual([]);
});

test('every answer with data is only JSON, so that clients with types need not ask which it is', () => {
  const types = operations().flatMap(({ method, path, operation }) =>
    Object.entries(operation.responses).map(([status, { content }]) => [
      `${method} ${path} ${status}`,
      Object.keys(content).filter((type) => !type.startsWith('image/')),
    ]),
  );
  for (const [where, given] of types)
    expect(given, String(where)).toEqual(where === 'GET /links/{id}/qr 200' ? [] : ['application/json']);
});

const EMPTY_VALUES: readonly unknown[] = [null, '', 0, []];

test('bodies may have an empty value where the service accepts it, and nowhere else', async () => {
  const owner = await server.caller('cleared');
  const space = await owner.space('Cleared');
  const { id } = await owner.link({ space_id: space });
  const send = async (method: string, path: string, type: string, body: string) => {
    const headers = { 'Content-Type': type };
    const response = await owner.fetch(`/api/v1${path}`, { method: method.toUpperCase(), body, headers });
    return { status: response.status, text: await response.text() };
  };
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const all = operations().filter(({ operation }) => operation.requestBody !== undefined);
  const bodies = all.filter(({ method }) => method !== 'PUT');
  for (const path of ['/links/{id}', '/spaces/{id}'])
    expect(document.paths[path]?.put?.requestBody).toEqual(document.paths[path]?.patch?.requestBody);
  const different: string[] = [];
  let tried = 0;
  for (const { path, method, operation } of bodies) {
    const { properties: json = {} } = operation.requestBody?.content['application/json']?.schema ?? {};
    const formType = 'application/x-www-form-urlencoded';
    const { properties: form = {} } = operation.requestBody?.content[formType]?.schema ?? {};
    const place = path.replace('{id}', path.startsWith('/links') ? String(id) : String(space));
    const needed = (): Record<string, string> => {
      if (method !== 'POST') return {};
      // With an alias: this server generates the same one for all, and tries others until one is free.
      return path === '/links' ? { url: 'https://example.com/', alias: `empty-${tried}` } : { name: 'New' };
    };
    const compare = (
      name: string,
      value: unknown,
      allowed: boolean,
      { status, text }: { status: number; text: string },
    ) => {
      tried++;
      if (allowed !== status < 300)
        different.push(`${method} ${path} ${name} ${JSON.stringify(value)}: allowed ${allowed}, but ${text}`);
    };
    for (const [name, schema] of Object.entries(json)) {
      for (const value of EMPTY_VALUES) {
        const body = JSON.stringify({ ...needed(), [name]: value });
        // A text may be any, also a number: not what this is about.
        if (value === 0 && ajv.validate(schema, 'any')) continue;
        compare(
          name,
          value,
          ajv.validate(schema, value),
          await send(method, place, 'application/json', body),
        );
      }
    }
    for (const [name, schema] of Object.entries(form)) {
      const isList = 'items' in schema;
      const body = new URLSearchParams({ ...needed(), [name]: '' }).toString();
      compare(name, '', ajv.validate(schema, isList ? [''] : ''), await send(method, place, formType, body));
    }
  }
  expect(different).toEqual([]);
  expect(tried).toBeGreaterThan(150);
});

test('openapi.json says what the data of a message to a webhook are', () => {
  const words = Object.entries(document.webhooks).map(([type, { post }]) => [
    type.replace(/^\w+\./, ''),
    /"data":\{[^{}]*(?:\[[^[\]]*\])?[^{}]*"description":"([^"]*)"/.exec(
      JSON.stringify(post.requestBody),
    )?.[1],
  ]);
  const record = 'The record when the message is sent, or only its id if it is deleted by then.';
  expect(Object.fromEntries(words)).toEqual({
    created: record,
    updated: record,
    deleted: 'The id of the deleted record.',
    ping: 'The id of the webhook.',
  });
});

test('openapi.json describes the messages to webhooks, as they are sent', async () => {
  const receiver = await TestReceiver.start();
  const own = await startTestServer({ background: true });
  try {
    const caller = await own.caller();
    const { createWebhook } = await caller.data<{ createWebhook: { webhook: { id: string } } }>(
      `mutation ($url: String!, $events: [WebhookEvent!]!) { createWebhook(input: { url: $url, events: $events }) {
        ... on CreatedWebhook { webhook { id } } } }`,
      { url: receiver.url(), events: Object.keys(changeEvents) },
    );
    await caller.data(`mutation { testWebhook(id: "${createWebhook.webhook.id}") { __typename } }`);
    const { id } = await caller.link({
      'country[0][key]': 'DE',
      'country[0][value]': 'https://example.com/de',
    });
    const space = await caller.space('Told of');
    const tag = await caller.data<{ createTag: { id: string } }>(
      'mutation { createTag(input: { name: "T" }) { ... on Tag { id } } }',
    );
    const told = (type: string) =>
      expect.poll(() => receiver.received.some(({ message }) => message.type === type)).toBe(true);
    // Before they are changed: a message has the record as it is when it is sent.
    for (const type of ['ping', 'link.created', 'space.created', 'tag.created']) await told(type);
    await caller.data(`mutation {
      updateLink(id: "${id}", input: { title: "New" }) { __typename }
      updateSpace(id: "${space}", input: { name: "New" }) { __typename }
      updateTag(id: "${tag.createTag.id}", input: { name: "New" }) { __typename }
    }`);
    for (const type of ['link.updated', 'space.updated', 'tag.updated']) await told(type);
    await caller.data(`mutation {
      deleteLink(id: "${id}") { __typename }
      deleteSpace(id: "${space}") { __typename }
      deleteTag(id: "${tag.createTag.id}") { __typename }
    }`);
    for (const type of ['link.deleted', 'space.deleted', 'tag.deleted']) await told(type);
    expect([...new Set(receiver.received.map(({ message }) => message.type))].sort()).toEqual(
      Object.keys(document.webhooks).sort(),
    );
    for (const { message, headers } of receiver.received) {
      const { parameters, requestBody } = document.webhooks[message.type]?.post ?? { parameters: [] };
      const validate = exactly(requestBody?.content['application/json']?.schema ?? {});
      expect(validate(message), `${message.type}: ${JSON.stringify(validate.errors)}`).toBe(true);
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(parameters.map(({ name }) => name)));
    }
  } finally {
    await own.stop();
    receiver.stop();
  }
});
