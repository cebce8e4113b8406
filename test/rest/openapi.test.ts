import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/rest/routes.ts';
import { guideToV1 } from '../support/guide-to-v1.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

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
  components: { schemas: Record<string, object> };
}

let server: TestServer;
let document: Document;
beforeAll(async () => {
  server = await startTestServer({ random: () => 0 });
  document = await (await fetch(`${server.origin}/openapi.json`)).json();
});
afterAll(() => server.stop());

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
    /^\/paths\/.+\/(get|post|put|patch|delete)$|\/tags\/\d+$|\/parameters\/\d+$|\/requestBody\/content\/.*\/properties\/[^/]+$|\/responses\/\d+$/;
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
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  for (const { method, path, operation } of operations()) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      // Images have no examples.
      if (Object.keys(content).some((type) => type.startsWith('image/'))) continue;
      const { schema, example } = content['application/json'] ?? { schema: {} };
      const where = `${method} ${path} ${status}`;
      expect(example, where).toBeDefined();
      const validate = ajv.compile({ ...schema, components: document.components });
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
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const { schema } = document.paths['/links/{id}']?.get?.responses['200']?.content['application/json'] ?? {};
  const validate = ajv.compile({ ...schema, components: document.components });
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
  const form = links?.requestBody?.content['application/x-www-form-urlencoded']?.schema.properties ?? {};
  expect(form).toMatchObject({
    url: { type: 'string', maxLength: 2048 },
    disabled: { enum: [0, 1], default: 0 },
    privacy: { enum: [0, 1, 2], default: 0 },
    expiration_clicks: { type: 'integer', minimum: 1, maximum: 999_999_999 },
    'pixel_ids[]': { type: 'array', items: { type: 'integer' } },
    'platform[0][key]': { enum: ['iOS', 'Android', 'Windows', 'OS X', 'Linux', 'Ubuntu', 'Chrome OS'] },
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
